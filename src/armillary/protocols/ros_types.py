"""ROS 2 message types: their definitions as text, and what the text says as fields.

To add a type, add its text to `DEFINITIONS`: fields, schemas and the encoding follow from it.
"""

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache

from armillary.errors import ArmillaryError

__all__ = [
    "DEFINITIONS", "PRIMITIVES", "BadDefinition", "Field", "MessageType", "Shape", "UnknownType", "full_name", "message_type",
    "parse_definition", "schema_text",
]  # fmt: skip

# Field names, types and order as published by the projects that own them (common_interfaces, geometry2, control_msgs of ROS 2
# Jazzy and later); `armillary_msgs` is ours.
DEFINITIONS: dict[str, str] = {
    "builtin_interfaces/msg/Time": "int32 sec\nuint32 nanosec\n",
    "builtin_interfaces/msg/Duration": "int32 sec\nuint32 nanosec\n",
    "std_msgs/msg/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "std_msgs/msg/String": "string data\n",
    "std_msgs/msg/Empty": "",
    "std_msgs/msg/MultiArrayDimension": "string label\nuint32 size\nuint32 stride\n",
    "std_msgs/msg/MultiArrayLayout": "MultiArrayDimension[] dim\nuint32 data_offset\n",
    "std_msgs/msg/Float64MultiArray": "MultiArrayLayout layout\nfloat64[] data\n",
    "geometry_msgs/msg/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/msg/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/msg/Pose": "Point position\nQuaternion orientation\n",
    "geometry_msgs/msg/PoseWithCovariance": "Pose pose\nfloat64[36] covariance\n",
    "geometry_msgs/msg/TwistWithCovariance": "Twist twist\nfloat64[36] covariance\n",
    "geometry_msgs/msg/TwistStamped": "std_msgs/Header header\nTwist twist\n",
    "nav_msgs/msg/Odometry": (
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist\n"
    ),
    "rosgraph_msgs/msg/Clock": "builtin_interfaces/Time clock\n",
    "geometry_msgs/msg/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n",
    "geometry_msgs/msg/Transform": "Vector3 translation\nQuaternion rotation\n",
    "geometry_msgs/msg/TransformStamped": "std_msgs/Header header\nstring child_frame_id\nTransform transform\n",
    "geometry_msgs/msg/Twist": "Vector3 linear\nVector3 angular\n",
    "sensor_msgs/msg/JointState": (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n"
    ),
    "trajectory_msgs/msg/JointTrajectoryPoint": (
        "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
        "builtin_interfaces/Duration time_from_start\n"
    ),
    "trajectory_msgs/msg/JointTrajectory": (
        "std_msgs/Header header\nstring[] joint_names\ntrajectory_msgs/JointTrajectoryPoint[] points\n"
    ),
    "trajectory_msgs/msg/MultiDOFJointTrajectoryPoint": (
        "geometry_msgs/Transform[] transforms\ngeometry_msgs/Twist[] velocities\ngeometry_msgs/Twist[] accelerations\n"
        "builtin_interfaces/Duration time_from_start\n"
    ),
    "tf2_msgs/msg/TFMessage": "geometry_msgs/TransformStamped[] transforms\n",
    "diagnostic_msgs/msg/KeyValue": "string key\nstring value\n",
    "diagnostic_msgs/msg/DiagnosticStatus": (
        "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\n"
        "byte level\nstring name\nstring message\nstring hardware_id\nKeyValue[] values\n"
    ),
    "diagnostic_msgs/msg/DiagnosticArray": "std_msgs/Header header\nDiagnosticStatus[] status\n",
    "control_msgs/msg/JointTrajectoryControllerState": (
        "std_msgs/Header header\nstring[] joint_names\n"
        + "".join(f"trajectory_msgs/JointTrajectoryPoint {name}\n" for name in ("reference", "feedback", "error", "output"))
        + "string[] multi_dof_joint_names\n"
        + "".join(
            f"trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_{name}\n"
            for name in ("reference", "feedback", "error", "output")
        )
        + "float64 speed_scaling_factor\n"
    ),
    "rcl_interfaces/msg/Log": (
        "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\n"
        "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\nstring function\nuint32 line\n"
    ),
    "industrial_msgs/msg/TriState": "int8 val\nint8 UNKNOWN=-1\nint8 TRUE=1\nint8 FALSE=0\n",
    "industrial_msgs/msg/RobotMode": "int8 val\nint8 UNKNOWN=-1\nint8 MANUAL=1\nint8 AUTO=2\n",
    "industrial_msgs/msg/RobotStatus": (
        "std_msgs/Header header\nindustrial_msgs/RobotMode mode\n"
        + "".join(f"TriState {name}\n" for name in ("e_stopped", "drives_powered", "motion_possible", "in_motion", "in_error"))
        + "int32 error_code\n"
    ),
    "std_srvs/srv/Trigger_Request": "",
    "std_srvs/srv/Trigger_Response": "bool success\nstring message\n",
    "std_srvs/srv/SetBool_Request": "bool data\n",
    "std_srvs/srv/SetBool_Response": "bool success\nstring message\n",
    "armillary_msgs/srv/ListPrograms_Request": "",
    "armillary_msgs/srv/ListPrograms_Response": "string[] names\n",
    "armillary_msgs/srv/StartProgram_Request": "string name\n",
    "armillary_msgs/srv/StartProgram_Response": "bool success\nstring message\n",
    "unique_identifier_msgs/msg/UUID": "uint8[16] uuid\n",
    "action_msgs/msg/GoalInfo": "unique_identifier_msgs/UUID goal_id\nbuiltin_interfaces/Time stamp\n",
    "action_msgs/msg/GoalStatus": (
        "int8 STATUS_UNKNOWN=0\nint8 STATUS_ACCEPTED=1\nint8 STATUS_EXECUTING=2\nint8 STATUS_CANCELING=3\n"
        "int8 STATUS_SUCCEEDED=4\nint8 STATUS_CANCELED=5\nint8 STATUS_ABORTED=6\nGoalInfo goal_info\nint8 status\n"
    ),
    "action_msgs/msg/GoalStatusArray": "GoalStatus[] status_list\n",
    "action_msgs/srv/CancelGoal_Request": "action_msgs/msg/GoalInfo goal_info\n",
    "action_msgs/srv/CancelGoal_Response": "int8 return_code\naction_msgs/msg/GoalInfo[] goals_canceling\n",
    "trajectory_msgs/msg/MultiDOFJointTrajectory": (
        "std_msgs/Header header\nstring[] joint_names\nMultiDOFJointTrajectoryPoint[] points\n"
    ),
    "control_msgs/msg/JointTolerance": "string name\nfloat64 position\nfloat64 velocity\nfloat64 acceleration\n",
    "control_msgs/msg/JointComponentTolerance": (
        "uint16 X_AXIS=1\nuint16 Y_AXIS=2\nuint16 Z_AXIS=3\nuint16 TRANSLATION=4\nuint16 ROTATION=5\n"
        "string joint_name\nuint16 component\nfloat64 position\nfloat64 velocity\nfloat64 acceleration\n"
    ),
    "control_msgs/action/FollowJointTrajectory_Goal": (
        "trajectory_msgs/JointTrajectory trajectory\ntrajectory_msgs/MultiDOFJointTrajectory multi_dof_trajectory\n"
        "control_msgs/JointTolerance[] path_tolerance\ncontrol_msgs/JointComponentTolerance[] component_path_tolerance\n"
        "control_msgs/JointTolerance[] goal_tolerance\ncontrol_msgs/JointComponentTolerance[] component_goal_tolerance\n"
        "builtin_interfaces/Duration goal_time_tolerance\n"
    ),
    "control_msgs/action/FollowJointTrajectory_Result": (
        "int32 SUCCESSFUL=0\nint32 INVALID_GOAL=-1\nint32 INVALID_JOINTS=-2\nint32 OLD_HEADER_TIMESTAMP=-3\n"
        "int32 PATH_TOLERANCE_VIOLATED=-4\nint32 GOAL_TOLERANCE_VIOLATED=-5\nint32 error_code\nstring error_string\n"
    ),
    "control_msgs/action/FollowJointTrajectory_Feedback": (
        "std_msgs/Header header\nstring[] joint_names\n"
        + "".join(f"trajectory_msgs/JointTrajectoryPoint {name}\n" for name in ("desired", "actual", "error"))
        + "string[] multi_dof_joint_names\n"
        + "".join(f"trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_{name}\n" for name in ("desired", "actual", "error"))
    ),
    "control_msgs/action/FollowJointTrajectory_SendGoal_Request": (
        "unique_identifier_msgs/UUID goal_id\ncontrol_msgs/action/FollowJointTrajectory_Goal goal\n"
    ),
    "control_msgs/action/FollowJointTrajectory_SendGoal_Response": "bool accepted\nbuiltin_interfaces/Time stamp\n",
    "control_msgs/action/FollowJointTrajectory_GetResult_Request": "unique_identifier_msgs/UUID goal_id\n",
    "control_msgs/action/FollowJointTrajectory_GetResult_Response": (
        "int8 status\ncontrol_msgs/action/FollowJointTrajectory_Result result\n"
    ),
    "control_msgs/action/FollowJointTrajectory_FeedbackMessage": (
        "unique_identifier_msgs/UUID goal_id\ncontrol_msgs/action/FollowJointTrajectory_Feedback feedback\n"
    ),
    "armillary_msgs/msg/Event": "std_msgs/Header header\nstring kind\nstring state\nstring text\nstring source\n",
    "armillary_msgs/msg/Tick": (
        "std_msgs/Header header\nuint8 state\nbool certified\nfloat64 rate\nfloat64 progress\nfloat64 late\nfloat64 work\n"
        "float64 round_trip\nuint16 contacts\nuint64 overruns\nuint64 motion\nfloat64 motion_time\nstring source\n"
    ),
    "armillary_msgs/msg/InputsOutputs": (
        "std_msgs/Header header\nuint32 inputs\nuint32 outputs\nfloat64[] analog_inputs\nfloat64[] analog_outputs\n"
    ),
    "armillary_msgs/msg/MotionPiece": (
        "std_msgs/Header header\nuint64 motion\nfloat64 at\nstring[] joint_names\nuint8 continuity\nstring profile\n"
        "string[] origins\nfloat64[] durations\nfloat64[] coefficients\n"
    ),
}  # fmt: skip

# NumPy's name of each primitive; all little-endian.
PRIMITIVES: dict[str, str] = {
    "bool": "|b1", "byte": "|u1", "char": "|u1", "int8": "|i1", "uint8": "|u1", "int16": "<i2", "uint16": "<u2",
    "int32": "<i4", "uint32": "<u4", "int64": "<i8", "uint64": "<u8", "float32": "<f4", "float64": "<f8",
}  # fmt: skip

_KIND = re.compile(r"^(?P<base>[A-Za-z]\w*(?:/\w+){0,2})(?:<=(?P<longest>\d+))?(?P<array>\[(?:<=)?\d*\])?$")
_NAME = re.compile(r"^[A-Za-z]\w*$")
_RULE = "=" * 80
_MIDDLES = ("msg", "srv", "action")


class UnknownType(ArmillaryError):
    """A message type that is not in the table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no message type '{name}' here; those known are: {', '.join(sorted(DEFINITIONS))}")


class BadDefinition(ArmillaryError):
    """A message definition that cannot be read."""


class Shape(Enum):
    """How many values a field has."""

    ONE = "one"
    FIXED = "fixed"  # exactly `size`
    SEQUENCE = "sequence"  # any number, up to `size` where that is not zero


@dataclass(frozen=True)
class Field:
    """One field of a message.

    Attributes:
        kind: A primitive, "string", or the full name of a message type.
        size: The number of values of a FIXED one, the most of a bounded SEQUENCE, 0 otherwise.
        longest: The most bytes of a bounded string, 0 for any.
    """

    name: str
    kind: str
    shape: Shape = Shape.ONE
    size: int = 0
    longest: int = 0


@dataclass(frozen=True)
class MessageType:
    """A message type.

    Attributes:
        name: In full: "geometry_msgs/msg/Vector3".
        text: As it was written.
        constants: Name and value, as text.
    """

    name: str
    text: str
    fields: tuple[Field, ...]
    constants: tuple[tuple[str, str], ...] = ()


def full_name(name: str, package: str = "") -> str:
    """A type's name with package and "msg" (or "srv", "action" where it says so), from any of the ways to write it.

    Args:
        package: Whose definition it stands in, for names without a package.
    """
    parts = name.split("/")
    if len(parts) == 1:
        return "std_msgs/msg/Header" if name == "Header" else f"{package}/msg/{name}"
    middle = parts[1] if len(parts) == 3 and parts[1] in _MIDDLES else "msg"
    return f"{parts[0]}/{middle}/{parts[-1]}"


def parse_definition(name: str, text: str) -> MessageType:
    """What a definition's text says. Defaults are passed over: every field is always written.

    Raises:
        BadDefinition: A line that is no field and no constant; the message gives its number.
    """
    name = full_name(name)
    fields: list[Field] = []
    constants: list[tuple[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        kind, _, rest = line.strip().partition(" ")
        before, equals, value = rest.partition("=")
        if equals and _NAME.match(before.strip()) and "#" not in kind:
            constants.append((before.strip(), value.strip() if kind == "string" else value.partition("#")[0].strip()))
            continue
        words = line.partition("#")[0].split()
        if not words:
            continue
        found = _KIND.match(words[0])
        if found is None or len(words) < 2 or not _NAME.match(words[1]) or words[0].startswith("wstring"):
            raise BadDefinition(f"{name}, line {number}: '{line.strip()}' is neither a field nor a constant that is known here")
        fields.append(_field(words[1], found, name.partition("/")[0]))
    return MessageType(name, text, tuple(fields), tuple(constants))


def _field(name: str, found: re.Match[str], package: str) -> Field:
    base, longest, array = found["base"], int(found["longest"] or 0), found["array"]
    kind = base if base in PRIMITIVES or base == "string" else full_name(base, package)
    if array is None:
        return Field(name, kind, longest=longest)
    inside = array.strip("[]<=")
    fixed = bool(inside) and "<=" not in array
    return Field(name, kind, Shape.FIXED if fixed else Shape.SEQUENCE, int(inside or 0), longest)


@cache
def message_type(name: str) -> MessageType:
    """A type of the table, by any of its names.

    Raises:
        UnknownType: It is not there; the message lists those that are.
    """
    text = DEFINITIONS.get(full_name(name))
    if text is None:
        raise UnknownType(name)
    return parse_definition(name, text)


def schema_text(name: str) -> str:
    """A definition followed by those of all types it consists of, each once: MCAP's "ros2msg"."""
    parts, seen = [message_type(name).text], [full_name(name)]
    waiting = [message_type(name)]
    while waiting:
        for field in waiting.pop(0).fields:
            if field.kind in PRIMITIVES or field.kind == "string" or field.kind in seen:
                continue
            seen.append(field.kind)
            inner = message_type(field.kind)
            waiting.append(inner)
            parts.append(f"{_RULE}\nMSG: {field.kind.replace('/msg/', '/')}\n{inner.text}")
    return "".join(parts)
