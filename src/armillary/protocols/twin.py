"""What a controller and the physics twin say to each other: messages as bytes, no wire."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.protocols.twin_frame import LONGEST, VERSION, BadFrame, Decoder, Frame, Kind, write_frame

__all__ = [
    "LONGEST",
    "MOST_ANALOG",
    "TOUCHES",
    "VERSION",
    "BadFrame",
    "Decoder",
    "Encoder",
    "Frame",
    "Hello",
    "JointCommand",
    "JointState",
    "Kind",
    "Mode",
    "Touch",
    "Welcome",
    "command_of",
    "hello_of",
    "refusal_of",
    "state_of",
    "welcome_of",
]

Array = NDArray[np.float64]
TOUCHES = 8  # that a state tells of; it counts them all
MOST_ANALOG = 8  # analogue inputs, and as many outputs: that a motor side has at most, and that every frame has room for
_FAULT = 240  # bytes of a fault's text at most
_COMMAND = struct.Struct("<QI4x")  # number, outputs
_ANALOG = 8 * MOST_ANALOG  # bytes
_STATE = struct.Struct("<QIIHBBH2x")  # number, heard, inputs, contacts, touches told, flags, length of the fault
_TOUCH = struct.Struct("<hhdd")
_WELCOME = struct.Struct("<ddB7x")  # period, watchdog, mode
_NUMBER = np.dtype("<f8")
_LENGTH = struct.Struct("<H")
_ENABLED, _BRAKING = 1, 2
_ALL_ZERO, _NOT_THERE = np.zeros(MOST_ANALOG), np.full(MOST_ANALOG, np.nan)
_ALL_ZERO.setflags(write=False)
_NOT_THERE.setflags(write=False)


class Mode(IntEnum):
    """Whose time the twin keeps: the clock's, or one period for each command, as fast as they come."""

    REAL_TIME = 0
    LOCK_STEP = 2


@dataclass(frozen=True)
class Hello:
    """Who connects: the joints it means, in its order, and the digest of its model ("": any)."""

    joints: tuple[str, ...]
    digest: str = ""


@dataclass(frozen=True, eq=False)
class Welcome:
    """Who answers.

    Attributes:
        joints: In the order of every q.
        q: Where they are, shape (n,) [rad or m].
        period: [s]. watchdog: [s]. mode: Whose time it keeps.
        digest: Of its model.
    """

    joints: tuple[str, ...]
    q: Array
    period: float
    watchdog: float
    mode: Mode
    digest: str


class JointCommand(NamedTuple):
    """A set-point: positions, velocities, accelerations and feed-forward torques, shape (n,) each.

    With it digital outputs, bit by bit, and analogue ones, shape (MOST_ANALOG,), in their own units.
    """

    number: int
    time: float
    q: Array
    v: Array
    a: Array
    torque: Array
    outputs: int
    analog: Array = _ALL_ZERO


class Touch(NamedTuple):
    """Two bodies that touch (0 the world, k + 1 what moving joint k carries), how deep [m] and with what force [N]."""

    first: int
    second: int
    depth: float
    force: float


class JointState(NamedTuple):
    """Where the joints are, all of one instant.

    Attributes:
        number: Of the command that it answers; 0 before the first since they were enabled.
        heard: Sequence number of the last frame that was taken before it was written: what it answers, whatever that was.
        time: [s].
        enabled: The drives are on. braking: They do not follow, until they are enabled anew.
        fault: Why, in words.
        q, v, a, torque: Shape (n,), views of the frame: not to be written to.
        inputs: Digital ones, bit by bit.
        contacts: How many bodies touch; `touches` tells of the first of them.
        analog: Analogue inputs, shape (MOST_ANALOG,), in their own units; NaN where there is none.
    """

    number: int
    heard: int
    time: float
    enabled: bool
    braking: bool
    fault: str
    q: Array
    v: Array
    a: Array
    torque: Array
    inputs: int
    contacts: int
    touches: tuple[Touch, ...]
    analog: Array = _NOT_THERE


class Encoder:
    """Writes the frames of one direction of a connection, numbered from 1.

    Attributes:
        sequence: Of the last frame.
    """

    def __init__(self) -> None:
        self.sequence = 0

    def hello(self, hello: Hello, time: float) -> bytes:
        return self._frame(Kind.HELLO, time, _strings((hello.digest, *hello.joints)))

    def welcome(self, welcome: Welcome, time: float) -> bytes:
        head = _WELCOME.pack(welcome.period, welcome.watchdog, welcome.mode)
        return self._frame(Kind.WELCOME, time, head + _bytes_of(welcome.q) + _strings((welcome.digest, *welcome.joints)))

    def refused(self, why: str, time: float) -> bytes:
        return self._frame(Kind.REFUSED, time, _cut(why, 1000))

    def order(self, kind: Kind, time: float) -> bytes:
        """ENABLE, DISABLE or STOP: nothing but their kind."""
        return self._frame(kind, time, b"")

    def command(
        self, number: int, time: float, q: Array, v: Array, a: Array, torque: Array, outputs: int = 0, analog: Array = _ALL_ZERO
    ) -> bytes:
        values = _analog_bytes(analog) + _bytes_of(q) + _bytes_of(v) + _bytes_of(a) + _bytes_of(torque)
        return self._frame(Kind.COMMAND, time, _COMMAND.pack(number, outputs) + values)

    def state(self, state: JointState) -> bytes:
        fault = _cut(state.fault, _FAULT) if state.fault else b""
        touches = state.touches[:TOUCHES]
        flags = _ENABLED * state.enabled + _BRAKING * state.braking
        counted = min(state.contacts, 0xFFFF)
        head = _STATE.pack(state.number, state.heard, state.inputs, counted, len(touches), flags, len(fault))
        values = _bytes_of(state.q) + _bytes_of(state.v) + _bytes_of(state.a) + _bytes_of(state.torque)
        values = _analog_bytes(state.analog) + values
        told = b"".join([_TOUCH.pack(*touch) for touch in touches]) if touches else b""
        return self._frame(Kind.STATE, state.time, head + values + told + fault)

    def _frame(self, kind: Kind, time: float, payload: bytes) -> bytes:
        self.sequence += 1
        return write_frame(kind, self.sequence, time, payload)


def hello_of(frame: Frame) -> Hello:
    digest, *joints = _strings_of(frame, 0)
    return Hello(tuple(joints), digest)


def welcome_of(frame: Frame, n: int) -> Welcome:
    """Args:
    n: How many joints are meant.
    """
    _need(frame, len(frame.payload) >= _WELCOME.size + 8 * n)
    period, watchdog, mode = _WELCOME.unpack_from(frame.payload, 0)
    _need(frame, mode in (0, 1, 2))
    q = np.frombuffer(frame.payload, _NUMBER, n, _WELCOME.size)
    digest, *joints = _strings_of(frame, _WELCOME.size + 8 * n)
    return Welcome(tuple(joints), q, period, watchdog, Mode(mode), digest)


def refusal_of(frame: Frame) -> str:
    return frame.payload.decode(errors="replace")


def command_of(frame: Frame, n: int) -> JointCommand:
    """The command of n joints.

    Raises:
        BadFrame: It is of another number of joints.
    """
    payload = frame.payload
    before = _COMMAND.size + _ANALOG
    if len(payload) != before + 32 * n:
        raise BadFrame(f"a command of {(len(payload) - before) / 32:g} joints where there are {n}", frame.offset)
    number, outputs = _COMMAND.unpack_from(payload, 0)
    analog = np.frombuffer(payload, _NUMBER, MOST_ANALOG, _COMMAND.size)
    q, v, a, torque = np.frombuffer(payload, _NUMBER, 4 * n, before).reshape(4, n)
    return JointCommand(number, frame.time, q, v, a, torque, outputs, analog)


def state_of(frame: Frame, n: int) -> JointState:
    """The state of n joints.

    Raises:
        BadFrame: It is of another number of joints.
    """
    payload = frame.payload
    _need(frame, len(payload) >= _STATE.size)
    number, heard, inputs, contacts, told, flags, length = _STATE.unpack_from(payload, 0)
    before = _STATE.size + _ANALOG
    after = before + 32 * n
    end = after + told * _TOUCH.size
    _need(frame, len(payload) == end + length)
    analog = np.frombuffer(payload, _NUMBER, MOST_ANALOG, _STATE.size)
    q, v, a, torque = np.frombuffer(payload, _NUMBER, 4 * n, before).reshape(4, n)
    touches = tuple(Touch(*_TOUCH.unpack_from(payload, after + k * _TOUCH.size)) for k in range(told)) if told else ()
    fault = payload[end:].decode(errors="replace") if length else ""
    return JointState(
        number,
        heard,
        frame.time,
        bool(flags & _ENABLED),
        bool(flags & _BRAKING),
        fault,
        q,
        v,
        a,
        torque,
        inputs,
        contacts,
        touches,
        analog,
    )


def _bytes_of(values: Array) -> bytes:
    return np.asarray(values, dtype=_NUMBER).tobytes()


def _analog_bytes(values: Array) -> bytes:
    data = _bytes_of(values)
    if len(data) != _ANALOG:
        raise BadFrame(f"{len(data) // 8} analogue values cannot be written; a frame has {MOST_ANALOG}")
    return data


def _cut(text: str, most: int) -> bytes:
    """The text in UTF-8, and no character cut in two."""
    data = text.encode(errors="replace")
    return data if len(data) <= most else data[:most].decode(errors="ignore").encode()


def _strings(texts: tuple[str, ...]) -> bytes:
    coded = [text.encode(errors="replace") for text in texts]
    if max(len(text) for text in coded) > 1000:
        raise BadFrame("a name of more than 1000 bytes cannot be written")
    return b"".join(_LENGTH.pack(len(text)) + text for text in coded)


def _strings_of(frame: Frame, begin: int) -> list[str]:
    payload, found = frame.payload, []
    while begin < len(payload):
        _need(frame, begin + _LENGTH.size <= len(payload))
        (length,) = _LENGTH.unpack_from(payload, begin)
        begin += _LENGTH.size
        _need(frame, begin + length <= len(payload))
        found.append(payload[begin : begin + length].decode(errors="replace"))
        begin += length
    _need(frame, len(found) > 0)
    return found


def _need(frame: Frame, right: bool) -> None:
    if not right:
        raise BadFrame(f"a {frame.kind.name} of {len(frame.payload)} bytes does not hold what it should", frame.offset)
