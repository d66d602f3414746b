"""What goes through a pipe: a kind, a few plain values, and arrays of numbers. Nothing in it is ever evaluated."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.motion import Certificate, Trajectory
from armillary.runtime.errors import BadChannel

__all__ = ["Message", "motion_message", "motion_of"]

Array = NDArray[np.float64]
_LENGTH = struct.Struct("<I")


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
        head = json.dumps([self.kind, self.number, self.sent, dict(self.values), shapes]).encode()
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


def motion_message(number: int, sent: float, trajectory: Trajectory, certificate: Certificate) -> Message:
    """A trajectory with its proof."""
    return Message(
        "run", number, sent,
        {
            "joints": list(trajectory.joints), "continuity": trajectory.continuity, "origins": list(trajectory.origins),
            "profile": trajectory.profile, "holds": certificate.holds, "segments": list(certificate.segments),
            "bound_to": certificate.bound_to,
        },
        {"durations": trajectory.durations, "coefficients": trajectory.coefficients},
    )  # fmt: skip


def motion_of(message: Message) -> tuple[Trajectory, Certificate]:
    """The trajectory and the proof that a message carries.

    Raises:
        BadChannel: Something is missing.
        BadMotion: It is no trajectory.
    """
    try:
        values, arrays = message.values, message.arrays
        trajectory = Trajectory(
            tuple(values["joints"]), arrays["durations"], arrays["coefficients"], continuity=int(values["continuity"]),
            origins=tuple(values["origins"]), profile=str(values["profile"]),
        )  # fmt: skip
        certificate = Certificate(
            holds=bool(values["holds"]), violations=(), checked=(), segments=tuple(values["segments"]),
            bound_to=str(values["bound_to"]), use={}, clearance=None,
        )  # fmt: skip
    except (KeyError, TypeError) as error:
        raise BadChannel(f"a motion without {error}") from None
    return trajectory, certificate
