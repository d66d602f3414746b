"""The master board: an Arduino Mega that takes servo frames on one side and passes the angles on by Modbus RTU on the other."""

from dataclasses import dataclass, field
from typing import Any

from armillary.emulators.servo_boards_nano import GOAL_STEP, SERVOS, modbus_part
from armillary.protocols.servo_frame import ORIGINAL, STAMP_UNIT, STAMPS, FrameLayout, ServoFrame, ServoFrameDecoder, is_newer

__all__ = ["FrameGate", "GateCounts", "MegaBoard"]

# Unconfirmed: the paper says of rejected frames only that there is a time stamp and a checksum.
_AHEAD = (
    1.0  # s that a time stamp may be ahead of the board's own clock: one that passed damaged must not shut out those behind it
)
_FORGET = 2.0  # s of silence after which any time stamp is the first
_REPLY = 0.05  # s for which a slave's answer is awaited


@dataclass
class GateCounts:
    """What became of frames with a right checksum.

    Attributes:
        taken, stale, ahead, out_of_range: How many were; a stale one's stamp is not newer than the last that was taken.
    """

    taken: int = 0
    stale: int = 0
    ahead: int = 0
    out_of_range: int = 0


class FrameGate:
    """Which frames are followed: newer ones alone, with every angle inside its servo's range."""

    def __init__(self, layout: FrameLayout = ORIGINAL, *, lower: float = 0.0, upper: float = 180.0) -> None:
        """Args:
        lower, upper: Range of every servo [degree].
        """
        self.counts, self._layout = GateCounts(), layout
        self._low, self._high = layout.count_of(lower), layout.count_of(upper)
        self._stamp, self._taken = 0, -float("inf")

    def reset(self) -> None:
        """Any time stamp is the first again."""
        self._taken = -float("inf")

    def takes(self, frame: ServoFrame, now: float) -> bool:
        """Whether a frame that has come at a time [s] is followed."""
        counts, passed = self.counts, now - self._taken
        if passed <= _FORGET:
            if not is_newer(frame.stamp, self._stamp):
                counts.stale += 1
                return False
            if (frame.stamp - self._stamp) % STAMPS * STAMP_UNIT > passed + _AHEAD:
                counts.ahead += 1
                return False
        if not self._low <= min(frame.positions) <= max(frame.positions) <= self._high:
            counts.out_of_range += 1
            return False
        counts.taken += 1
        self._stamp, self._taken = frame.stamp, now
        return True


@dataclass
class _Exchange:
    """One round of writing to the slaves."""

    goals: list[int] = field(default_factory=list)  # [GOAL_STEP]
    left: list[int] = field(default_factory=list)  # addresses still to be written to
    asked: int = 0  # whose answer is awaited, or 0
    since: float = 0.0


class MegaBoard:
    """Bytes of frames in, Modbus requests out, one at a time: the next goes when the one before is answered or given up.

    Attributes:
        decoder, gate: With their counts.
        answered, unanswered, refused: How often each slave did, by address.
    """

    def __init__(self, layout: FrameLayout = ORIGINAL, *, lower: float = 0.0, upper: float = 180.0) -> None:
        pdu = modbus_part("pdu")
        self.layout = layout
        self.addresses = list(range(1, -(-layout.joints // SERVOS) + 1))
        self.decoder, self.gate = ServoFrameDecoder(layout), FrameGate(layout, lower=lower, upper=upper)
        self.answered, self.unanswered, self.refused = (dict.fromkeys(self.addresses, 0) for _ in range(3))
        self._write = modbus_part("pdu.register_message").WriteMultipleRegistersRequest
        self._framer = modbus_part("framer").FramerRTU(pdu.DecodePDU(False))
        self._round, self._next, self._buffer = _Exchange(), list[int](), b""

    def reset(self) -> None:
        """Its port was opened anew: as a real one then does, it begins from nothing. The slaves do not notice."""
        counts, self.decoder = self.decoder.counts, ServoFrameDecoder(self.layout)
        self.decoder.counts = counts
        self.gate.reset()
        self._next = []

    def feed(self, data: bytes, now: float) -> list[ServoFrame]:
        """Take what came over the serial line; returns the frames that are followed. Of several, the slaves get the newest."""
        taken = [frame for frame in self.decoder.feed(data) if self.gate.takes(frame, now)]
        if taken:
            scale = self.layout.step / GOAL_STEP
            self._next = [round(position * scale) for position in taken[-1].positions]
        return taken

    def request(self, now: float) -> bytes:
        """What is to be sent on the bus now; empty for nothing."""
        here = self._round
        if here.asked:
            if now - here.since <= _REPLY:
                return b""
            self.unanswered[here.asked] += 1
            here.asked, self._buffer = 0, b""
        if not here.left and self._next:
            here.goals, here.left, self._next = self._next, list(self.addresses), []
        if not here.left:
            return b""
        here.asked, here.since = here.left.pop(0), now
        begin = (here.asked - 1) * SERVOS
        return bytes(
            self._framer.buildFrame(self._write(address=0, registers=here.goals[begin : begin + SERVOS], dev_id=here.asked))
        )

    def hear(self, data: bytes) -> None:
        """Take what came over the bus."""
        here = self._round
        self._buffer = (self._buffer + data)[-512:]
        try:
            used, answer = self._framer.handleFrame(self._buffer, here.asked, 0)
        except Exception:  # garbage that pymodbus takes for a message and then cannot read
            used, answer = len(self._buffer), None
        self._buffer = self._buffer[used:]
        if answer is not None and here.asked and answer.dev_id == here.asked:
            self._count(answer)[here.asked] += 1
            here.asked = 0

    def _count(self, answer: Any) -> dict[int, int]:
        return self.refused if answer.function_code >= 0x80 else self.answered
