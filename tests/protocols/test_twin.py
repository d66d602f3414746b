"""Frames of the twin: what was written is read, and nothing else is."""

import zlib
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.protocols.twin import (
    LONGEST,
    MOST_ANALOG,
    TOUCHES,
    BadFrame,
    Decoder,
    Encoder,
    Frame,
    Hello,
    JointState,
    Kind,
    Mode,
    Touch,
    Welcome,
    command_of,
    hello_of,
    refusal_of,
    state_of,
    welcome_of,
)

FLOATS = st.floats(allow_nan=False, width=64)
ANALOG = st.lists(st.floats(width=64), min_size=MOST_ANALOG, max_size=MOST_ANALOG)
NAMES = st.text(max_size=20)
TOUCH = st.builds(Touch, st.integers(-1, 300), st.integers(-1, 300), FLOATS, FLOATS)

EIGHT = 0.25 * np.arange(float(MOST_ANALOG))


@st.composite
def states(draw: st.DrawFn) -> JointState:
    n = draw(st.integers(1, 30))
    q, v, a, torque = (np.array(draw(st.lists(FLOATS, min_size=n, max_size=n))) for _ in range(4))
    touches = tuple(draw(st.lists(TOUCH, max_size=TOUCHES)))
    return JointState(
        draw(st.integers(0, 2**63)), draw(st.integers(0, 2**32 - 1)), draw(FLOATS), draw(st.booleans()), draw(st.booleans()),
        draw(st.text(max_size=60)), q, v, a, torque, draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 65535)), touches,
        np.array(draw(ANALOG)),
    )  # fmt: skip


def a_stream() -> bytes:
    """One frame of every kind."""
    encoder, four = Encoder(), np.arange(4.0)
    state = JointState(3, 4, 1.5, True, False, "hot", four, four, four, four, 1, 2, (Touch(0, 3, 0.001, 20.0),), EIGHT)
    return b"".join([
        encoder.hello(Hello(("a", "b", "c", "d"), "0123"), 1.0),
        encoder.welcome(Welcome(("a", "b", "c", "d"), four, 0.001, 0.02, Mode.LOCK_STEP, "0123"), 1.1),
        encoder.refused("no", 1.2),
        *(encoder.order(kind, 1.3) for kind in (Kind.ENABLE, Kind.DISABLE, Kind.STOP)),
        encoder.command(3, 1.4, four, four, four, four, 5, EIGHT),
        encoder.state(state),
    ])  # fmt: skip


def read_all(frames: list[Frame]) -> list[object]:
    """Everything that frames say, as values that can be compared."""
    readers: dict[Kind, Callable[[Frame], object]] = {
        Kind.HELLO: hello_of,
        Kind.WELCOME: lambda frame: repr(welcome_of(frame, 4)),
        Kind.REFUSED: refusal_of,
        Kind.COMMAND: lambda frame: repr(command_of(frame, 4)),
        Kind.STATE: lambda frame: repr(state_of(frame, 4)),
    }
    return [
        (frame.kind, frame.sequence, frame.time, readers[frame.kind](frame) if frame.kind in readers else None)
        for frame in frames
    ]


@given(state=states())
def test_a_state_is_read_as_it_was_written(state: JointState) -> None:
    (frame,) = Decoder().feed(Encoder().state(state))
    read = state_of(frame, len(state.q))
    for name in ("q", "v", "a", "torque", "analog"):
        assert getattr(read, name).tobytes() == getattr(state, name).tobytes()
    assert [read[i] for i in (0, 1, 2, 3, 4, 5, 10, 11, 12)] == [state[i] for i in (0, 1, 2, 3, 4, 5, 10, 11, 12)]


@given(
    values=st.lists(st.tuples(FLOATS, FLOATS, FLOATS, FLOATS), min_size=1, max_size=64), number=st.integers(0, 2**63),
    time=FLOATS, analog=ANALOG,
)  # fmt: skip
def test_a_command_is_read_as_it_was_written(
    values: list[tuple[float, ...]], number: int, time: float, analog: list[float]
) -> None:
    q, v, a, torque = np.array(values).T.copy()
    (frame,) = Decoder().feed(Encoder().command(number, time, q, v, a, torque, 7, np.array(analog)))
    read = command_of(frame, len(values))
    assert read.analog.tobytes() == np.array(analog).tobytes()
    assert (read.number, read.time, read.outputs) == (number, time, 7)
    assert np.array_equal(np.array([read.q, read.v, read.a, read.torque]), np.array([q, v, a, torque]))


@given(joints=st.lists(NAMES, max_size=20), digest=NAMES)
def test_greetings_are_read_as_they_were_written(joints: list[str], digest: str) -> None:
    encoder, q = Encoder(), np.arange(float(len(joints)))
    said = encoder.hello(Hello(tuple(joints), digest), 0.0)
    said += encoder.welcome(Welcome(tuple(joints), q, 0.002, 0.05, Mode.LOCK_STEP, digest), 0.0)
    hello, welcome = Decoder().feed(said)
    assert hello_of(hello) == Hello(tuple(joints), digest)
    read = welcome_of(welcome, len(joints))
    assert (read.joints, read.period, read.watchdog, read.mode, read.digest) == (
        tuple(joints),
        0.002,
        0.05,
        Mode.LOCK_STEP,
        digest,
    )
    assert np.array_equal(read.q, q)


@given(cuts=st.lists(st.integers(0, len(a_stream())), max_size=20))
def test_it_does_not_matter_how_a_stream_is_cut(cuts: list[int]) -> None:
    stream, decoder = a_stream(), Decoder()
    places = [0, *sorted(cuts), len(stream)]
    frames = [frame for begin, end in pairwise(places) for frame in decoder.feed(stream[begin:end])]
    assert read_all(frames) == read_all(Decoder().feed(stream))
    assert len(frames) == 8


@given(bit=st.integers(0, 8 * len(a_stream()) - 1))
def test_any_flipped_bit_is_noticed(bit: int) -> None:
    stream = bytearray(a_stream())
    stream[bit // 8] ^= 1 << bit % 8
    with pytest.raises(BadFrame, match="a bad frame at byte"):
        Decoder().feed(bytes(stream))


@given(length=st.integers(0, len(a_stream()) - 1))
def test_what_is_cut_off_is_waited_for(length: int) -> None:
    stream, decoder = a_stream(), Decoder()
    before = decoder.feed(stream[:length])
    assert len(before) < 8
    assert read_all(before + decoder.feed(stream[length:])) == read_all(Decoder().feed(stream))


@given(junk=st.binary(min_size=24, max_size=200))
def test_junk_is_no_frame_and_the_stream_stays_bad(junk: bytes) -> None:
    decoder = Decoder()
    with pytest.raises(BadFrame):
        decoder.feed(junk)
    with pytest.raises(BadFrame):
        decoder.feed(a_stream())


def test_a_bad_frame_says_where_it_is() -> None:
    first, second = Encoder().order(Kind.STOP, 0.0), b"GET / HTTP/1.1\r\nHost: twin\r\n\r\n"
    with pytest.raises(BadFrame, match="another protocol") as raised:
        Decoder().feed(first + second)
    assert raised.value.offset == len(first)


def test_sequence_numbers_must_rise() -> None:
    frame = Encoder().order(Kind.ENABLE, 0.0)
    decoder = Decoder()
    assert len(decoder.feed(frame)) == 1
    with pytest.raises(BadFrame, match="sequence number 1 does not follow 1"):
        decoder.feed(frame)


def test_a_frame_of_another_number_of_joints_is_bad() -> None:
    two, encoder = np.zeros(2), Encoder()
    (command,) = Decoder().feed(encoder.command(1, 0.0, two, two, two, two))
    with pytest.raises(BadFrame, match="a command of 2 joints where there are 3"):
        command_of(command, 3)
    (state,) = Decoder().feed(encoder.state(JointState(1, 1, 0.0, True, False, "", two, two, two, two, 0, 0, ())))
    with pytest.raises(BadFrame, match="does not hold"):
        state_of(state, 3)


def test_a_command_is_these_bytes_on_the_wire() -> None:
    """Written out: head (ARTW, version 2, kind 7, length, sequence, time, checksum), then number, outputs, 8 analogue values,
    q, v, a and torque of one joint, and the checksum of it all. Whoever speaks version 2 writes and reads these."""
    one = np.array([0.5])
    said = Encoder().command(3, 1.5, one, 2 * one, 4 * one, 8 * one, 5, EIGHT)
    head = "41525457 02 07 7000 01000000 000000000000f83f"
    eight = "".join(np.float64(value).tobytes().hex() for value in EIGHT)
    body = "0300000000000000 05000000 00000000" + eight + "000000000000e03f 000000000000f03f 0000000000000040 0000000000001040"
    front = bytes.fromhex(head)
    front += zlib.crc32(front).to_bytes(4, "little")
    whole = front + bytes.fromhex(body)
    assert said == whole + zlib.crc32(whole).to_bytes(4, "little")


def test_a_release_before_is_told_to_be_the_same() -> None:
    old = bytearray(Encoder().order(Kind.STOP, 0.0))
    old[4] = 1
    with pytest.raises(BadFrame, match="it is of version 1, and this is version 2: use the same release on both ends"):
        Decoder().feed(bytes(old))


def test_analogue_values_of_another_number_cannot_be_written() -> None:
    one = np.zeros(1)
    with pytest.raises(BadFrame, match="3 analogue values cannot be written; a frame has 8"):
        Encoder().command(1, 0.0, one, one, one, one, 0, np.zeros(3))


def test_texts_are_bounded_and_no_character_is_cut_in_two() -> None:
    one = np.zeros(1)
    state = JointState(1, 1, 0.0, False, True, "ä" * 1000, one, one, one, one, 0, 70000, ())
    (frame,) = Decoder().feed(Encoder().state(state))
    read = state_of(frame, 1)
    assert read.fault == "ä" * 120 and read.contacts == 65535
    with pytest.raises(BadFrame, match=f"{LONGEST} is the most"):
        Encoder().hello(Hello(("x" * 900,) * 50), 0.0)
