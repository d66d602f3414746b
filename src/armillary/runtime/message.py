"""What goes through a pipe: a kind, a few plain values, and arrays of numbers. Nothing in it is ever evaluated."""

import json
import math
import struct
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.motion import Certificate, Trajectory
from armillary.motion.certificate import segment_hashes
from armillary.runtime.errors import BadChannel
from armillary.runtime.handover import Handover
from armillary.runtime.inputs_outputs import Output, TimedOutput

__all__ = ["Assembly", "Message", "handover_messages"]

Array = NDArray[np.float64]
_LENGTH = struct.Struct("<I")
_SLICE = 48  # segments in a message: 0.1 ms of the tick that takes it in


@dataclass(frozen=True, eq=False)
class Message:
    """One message.

    Attributes:
        kind: What it is about: "run", "stop", ...
        number: Counts up by one from its sender: none is taken twice.
        sent: When [s, the system's monotonic clock].
        values: Plain values by name.
        arrays: Arrays of floats by name.
    """

    kind: str
    number: int = 0
    sent: float = 0.0
    values: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)

    def encode(self) -> bytes:
        shapes = {name: list(array.shape) for name, array in self.arrays.items()}
        head = json.dumps([self.kind, self.number, self.sent, dict(self.values), shapes], default=_plain).encode()
        body = b"".join(np.ascontiguousarray(array, dtype="<f8").tobytes() for array in self.arrays.values())
        return _LENGTH.pack(len(head)) + head + body

    @classmethod
    def decode(cls, data: bytes) -> "Message":
        """Raises:
        BadChannel: It is no message.
        """
        try:
            (length,) = _LENGTH.unpack_from(data, 0)
            kind, number, sent, values, shapes = json.loads(data[4 : 4 + length])
            arrays, at = {}, 4 + length
            for name, shape in shapes.items():
                count = int(np.prod(shape))
                if count < 0 or at + 8 * count > len(data):
                    raise ValueError(f"'{name}' is longer than the message")
                arrays[name] = np.frombuffer(data, dtype="<f8", count=count, offset=at).reshape(shape).astype(float)
                at += 8 * count
            return cls(str(kind), int(number), float(sent), dict(values), arrays)
        except (struct.error, ValueError, TypeError, KeyError) as error:
            raise BadChannel(f"this is no message: {error}") from None


def _plain(value: object) -> object:
    """NumPy's own numbers as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be sent")


def handover_messages(handover: Handover, first: int, sent: float, owner: int = 0) -> list[Message]:
    """A motion as messages, numbered from `first`: so many that none holds up the tick that takes it in."""
    trajectory, certificate = handover.trajectory, handover.certificate
    count, knots = len(trajectory.durations), trajectory.knots
    messages: list[Message] = []
    outputs = deque(handover.outputs)
    for begin in range(0, count, _SLICE):
        part = slice(begin, min(begin + _SLICE, count))
        values: dict[str, Any] = {
            "begin": begin, "count": count, "joints": list(trajectory.joints), "continuity": trajectory.continuity,
            "origins": list(trajectory.origins[part]), "segments": list(certificate.segments[part]),
        }  # fmt: skip
        arrays = {"durations": trajectory.durations[part], "coefficients": trajectory.coefficients[part]}
        until = handover.at + float(knots[part.stop]) if part.stop < count else math.inf
        here: list[tuple[float, int, bool | float, int]] = []
        while outputs and outputs[0].time < until:
            each = outputs.popleft()
            here.append((each.time, each.output.index, each.output.value, each.mark))
        if here:
            values["outputs"] = here
        messages.append(Message("segments", first + len(messages), sent, values, arrays))
    values = {
        "profile": trajectory.profile, "holds": certificate.holds, "bound_to": certificate.bound_to, "use": certificate.use,
        "motion": handover.motion, "at": handover.at, "until": handover.until, "while_pressed": handover.while_pressed,
        "resumable": handover.resumable, "owner": owner, "count": count,
    }  # fmt: skip
    messages.append(Message("run", first + len(messages), sent, values))
    return messages


def _output(value: Any) -> TimedOutput:
    """An output that is set on the way; whether the motor side has it is not known here."""
    time, index, to, mark = value
    if not math.isfinite(time) or type(index) is not int or type(mark) is not int:
        raise ValueError(f"an output that can be set: {value!r}")
    return TimedOutput(float(time), Output(index, to if isinstance(to, bool) else float(to)), mark)


class Assembly:
    """Puts a motion together that comes in messages; each segment is held against its hash as it comes."""

    def __init__(self) -> None:
        self._durations, self._coefficients = np.empty(0), np.empty((0, 0, 6))
        self._joints: tuple[str, ...] = ()
        self._origins: list[str] = []
        self._outputs: list[TimedOutput] = []
        self._continuity = self._filled = 0
        self._sound = True

    def take(self, message: Message) -> None:
        """Some segments of a motion.

        Raises:
            BadChannel: Something is missing, or does not go on from what came before.
        """
        try:
            values, arrays = message.values, message.arrays
            begin, count = int(values["begin"]), int(values["count"])
            durations, coefficients = arrays["durations"], arrays["coefficients"]
            if begin == 0:
                self._joints, self._continuity = tuple(values["joints"]), int(values["continuity"])
                self._durations, self._coefficients = np.empty(count), np.empty((count, len(self._joints), 6))
                self._origins, self._outputs, self._filled, self._sound = [], [], 0, True
            if begin != self._filled or begin + len(durations) > len(self._durations):
                raise BadChannel("a part of a motion is missing; send it again from the start")
            part = slice(begin, begin + len(durations))
            self._durations[part], self._coefficients[part] = durations, coefficients
            self._origins += [str(origin) for origin in values["origins"]]
            self._outputs += [_output(value) for value in values.get("outputs", ())]
            self._filled = part.stop
            piece = Trajectory(self._joints, durations, coefficients, continuity=self._continuity)
            self._sound &= tuple(values["segments"]) == segment_hashes(piece)
        except (KeyError, TypeError, ValueError) as error:
            raise BadChannel(f"a motion without {error}") from None

    def handover(self, message: Message) -> Handover:
        """The whole motion, when its last message has come.

        Raises:
            BadChannel: Something is missing.
            BadMotion: It is no trajectory.
        """
        values = message.values
        if self._filled == 0 or self._filled != len(self._durations) or int(values.get("count", 0)) != self._filled:
            raise BadChannel("a part of a motion is missing; send it again from the start")
        try:
            trajectory = Trajectory(
                self._joints, self._durations, self._coefficients, continuity=self._continuity, profile=str(values["profile"]),
                origins=tuple(self._origins) if any(self._origins) else (),
            )  # fmt: skip
            certificate = Certificate(
                holds=bool(values["holds"]), violations=(), checked=(), segments=(), use=dict(values["use"]), clearance=None,
                bound_to=str(values["bound_to"]) if self._sound else "",
            )  # fmt: skip
            found = Handover(
                trajectory, certificate, int(values["motion"]), float(values["at"]), float(values["until"]),
                bool(values["while_pressed"]), tuple(self._outputs), bool(values["resumable"]), hashed=True,
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError) as error:
            raise BadChannel(f"a motion without {error}") from None
        self._filled = 0
        return found
