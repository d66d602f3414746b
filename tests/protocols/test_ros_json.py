"""Messages in rosbridge's JSON: there and back, and what is refused, with where it is."""

import base64
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.protocols.ros1_definitions import MESSAGES
from armillary.protocols.ros1_types import NUMBERS, TIMES, ros1_type
from armillary.protocols.ros_json import BadRosMessage, empty_message, from_json, to_json, with_arrays
from armillary.protocols.ros_types import PRIMITIVES, Field, MessageType, Shape

JOINT_STATE = ros1_type("sensor_msgs/JointState")


@pytest.mark.parametrize("name", MESSAGES)
def test_an_empty_message_of_every_type_goes_there_and_back(name: str) -> None:
    kind = ros1_type(name)
    said = to_json(kind, empty_message(kind))
    assert [*said] == [field.name for field in kind.fields]
    assert to_json(kind, from_json(kind, json.loads(json.dumps(said)))) == said


def values_of(kind: MessageType, depth: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({field.name: _field(field, depth) for field in kind.fields})


def _field(field: Field, depth: int) -> st.SearchStrategy[Any]:
    one = _one(field.kind, depth)
    if field.shape == Shape.ONE:
        return one
    if field.kind in ("uint8", "char"):
        return st.binary(max_size=8).map(lambda data: base64.b64encode(data).decode())
    least, most = (field.size, field.size) if field.shape == Shape.FIXED else (0, 3 - min(depth, 2))
    return st.lists(one, min_size=least, max_size=most)


def _one(kind: str, depth: int) -> st.SearchStrategy[Any]:
    if kind in ("float32", "float64"):
        return st.floats(allow_nan=False, allow_infinity=False, width=32)
    if kind == "bool":
        return st.booleans()
    if kind in PRIMITIVES:
        span = np.iinfo(np.dtype(NUMBERS[kind]))
        return st.integers(int(span.min), int(span.max))
    if kind == "string":
        return st.text(max_size=5)
    if kind in TIMES:
        return st.fixed_dictionaries({"secs": st.integers(0, 2**31 - 1), "nsecs": st.integers(0, 999_999_999)})
    return values_of(ros1_type(kind), depth + 1)


@given(st.data())
def test_what_is_said_is_read_and_said_again(data: st.DataObject) -> None:
    kind = ros1_type(data.draw(st.sampled_from(sorted(MESSAGES))))
    said = data.draw(values_of(kind))
    assert to_json(kind, from_json(kind, said)) == said


def test_numbers_become_arrays_and_what_is_no_number_null() -> None:
    read = from_json(JOINT_STATE, {"name": ["a", "b"], "position": [1, None]})
    assert read["position"].dtype == np.float64 and read["position"][0] == 1.0 and math.isnan(read["position"][1])
    assert read["velocity"].shape == (0,) and read["header"]["stamp"] == {"secs": 0, "nsecs": 0}
    said = to_json(JOINT_STATE, {"position": np.array([np.nan, 2.0, np.inf])})
    assert said["position"] == [None, 2.0, None] and said["name"] == []


def test_the_later_names_of_a_times_parts_are_taken_too() -> None:
    read = from_json(JOINT_STATE, {"header": {"stamp": {"sec": 3, "nanosec": 4}}})
    assert read["header"]["stamp"] == {"secs": 3, "nsecs": 4}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "sensor_msgs/JointState is \\[\\]; a sensor_msgs/JointState has fields: header, name"),
        ({"positions": []}, "sensor_msgs/JointState has no field 'positions'; it has: header, name, position"),
        ({"header": {"stamp": 7}}, "header.stamp is 7; a time is expected: {secs, nsecs}, both whole"),
        ({"header": {"stamp": {"secs": 2**40}}}, "header.stamp is .*; a time is expected"),
        ({"header": {"seq": -1}}, "header.seq is -1; a uint32 goes from 0 to 4294967295"),
        ({"header": {"seq": 0.5}}, "header.seq is 0.5; a whole number is expected"),
        ({"header": {"seq": math.nan}}, "header.seq is nan; a whole number is expected"),
        ({"name": "a"}, "name is 'a'; a list is expected"),
        ({"name": [3]}, r"name\[0\] is 3; a string is expected"),
        ({"position": ["1"]}, r"position\[0\] is '1'; a number is expected"),
        ({"position": [True]}, r"position\[0\] is True; a number is expected"),
        ({"position": [10**400]}, r"position\[0\] is 1000.*\.\.\.; that is no number of 64 bits"),
        ({"position": {"a": 1}}, "position is .*; a list of numbers is expected"),
    ],
)
def test_what_does_not_fit_is_refused_with_where_it_is(value: Any, said: str) -> None:
    with pytest.raises(BadRosMessage, match=said):
        from_json(JOINT_STATE, value)


def test_a_fixed_number_of_values_is_held_to() -> None:
    kind = ros1_type("geometry_msgs/PoseWithCovariance")
    assert from_json(kind, {})["covariance"].shape == (36,)
    with pytest.raises(BadRosMessage, match="covariance has 3 values; 36 are expected"):
        from_json(kind, {"covariance": [1, 2, 3]})


def test_a_picture_is_base64_there_and_back() -> None:
    kind, data = ros1_type("sensor_msgs/CompressedImage"), bytes(range(256)) * 8000  # more bytes than numbers may be in a list
    said = {"header": {"frame_id": "camera"}, "format": "jpeg", "data": base64.b64encode(data).decode()}
    read = from_json(kind, said)
    assert read["data"].dtype == np.uint8 and read["data"].tobytes() == data
    assert to_json(kind, read)["data"] == said["data"] and with_arrays(kind, read)["data"].tobytes() == data
    assert from_json(kind, {"data": [1, 255]})["data"].tolist() == [1, 255], "as numbers too"
    for wrong, why in (("%%%", "data is no base64"), ([256], "a uint8 goes from 0 to 255")):
        with pytest.raises(BadRosMessage, match=why):
            from_json(kind, {"data": wrong})


def test_a_byte_has_a_sign_in_ros_1() -> None:
    assert from_json(ros1_type("std_msgs/Byte"), {"data": -1}) == {"data": -1}
    assert from_json(ros1_type("std_msgs/ByteMultiArray"), {"data": [-128, 127]})["data"].tolist() == [-128, 127]
    with pytest.raises(BadRosMessage, match="a byte goes from -128 to 127"):
        from_json(ros1_type("std_msgs/Byte"), {"data": 200})
