"""What a cell says and hears in ROS, by whichever way: one table, of which the documentation's is made."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

__all__ = ["ACTION", "NODE", "SPOKEN", "Spoken", "Way", "action_topics", "spoken", "table"]

ACTION = "/follow_joint_trajectory"
NODE = "/armillary"


class Way(Enum):
    """Which way something goes, as seen from the cell."""

    OUT = "says"
    IN = "hears"
    SERVICE = "answers"
    ACTION = "does"


@dataclass(frozen=True)
class Spoken:
    """A topic, a service or an action.

    Attributes:
        kind: Its type, as ROS 1 calls it.
        rate: How often it is said [Hz]; 0 for when there is something to say.
        latched: Whether who comes later is told the last one.
        joints: Whether its rate is that which was chosen for the joints.
    """

    name: str
    kind: str
    way: Way
    meaning: str
    rate: float = 0.0
    latched: bool = False
    joints: bool = False


_JOINTS, _PATH = "sensor_msgs/JointState", "trajectory_msgs/JointTrajectory"
_TRIGGER, _SWITCH = "std_srvs/Trigger", "std_srvs/SetBool"

SPOKEN: tuple[Spoken, ...] = (
    Spoken("/joint_states", _JOINTS, Way.OUT, "where the joints are, how fast, and with which torque, as measured", joints=True),
    Spoken("/Controller_joint_states", _JOINTS, Way.OUT, "where the joints are commanded to be (paper 1)", joints=True),
    Spoken("/feedback_states", "control_msgs/FollowJointTrajectoryFeedback", Way.OUT, "commanded, measured, and apart by", 50.0),
    Spoken("/tf", "tf2_msgs/TFMessage", Way.OUT, "each frame that moves; the root in odom where it has tracks", 50.0),
    Spoken("/tf_static", "tf2_msgs/TFMessage", Way.OUT, "each frame that does not; otherwise the root here", latched=True),
    Spoken("/robot_description", "std_msgs/String", Way.OUT, "the robot as URDF; also the parameter of this name", latched=True),
    Spoken("/odom", "nav_msgs/Odometry", Way.OUT, "where the base is, by its tracks; zero where it has none", 20.0),
    Spoken("/clock", "rosgraph_msgs/Clock", Way.OUT, "the cell's time", 50.0),
    Spoken("/diagnostics", "diagnostic_msgs/DiagnosticArray", Way.OUT, "state, fault, control, punctuality", 2.0),
    Spoken("/robot_status", "industrial_msgs/RobotStatus", Way.OUT, "power, motion and error as ROS-Industrial has them", 10.0),
    Spoken("/rosout", "rosgraph_msgs/Log", Way.OUT, "what was refused, and why"),
    Spoken(
        "/perception_neuron/data_1", "std_msgs/Float64MultiArray", Way.OUT,
        "a person's frames as the suit sends them (paper 1), while one is imitated",
    ),
    Spoken("/joint_path_command", _PATH, Way.IN, "a trajectory to be driven (paper 2); one without points stops"),
    Spoken("/joint_trajectory", _PATH, Way.IN, "the same, by the name that ROS 2's controllers have for it"),
    Spoken("/joint_set_points", _JOINTS, Way.IN, "where the joints are to be now: uncertified, after /follow_set_points"),
    Spoken("/jog_joints", _JOINTS, Way.IN, "velocities of joints; holds for a tenth of a second"),
    Spoken("/jog_tool", "geometry_msgs/TwistStamped", Way.IN, "the tool's velocity along a frame's axes; holds as long"),
    Spoken("/cmd_vel", "geometry_msgs/Twist", Way.IN, "velocity of a base on two tracks: x, and about z; holds as long"),
    Spoken("/stop", "std_msgs/Empty", Way.IN, "stop on the path; needs no control"),
    Spoken(ACTION, "control_msgs/FollowJointTrajectoryAction", Way.ACTION, "drive a trajectory, and tell how it goes"),
    Spoken("/stop", _TRIGGER, Way.SERVICE, "stop on the path; needs no control"),
    Spoken("/take_control", _TRIGGER, Way.SERVICE, "have control, and keep it until it is given back"),
    Spoken("/give_control", _TRIGGER, Way.SERVICE, "give it back"),
    Spoken("/power", _SWITCH, Way.SERVICE, "drives on or off"),
    Spoken("/reset", _TRIGGER, Way.SERVICE, "go on after a fault"),
    Spoken("/follow_set_points", _SWITCH, Way.SERVICE, "follow /joint_set_points from now on, or no longer"),
    Spoken("/programs/list", "armillary_msgs/ListPrograms", Way.SERVICE, "the cell's programs"),
    Spoken("/programs/start", "armillary_msgs/StartProgram", Way.SERVICE, "run one; answered when it has begun"),
    Spoken("/programs/stop", _TRIGGER, Way.SERVICE, "stop the one that runs"),
)  # fmt: skip

_PARTS = (("goal", "ActionGoal"), ("cancel", "GoalID"), ("status", "GoalStatusArray"), ("feedback", "ActionFeedback"),
          ("result", "ActionResult"))  # fmt: skip


def spoken(name: str, way: Way = Way.OUT) -> Spoken:
    """What goes by a name."""
    return next(each for each in SPOKEN if each.name == name and each.way == way)


def action_topics(name: str, kind: str) -> dict[str, tuple[str, str]]:
    """The topics that ROS 1 makes an action of: each part's name and type."""
    base = kind.removesuffix("Action")
    return {
        part: (f"{name}/{part}", f"actionlib_msgs/{of}" if part in ("cancel", "status") else f"{base}{of}") for part, of in _PARTS
    }


def table() -> Iterator[str]:
    """The table as Markdown, line by line."""
    yield "| name | type | the cell | what |"
    yield "|---|---|---|---|"
    for each in SPOKEN:
        often = "as chosen, 100 Hz" if each.joints else f"{each.rate:g} Hz" if each.rate else "kept for who comes later"
        how = f" ({often})" if each.joints or each.rate or each.latched else ""
        yield f"| `{each.name}` | {each.kind} | {each.way.value}{how} | {each.meaning} |"
