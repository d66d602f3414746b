"""The servo frame of paper 1: one packet of joint angles for the servo boards of a humanoid.

29 bytes: 3 of header, 2 of time stamp, 22 positions of one byte in whole degrees, and a CRC16 over the 27 before it. It goes one
way; nothing answers. Other numbers of joints and positions of two bytes are layouts of their own beside it, each with a header of
its own: frames of another layout are never taken for damaged ones that are right by chance.

The paper prints the sizes and no more. Whatever else had to be chosen is a constant here, so that one line fits a real robot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from armillary.errors import ArmillaryError
from armillary.protocols.servo_frame_crc16 import MODBUS, Crc16

__all__ = [
    "CRC", "CRC_ORDER", "FINE_STEP", "HEADER", "ORIGINAL", "POSITION_ORDER", "STAMPS", "STAMP_ORDER", "STAMP_UNIT",
    "WHOLE_STEP", "BadServoFrame", "Counts", "FrameLayout", "ServoFrame", "ServoFrameDecoder", "is_newer", "stamp_of",
    "write_servo_frame",
]  # fmt: skip

# Unconfirmed: the paper says nothing of these.
HEADER = bytes((0xFA, 0xF5, 0xFC))  # all over 180: no servo's angle looks like it, and no two alike: it never overlaps itself
CRC: Crc16 = MODBUS  # the CRC of the bus behind the master board
CRC_ORDER: Literal["little", "big"] = "little"  # as Modbus RTU sends it
STAMP_ORDER: Literal["little", "big"] = "big"
POSITION_ORDER: Literal["little", "big"] = "big"  # of positions of two bytes: as Modbus sends registers
STAMP_UNIT = 0.001  # s

STAMPS = 65_536  # time stamps that there are: they begin anew after 65.5 s
WHOLE_STEP = 1.0  # degree: of positions of one byte
FINE_STEP = 0.01  # degree: of positions of two
_STAMP_SIZE = _CRC_SIZE = 2


class BadServoFrame(ArmillaryError):
    """A frame that cannot be written, or a layout that cannot be."""


@dataclass(frozen=True)
class FrameLayout:
    """How a frame is put together.

    Attributes:
        joints: How many positions it has.
        position_size: Bytes of each, 1 or 2.
        step: What one count of a position is [degree]; the usual one for its size where 0.
        header: What it begins with. Where empty it is `HEADER` for the original, and otherwise ends with the number of joints,
            and 128 more for positions of two bytes.
        size: Of a whole frame [bytes].
    """

    joints: int = 22
    position_size: int = 1
    step: float = 0.0
    header: bytes = b""
    size: int = field(init=False)

    def __post_init__(self) -> None:
        if self.position_size not in (1, 2):
            raise BadServoFrame(f"positions of {self.position_size} bytes; they have 1 or 2")
        if not 1 <= self.joints <= 120:
            raise BadServoFrame(f"a frame of {self.joints} joints; it has 1 to 120")
        object.__setattr__(self, "step", self.step or (WHOLE_STEP if self.position_size == 1 else FINE_STEP))
        original = self.position_size == 1 and self.joints == 22
        last = self.joints | (0x80 if self.position_size == 2 else 0)
        object.__setattr__(self, "header", self.header or (HEADER if original else HEADER[:2] + bytes((last,))))
        object.__setattr__(self, "size", len(self.header) + _STAMP_SIZE + self.joints * self.position_size + _CRC_SIZE)

    @property
    def most(self) -> int:
        """The greatest count of a position."""
        return 256**self.position_size - 1

    def count_of(self, angle_deg: float) -> int:
        """The nearest count to an angle.

        Raises:
            BadServoFrame: No position of this layout holds it.
        """
        count = angle_deg / self.step
        if not -0.5 <= count < self.most + 0.5:  # NaN neither
            raise BadServoFrame(f"an angle of {angle_deg:g} degrees; this frame holds 0 to {self.most * self.step:g}")
        return max(round(count), 0)


ORIGINAL = FrameLayout()  # paper 1's, 29 bytes


class ServoFrame(NamedTuple):
    """A frame that was read.

    Attributes:
        stamp: When it was sent, 0 to 65535 [STAMP_UNIT].
        positions: Counts of the layout's step, one for each joint.
        offset: Where it begins in the stream [bytes].
    """

    stamp: int
    positions: tuple[int, ...]
    offset: int = 0


def stamp_of(time: float) -> int:
    """The time stamp of a time [s]."""
    return int(time / STAMP_UNIT) % STAMPS


def is_newer(stamp: int, than: int) -> bool:
    """Whether a time stamp is after another, where the two are less than half their range apart (32.8 s)."""
    return 0 < (stamp - than) % STAMPS < STAMPS // 2


def write_servo_frame(stamp: int, positions: Sequence[int], layout: FrameLayout = ORIGINAL) -> bytes:
    """The bytes of a frame.

    Args:
        stamp: 0 to 65535.
        positions: Counts of the layout's step, one for each joint.

    Raises:
        BadServoFrame: There are more or fewer positions than joints, or one does not fit.
    """
    if len(positions) != layout.joints:
        raise BadServoFrame(f"{len(positions)} positions for a frame of {layout.joints}")
    if not 0 <= stamp < STAMPS:
        raise BadServoFrame(f"time stamp {stamp} is outside 0 to {STAMPS - 1}")
    try:
        if layout.position_size == 1:
            body = bytes(positions)
        else:
            body = b"".join(position.to_bytes(2, POSITION_ORDER) for position in positions)
    except (ValueError, OverflowError):
        raise BadServoFrame(f"a position of {list(positions)} is outside 0 to {layout.most}") from None
    body = layout.header + stamp.to_bytes(_STAMP_SIZE, STAMP_ORDER) + body
    return body + CRC(body).to_bytes(_CRC_SIZE, CRC_ORDER)


@dataclass
class Counts:
    """What a decoder has come across.

    Attributes:
        frames: With a right checksum.
        bad_sums: What began like a frame and was long enough, with a wrong checksum.
        skipped: Bytes that belong to no frame that was taken.
    """

    frames: int = 0
    bad_sums: int = 0
    skipped: int = 0


class ServoFrameDecoder:
    """Reads frames from bytes that come in pieces of any size.

    Where a checksum is wrong it goes on one byte behind the begin of that header: whatever is damaged, lost or put in between, a
    frame that comes whole is found, as soon as its last byte is there. The one exception is what sixteen bits of checksum let
    through: damaged bytes that are right by chance and reach into the next frame.
    """

    def __init__(self, layout: FrameLayout = ORIGINAL) -> None:
        self.layout, self.counts = layout, Counts()
        self._buffer = bytearray()
        self._offset = 0  # of the buffer's begin in the stream

    def feed(self, data: bytes) -> list[ServoFrame]:
        """The frames that are whole with these bytes."""
        buffer, layout, counts = self._buffer, self.layout, self.counts
        buffer += data
        header, size, most = layout.header, layout.size, len(buffer)
        frames: list[ServoFrame] = []
        taken, at = 0, buffer.find(header)  # taken: all before it was skipped or is in a frame
        while at >= 0 and at + size <= most:
            end = at + size
            if CRC(buffer[at : end - _CRC_SIZE]) == int.from_bytes(buffer[end - _CRC_SIZE : end], CRC_ORDER):
                counts.frames += 1
                counts.skipped += at - taken
                frames.append(self._read(bytes(buffer[at:end]), self._offset + at))
                taken = end
                at = buffer.find(header, end)
            else:
                counts.bad_sums += 1
                at = buffer.find(header, at + 1)
        keep = at if at >= 0 else max(taken, most - len(header) + 1)  # a header may have come in part
        counts.skipped += keep - taken
        del buffer[:keep]
        self._offset += keep
        return frames

    def _read(self, data: bytes, offset: int) -> ServoFrame:
        begin = len(self.layout.header)
        stamp, body = data[begin : begin + _STAMP_SIZE], data[begin + _STAMP_SIZE : -_CRC_SIZE]
        if self.layout.position_size == 1:
            positions = tuple(body)
        else:
            positions = tuple(int.from_bytes(body[k : k + 2], POSITION_ORDER) for k in range(0, len(body), 2))
        return ServoFrame(int.from_bytes(stamp, STAMP_ORDER), positions, offset)
