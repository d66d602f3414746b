"""ROS 2's message types as DDS has them: their names on the wire, and their bytes by our own CDR."""

import importlib
import struct
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from armillary.errors import ArmillaryError
from armillary.protocols.cdr import BadMessage, decode, encode
from armillary.protocols.ros_types import Field, MessageType, Shape, full_name, message_type

__all__ = ["NoDds", "dds_type", "from_ros2", "name_in_ros2", "to_ros2", "type_name"]

Convert = Callable[[Any], Any]
_TIMES = ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")
_PRIMITIVES = {
    "bool": bool, "string": str, "byte": "byte", "char": "char", "int8": "int8", "uint8": "uint8", "int16": "int16",
    "uint16": "uint16", "int32": "int32", "uint32": "uint32", "int64": "int64", "uint64": "uint64", "float32": "float32",
    "float64": "float64",
}  # fmt: skip
# What has another name in ROS 2.
_NAMES = {
    "rosgraph_msgs/Log": "rcl_interfaces/msg/Log",
    "control_msgs/FollowJointTrajectoryFeedback": "control_msgs/action/FollowJointTrajectory_Feedback",
}
_LEVELS = {1: 10, 2: 20, 4: 30, 8: 40, 16: 50}  # of a Log, there and here
_NUMBER = struct.Struct("<Qq")  # before a request and its answer: who asks, and which of his requests


class NoDds(ArmillaryError):
    """cyclonedds is not there, or does not start."""


def type_name(kind: str) -> str:
    """A type's name on ROS 2's wire: "sensor_msgs::msg::dds_::JointState_"."""
    package, middle, name = full_name(kind).split("/")
    return f"{package}::{middle}::dds_::{name}_"


def name_in_ros2(kind: str) -> str:
    """A type's full name there, from its name in ROS 1."""
    return _NAMES.get(kind) or full_name(kind)


@cache
def dds_type(kind: str, *, numbered: bool = False) -> Any:
    """A class of cyclonedds for a type: made of a dict of its fields, and giving one back as `values`.

    Args:
        numbered: A service's request or answer, which carry whose it is and its number before them (rmw_cyclonedds' way):
            `number`, a pair.

    Raises:
        UnknownType: There is no such type.
        NoDds: cyclonedds is not installed.
    """
    made, name = _struct(full_name(kind), numbered), full_name(kind)

    def serialize(self: Any, **_: Any) -> bytes:
        data = encode(name, self.values)
        return data[:4] + _NUMBER.pack(*self.number) + data[4:] if numbered else data

    def deserialize(cls: Any, data: bytes, /, **_: Any) -> Any:
        found, data = cls.__new__(cls), bytes(data)
        if numbered:
            if len(data) < 4 + _NUMBER.size:
                raise BadMessage(f"{name}: {len(data)} bytes have no room for its number")
            found.number = _NUMBER.unpack_from(data, 4)
            data = data[:4] + data[4 + _NUMBER.size :]
        found.values = decode(name, data)
        return found

    def of(cls: Any, values: Mapping[str, Any], /, number: tuple[int, int] = (0, 0)) -> Any:
        sample = cls.__new__(cls)
        sample.values, sample.number = values, number
        return sample

    made.serialize, made.deserialize, made.of = serialize, classmethod(deserialize), classmethod(of)
    return made


@cache
def _struct(name: str, numbered: bool = False) -> Any:
    """With the fields that other participants are told of."""
    try:
        idl = importlib.import_module("cyclonedds.idl")
    except ImportError as error:
        raise NoDds(f"cyclonedds cannot be imported ({error}); install it: pip install 'armillary[ros]'") from None
    kind = message_type(name)
    fields = {field.name: _field_type(field) for field in kind.fields} or {"structure_needs_at_least_one_member": _plain("uint8")}
    if numbered:
        fields = {"guid": _plain("uint64"), "seq": _plain("int64"), **fields}
    return idl.make_idl_struct(name.rpartition("/")[2] + "_", type_name(name), fields)


def _plain(kind: str) -> Any:
    found = _PRIMITIVES[kind]
    return found if not isinstance(found, str) else getattr(importlib.import_module("cyclonedds.idl.types"), found)


def _field_type(field: Field) -> Any:
    types = importlib.import_module("cyclonedds.idl.types")
    one = _plain(field.kind) if field.kind in _PRIMITIVES else _struct(field.kind)
    if field.shape == Shape.ONE:
        return one
    if field.shape == Shape.FIXED:
        return types.array[one, field.size]
    return types.sequence[one, field.size] if field.size else types.sequence[one]


def to_ros2(kind: MessageType, values: Mapping[str, Any]) -> dict[str, Any]:
    """A message as ROS 1 has it, as ROS 2 has it: times by other names, headers without a number."""
    if kind.name == _NAMES["rosgraph_msgs/Log"]:
        values = {**values, "stamp": values["header"]["stamp"], "level": _LEVELS.get(values["level"], values["level"])}
    return {name: convert(values[name]) for name, convert in _fields(kind.name, _to_one) if name in values}


def from_ros2(kind: MessageType, values: Mapping[str, Any]) -> dict[str, Any]:
    """The other way."""
    found = {name: convert(values[name]) for name, convert in _fields(kind.name, _from_one)}
    return {"seq": 0, **found} if kind.name == "std_msgs/msg/Header" else found


@cache
def _fields(kind: str, one: Callable[[str], Convert]) -> tuple[tuple[str, Convert], ...]:
    """What each field of a type is converted by: looked up once, and not for every message."""
    return tuple((field.name, _converter(field, one)) for field in message_type(kind).fields)


def _converter(field: Field, one: Callable[[str], Convert]) -> Convert:
    if field.kind in _PRIMITIVES:
        return _as_it_is
    convert = one(field.kind)
    return convert if field.shape == Shape.ONE else lambda values: [convert(value) for value in values]


def _as_it_is(value: Any) -> Any:
    return value


def _to_one(kind: str) -> Convert:
    if kind in _TIMES:
        return lambda value: {"sec": int(value["secs"]), "nanosec": int(value["nsecs"])}
    return partial(to_ros2, message_type(kind))


def _from_one(kind: str) -> Convert:
    if kind in _TIMES:
        return lambda value: {"secs": int(value["sec"]), "nsecs": int(value["nanosec"])}
    return partial(from_ros2, message_type(kind))
