"""ROS 1 message and service types: their definitions as text, what the text says as fields, and the sum that peers compare.

To add a type, add its text: fields and sums follow from it. Field names, types and order are as published by the projects that
own them (common_msgs, geometry2, actionlib, control_msgs, industrial_core of ROS 1); the tests hold the sums against theirs.
"""

from dataclasses import replace
from functools import cache
from hashlib import md5

from armillary.errors import ArmillaryError
from armillary.protocols.ros_types import Field, MessageType, parse_definition

__all__ = ["DEFINITIONS", "SERVICES", "TIMES", "UnknownRos1Type", "md5sum", "message_type", "service_md5sum", "service_types"]

TIMES = ("time", "duration")  # secs and nsecs, in one


def _action(name: str, goal: str, result: str, feedback: str) -> dict[str, str]:
    """The seven messages that an action consists of."""
    package, _, short = name.partition("/")
    stamped = "Header header\nactionlib_msgs/{} {}\n{}{} {}\n".format
    return {
        f"{package}/{short}Goal": goal,
        f"{package}/{short}Result": result,
        f"{package}/{short}Feedback": feedback,
        f"{package}/{short}ActionGoal": stamped("GoalID", "goal_id", short, "Goal", "goal"),
        f"{package}/{short}ActionResult": stamped("GoalStatus", "status", short, "Result", "result"),
        f"{package}/{short}ActionFeedback": stamped("GoalStatus", "status", short, "Feedback", "feedback"),
        f"{package}/{short}Action": "".join(
            f"{short}Action{part} action_{part.lower()}\n" for part in ("Goal", "Result", "Feedback")
        ),
    }


DEFINITIONS: dict[str, str] = {
    "std_msgs/Header": "uint32 seq\ntime stamp\nstring frame_id\n",
    "std_msgs/String": "string data\n",
    "std_msgs/Bool": "bool data\n",
    "std_msgs/Float64": "float64 data\n",
    "std_msgs/Empty": "",
    "std_msgs/MultiArrayDimension": "string label\nuint32 size\nuint32 stride\n",
    "std_msgs/MultiArrayLayout": "MultiArrayDimension[] dim\nuint32 data_offset\n",
    "std_msgs/Float64MultiArray": "MultiArrayLayout layout\nfloat64[] data\n",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n",
    "geometry_msgs/Pose": "Point position\nQuaternion orientation\n",
    "geometry_msgs/PoseStamped": "Header header\nPose pose\n",
    "geometry_msgs/PoseWithCovariance": "Pose pose\nfloat64[36] covariance\n",
    "geometry_msgs/Transform": "Vector3 translation\nQuaternion rotation\n",
    "geometry_msgs/TransformStamped": "Header header\nstring child_frame_id\nTransform transform\n",
    "geometry_msgs/Twist": "Vector3 linear\nVector3 angular\n",
    "geometry_msgs/TwistStamped": "Header header\nTwist twist\n",
    "geometry_msgs/TwistWithCovariance": "Twist twist\nfloat64[36] covariance\n",
    "nav_msgs/Odometry": "Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
    "geometry_msgs/TwistWithCovariance twist\n",
    "sensor_msgs/JointState": "Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    "trajectory_msgs/JointTrajectoryPoint": "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\n"
    "float64[] effort\nduration time_from_start\n",
    "trajectory_msgs/JointTrajectory": "Header header\nstring[] joint_names\nJointTrajectoryPoint[] points\n",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms\n",
    "rosgraph_msgs/Clock": "time clock\n",
    "rosgraph_msgs/Log": "byte DEBUG=1\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\nHeader header\nbyte level\n"
    "string name\nstring msg\nstring file\nstring function\nuint32 line\nstring[] topics\n",
    "diagnostic_msgs/KeyValue": "string key\nstring value\n",
    "diagnostic_msgs/DiagnosticStatus": "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\n"
    "string message\nstring hardware_id\nKeyValue[] values\n",
    "diagnostic_msgs/DiagnosticArray": "Header header\nDiagnosticStatus[] status\n",
    "actionlib_msgs/GoalID": "time stamp\nstring id\n",
    "actionlib_msgs/GoalStatus": "GoalID goal_id\nuint8 status\n"
    + "".join(
        f"uint8 {name}={value}\n"
        for value, name in enumerate(
            ("PENDING", "ACTIVE", "PREEMPTED", "SUCCEEDED", "ABORTED", "REJECTED", "PREEMPTING", "RECALLING", "RECALLED", "LOST")
        )
    )
    + "string text\n",
    "actionlib_msgs/GoalStatusArray": "Header header\nGoalStatus[] status_list\n",
    "control_msgs/JointTolerance": "string name\nfloat64 position\nfloat64 velocity\nfloat64 acceleration\n",
    **_action(
        "control_msgs/FollowJointTrajectory",
        "trajectory_msgs/JointTrajectory trajectory\nJointTolerance[] path_tolerance\nJointTolerance[] goal_tolerance\n"
        "duration goal_time_tolerance\n",
        "int32 error_code\nint32 SUCCESSFUL = 0\nint32 INVALID_GOAL = -1\nint32 INVALID_JOINTS = -2\n"
        "int32 OLD_HEADER_TIMESTAMP = -3\nint32 PATH_TOLERANCE_VIOLATED = -4\nint32 GOAL_TOLERANCE_VIOLATED = -5\n"
        "string error_string\n",
        "Header header\nstring[] joint_names\ntrajectory_msgs/JointTrajectoryPoint desired\n"
        "trajectory_msgs/JointTrajectoryPoint actual\ntrajectory_msgs/JointTrajectoryPoint error\n",
    ),
    "industrial_msgs/TriState": "int8 val\nint8 UNKNOWN=-1\nint8 TRUE=1\nint8 ON=1\nint8 ENABLED=1\nint8 HIGH=1\nint8 CLOSED=1\n"
    "int8 FALSE=0\nint8 OFF=0\nint8 DISABLED=0\nint8 LOW=0\nint8 OPEN=0\n",
    "industrial_msgs/RobotMode": "int8 val\nint8 UNKNOWN=-1\nint8 MANUAL=1\nint8 AUTO=2\n",
    "industrial_msgs/RobotStatus": "Header header\nRobotMode mode\nTriState e_stopped\nTriState drives_powered\n"
    "TriState motion_possible\nTriState in_motion\nTriState in_error\nint32 error_code\n",
}  # fmt: skip

# What is asked, and what is answered.
SERVICES: dict[str, tuple[str, str]] = {
    "std_srvs/Empty": ("", ""),
    "std_srvs/Trigger": ("", "bool success\nstring message\n"),
    "std_srvs/SetBool": ("bool data\n", "bool success\nstring message\n"),
    "armillary_msgs/ListPrograms": ("", "string[] names\n"),
    "armillary_msgs/StartProgram": ("string name\n", "bool success\nstring message\n"),
}


class UnknownRos1Type(ArmillaryError):
    """A type that is not in the table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no ROS 1 type '{name}' here; those known are: {', '.join(sorted([*DEFINITIONS, *SERVICES]))}")


@cache
def message_type(name: str) -> MessageType:
    """A message type, by its name ("sensor_msgs/JointState"); its fields' kinds are primitives, "string", TIMES or such names.

    Raises:
        UnknownRos1Type: It is not there.
    """
    text = DEFINITIONS.get(name)
    if text is None:
        raise UnknownRos1Type(name)
    return _parsed(name, text)


@cache
def service_types(name: str) -> tuple[MessageType, MessageType]:
    """What a service is asked and answers.

    Raises:
        UnknownRos1Type: It is not there.
    """
    if name not in SERVICES:
        raise UnknownRos1Type(name)
    asked, answered = SERVICES[name]
    return _parsed(f"{name}Request", asked), _parsed(f"{name}Response", answered)


def _parsed(name: str, text: str) -> MessageType:
    found = parse_definition(name, text)
    return replace(found, name=name, fields=tuple(replace(field, kind=_kind(field)) for field in found.fields))


def _kind(field: Field) -> str:
    package, _, short = field.kind.partition("/msg/")
    if not short:
        return field.kind
    return short if short in TIMES else f"{package}/{short}"


def md5sum(name: str) -> str:
    """The sum by which two ends of a topic see that they mean the same.

    Raises:
        UnknownRos1Type: It, or a type that it consists of, is not there.
    """
    return md5(_summed(message_type(name)).encode()).hexdigest()


def service_md5sum(name: str) -> str:
    """Likewise of a service.

    Raises:
        UnknownRos1Type: As `md5sum`.
    """
    return md5("".join(_summed(each) for each in service_types(name)).encode()).hexdigest()


def _summed(kind: MessageType) -> str:
    """The text that is summed up: constants first, no comments, and other messages by their own sums."""
    constants, fields = [], []
    for line in kind.text.splitlines():
        of, _, rest = line.strip().partition(" ")
        before, equals, value = rest.partition("=")
        if equals:
            constants.append(f"{of} {before.strip()}={value.strip()}")
        elif rest:
            fields.append((of, rest.strip()))
    for at, field in enumerate(kind.fields):
        if field.kind in DEFINITIONS:
            fields[at] = md5sum(field.kind), fields[at][1]
    return "\n".join([*constants, *(f"{of} {name}" for of, name in fields)])
