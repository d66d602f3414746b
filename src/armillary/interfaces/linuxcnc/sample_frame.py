"""What passes between us and our component in LinuxCNC: samples of its joints, and what the robot does. Bytes alone."""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FrameReader", "SampleFrame", "encode_feedback"]

Array = NDArray[np.float64]
_HEAD = struct.Struct("<IIIHBx")  # how many, the first one's number, overruns, joints with a following error, user's enable
_FEEDBACK = struct.Struct("<BxH")  # ok, joints at fault
_MOST = 1 << 22  # bytes that a frame may have


@dataclass(frozen=True, eq=False)
class SampleFrame:
    """Samples that follow each other without a gap, k of them.

    Attributes:
        first: The number of the first.
        joints: Commands in LinuxCNC's degrees and mm, shape (k, n).
        enabled: Whether LinuxCNC's motion was enabled, shape (k,).
        overruns: How often LinuxCNC had no room for a sample since it began.
        following: Bit by bit, which joints have a following error.
        user_enable: Whether LinuxCNC's user is out of emergency stop.
    """

    first: int
    joints: Array
    enabled: NDArray[np.bool_]
    overruns: int
    following: int
    user_enable: bool


class FrameReader:
    """Frames out of a stream of bytes."""

    def __init__(self, n: int) -> None:
        self._n, self._bytes = n, bytearray()

    def feed(self, data: bytes) -> list[SampleFrame]:
        """Take bytes as they come; the frames that are whole by now.

        Raises:
            ValueError: These are no frames.
        """
        self._bytes += data
        found = []
        while len(self._bytes) >= 4:
            (size,) = struct.unpack_from("<I", self._bytes)
            if not _HEAD.size <= size <= _MOST:
                raise ValueError(f"a frame of {size} bytes is none")
            if len(self._bytes) < 4 + size:
                break
            found.append(self._decode(bytes(self._bytes[4 : 4 + size])))
            del self._bytes[: 4 + size]
        return found

    def _decode(self, body: bytes) -> SampleFrame:
        count, first, overruns, following, user_enable = _HEAD.unpack_from(body)
        if len(body) != _HEAD.size + 8 * count * (self._n + 1):
            raise ValueError(f"a frame of {count} samples has {len(body)} bytes")
        rows = np.frombuffer(body, dtype="<f8", offset=_HEAD.size).reshape(count, self._n + 1)
        return SampleFrame(first, rows[:, : self._n].copy(), rows[:, self._n] != 0.0, overruns, following, bool(user_enable))


def encode_feedback(position: Array, velocity: Array, torque: Array, *, ok: bool, faults: int) -> bytes:
    """What the robot does, in LinuxCNC's units, shape (n,) each.

    Args:
        ok: Whether LinuxCNC may be out of emergency stop.
        faults: Bit by bit, which joints' amplifiers are at fault.
    """
    values = np.concatenate([position, velocity, torque]).astype("<f8")
    return _FEEDBACK.pack(ok, faults) + np.nan_to_num(values).tobytes()
