"""CDR: byte for byte what others write, back to what it was, and no bytes that do harm."""

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from armillary.protocols.cdr import BadMessage, FixedLayout, decode, encode
from armillary.protocols.ros_types import (
    DEFINITIONS,
    PRIMITIVES,
    BadDefinition,
    Field,
    Shape,
    UnknownType,
    message_type,
    parse_definition,
    schema_text,
)

STATE = "control_msgs/msg/JointTrajectoryControllerState"
TICK = "armillary_msgs/msg/Tick"
STORE = get_typestore(Stores.LATEST)
PUBLISHED = {name for name in DEFINITIONS if name in STORE.fielddefs and DEFINITIONS[name]}
for _name in DEFINITIONS:  # those that rosbags does not bring are read by it from our schema
    STORE.register(
        {key: what for key, what in get_types_from_msg(schema_text(_name), _name).items() if key not in STORE.fielddefs}
    )


def primitive(kind: str) -> st.SearchStrategy[Any]:
    dtype = np.dtype(PRIMITIVES[kind])
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind == "f":
        return st.floats(width=8 * dtype.itemsize, allow_nan=False)  # type: ignore[arg-type]
    limits = np.iinfo(dtype)
    # A byte is an octet in ROS 2; rosbags takes it for a signed one: what both can write is compared.
    return st.integers(int(limits.min), 127 if kind == "byte" else int(limits.max))


def one(kind: str) -> st.SearchStrategy[Any]:
    if kind == "string":
        return st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)
    return primitive(kind) if kind in PRIMITIVES else messages(kind)


def values(field: Field) -> st.SearchStrategy[Any]:
    if field.shape is Shape.ONE:
        return one(field.kind)
    low, high = (field.size, field.size) if field.shape is Shape.FIXED else (0, 3)
    many = st.lists(one(field.kind), min_size=low, max_size=high)
    return many.map(lambda items: np.array(items, dtype=PRIMITIVES[field.kind])) if field.kind in PRIMITIVES else many


def messages(name: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({field.name: values(field) for field in message_type(name).fields})


def theirs(name: str, value: dict[str, Any]) -> Any:
    """The same message as an object of rosbags."""
    given = {}
    for field in message_type(name).fields:
        item = value[field.name]
        if field.kind not in PRIMITIVES and field.kind != "string":
            item = theirs(field.kind, item) if field.shape is Shape.ONE else [theirs(field.kind, each) for each in item]
        given[field.name] = item
    if not given:  # what ROS 2 puts into an empty structure is a field there
        given["structure_needs_at_least_one_member"] = 0
    return STORE.types[their_name(name)](**given)


def their_name(name: str) -> str:
    return name.replace("/srv/", "/srv/msg/")  # rosbags reads parts of services so


def same(one: Any, two: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and bool(np.array_equal(one, two))
    return bool(one == two)


ANY_MESSAGE = st.sampled_from(sorted(DEFINITIONS)).flatmap(lambda name: st.tuples(st.just(name), messages(name)))


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_our_types_are_the_published_ones(name: str) -> None:
    fresh = get_typestore(Stores.LATEST)
    assert get_types_from_msg(schema_text(name), name)[name][1] == fresh.fielddefs[name][1]


def test_the_published_types_are_found_at_all() -> None:
    assert len(PUBLISHED) >= 16 and STATE not in PUBLISHED and TICK not in PUBLISHED


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(ANY_MESSAGE)
def test_every_byte_is_as_rosbags_writes_it_and_comes_back(given: tuple[str, dict[str, Any]]) -> None:
    name, value = given
    data = encode(name, value)
    assert data == bytes(STORE.serialize_cdr(theirs(name, value), their_name(name)))
    assert same(decode(name, data), value)


@pytest.fixture
def wild(monkeypatch: pytest.MonkeyPatch) -> str:
    """A type with all that a definition may say."""
    text = (
        'string GREETING="a = b # c"\nint8 SMALL = -3 # least\n# nothing\n\nbool[3] flags\nfloat32[<=2] few\nstring<=4 short\n'
        "string[2] pair\nuint8[] raw\nint16 x 7\nNothing nothing\nchar c\nNothing[] many\nint64 last  # the end\n"
    )
    monkeypatch.setitem(DEFINITIONS, "wild_msgs/msg/Nothing", "")
    monkeypatch.setitem(DEFINITIONS, "wild_msgs/msg/Wild", text)
    return "wild_msgs/msg/Wild"


def test_a_definition_is_read_with_its_bounds_constants_and_comments(wild: str) -> None:
    found = message_type(wild)
    assert found.constants == (("GREETING", '"a = b # c"'), ("SMALL", "-3"))
    assert found.fields[:4] == (
        Field("flags", "bool", Shape.FIXED, 3), Field("few", "float32", Shape.SEQUENCE, 2),
        Field("short", "string", longest=4), Field("pair", "string", Shape.FIXED, 2),
    )  # fmt: skip
    assert [field.name for field in found.fields[4:]] == ["raw", "x", "nothing", "c", "many", "last"]


def test_a_wild_message_comes_back_and_its_bounds_are_kept(wild: str) -> None:
    value = {
        "flags": np.array([True, False, True]), "few": np.array([0.5], dtype="f4"), "short": "é", "pair": ["", "ab"],
        "raw": np.arange(5, dtype="u1"), "x": -7, "nothing": {}, "c": 65, "many": [{}, {}], "last": 1 << 40,
    }  # fmt: skip
    assert same(decode(wild, encode(wild, value)), value)
    assert encode(wild, {**value, "raw": bytes(range(5))}) == encode(wild, value)
    for key, bad in (("few", [1, 2, 3]), ("short", "12345"), ("pair", ["a"]), ("x", 40000), ("raw", [256]), ("flags", [1, 0, 1])):
        with pytest.raises(BadMessage, match=key):
            encode(wild, {**value, key: bad})


def test_what_is_left_out_is_zero_and_what_is_unknown_is_refused() -> None:
    assert decode("geometry_msgs/Vector3", encode("geometry_msgs/Vector3", {"y": 2.0})) == {"x": 0.0, "y": 2.0, "z": 0.0}
    with pytest.raises(BadMessage, match="no field 'w'; it has: x, y, z"):
        encode("geometry_msgs/Vector3", {"w": 1.0})
    with pytest.raises(UnknownType, match="geometry_msgs/msg/Vector3"):
        encode("geometry_msgs/Vector4", {})
    with pytest.raises(BadDefinition, match="line 2: 'float64'"):
        parse_definition("a_msgs/msg/Half", "int8 x\nfloat64\n")


@pytest.mark.parametrize("value", [{"data": 3}, {"data": "a\0b"}, {"data": "\ud800"}, {"data": None, "more": 1}])
def test_a_string_that_is_none_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(BadMessage):
        encode("std_msgs/String", value)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(ANY_MESSAGE, st.data())
def test_a_message_cut_off_anywhere_is_refused(given: tuple[str, dict[str, Any]], data: st.DataObject) -> None:
    name, value = given
    whole = encode(name, value)
    with pytest.raises(BadMessage):
        decode(name, whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(BadMessage, match="left over"):
        decode(name, whole + b"\0\0\0\0")


@settings(max_examples=500)
@given(st.sampled_from(sorted(DEFINITIONS)), st.binary(max_size=200))
def test_rubbish_is_refused_or_read_and_nothing_else(name: str, rubbish: bytes) -> None:
    try:
        decode(name, b"\x00\x01\x00\x00" + rubbish)
    except BadMessage:
        pass


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(ANY_MESSAGE, st.data())
def test_a_byte_that_flipped_is_refused_or_read_and_nothing_else(given: tuple[str, dict[str, Any]], data: st.DataObject) -> None:
    whole = bytearray(encode(*given))
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode(given[0], bytes(whole))
    except BadMessage:
        pass


@pytest.mark.parametrize("name", ["tf2_msgs/TFMessage", "trajectory_msgs/JointTrajectoryPoint", "std_msgs/String"])
def test_a_length_that_lies_takes_no_memory(name: str) -> None:
    with pytest.raises(BadMessage, match="beyond its end"):
        decode(name, b"\x00\x01\x00\x00" + struct.pack("<I", 0xFFFFFFF0) + bytes(100))


def test_big_endian_is_refused_in_words() -> None:
    with pytest.raises(BadMessage, match="only little-endian"):
        decode("std_msgs/String", b"\x00\x00\x00\x00" + bytes(8))


def state_example(n: int) -> dict[str, Any]:
    point = {name: np.zeros(n) for name in ("positions", "velocities", "accelerations", "effort")}
    return {"joint_names": [f"joint_{i}" for i in range(n)], "reference": point, "feedback": point, "error": point}


@given(st.integers(1, 9), st.integers(0, 2**31 - 1), st.integers(0, 2**31))
def test_a_fixed_layout_gives_the_bytes_of_encode(n: int, sec: int, seed: int) -> None:
    layout, value = FixedLayout(STATE, state_example(n)), state_example(n)
    numbers = np.random.default_rng(seed).normal(size=n)
    value["feedback"] = {**value["feedback"], "velocities": numbers}
    value["error"] = {**value["error"], "positions": -numbers, "effort": 2 * numbers}
    value["header"], value["speed_scaling_factor"] = {"stamp": {"sec": sec, "nanosec": 7}}, 0.5
    layout.put("feedback.velocities", numbers)
    layout.floats[layout.indices(["error.positions", "error.effort"])] = np.concatenate([-numbers, 2 * numbers])
    layout.put("header.stamp.sec", sec)
    layout.view("header.stamp.nanosec")[0] = 7
    layout.put("speed_scaling_factor", 0.5)
    assert layout.bytes() == encode(STATE, value)


def test_many_messages_of_a_layout_are_read_as_columns() -> None:
    layout = FixedLayout(STATE, state_example(3))
    written = []
    for i in range(20):
        layout.put("reference.positions", [i, 2 * i, 3 * i])
        layout.put("header.stamp.nanosec", i)
        written.append(layout.bytes())
    rows = layout.rows(written)
    assert (layout.column(rows, "reference.positions") == np.outer(np.arange(20), [1, 2, 3])).all()
    assert (layout.column(rows, "header.stamp.nanosec")[:, 0] == np.arange(20)).all()
    with pytest.raises(BadMessage, match="same strings"):
        layout.rows([written[0].replace(b"joint_1", b"joint_9")])
    with pytest.raises(BadMessage, match="not all of"):
        layout.rows([written[0] + b"\0"])
    with pytest.raises(BadMessage, match="there are no numbers at"):
        layout.put("reference.positons", 1)
    with pytest.raises(BadMessage, match="uint32, not float64"):
        layout.indices(["header.stamp.nanosec"])
