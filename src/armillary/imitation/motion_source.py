"""Where a person's motion comes from, frame by frame: a suit, a file that is played, a program."""

from dataclasses import dataclass
from typing import Protocol

from armillary.imitation.motion_frame import MotionFrame
from armillary.imitation.skeleton import Skeleton

__all__ = ["MotionSource", "MotionStatistics"]


@dataclass(frozen=True)
class MotionStatistics:
    """What a source has seen since it was opened.

    Attributes:
        frames: That came whole and in order.
        lost: That never came, by the sender's counting. doubled: That came again. late: That came behind a newer one.
        skipped: Whole ones that nobody asked for before a newer one came.
        damaged: That were cut off, or had a number that is none.
        resynchronised: How often bytes were skipped to find the next frame.
        senders_refused: Others than the one that is listened to: addresses and avatars.
        connected: Whether there is a sender, as far as can be known.
        rate: Frames that are sent a second [Hz], over the last seconds; 0 before it is known.
        jitter: How far arrivals stray from that rate, on average [s].
        error: What went wrong last, in words; "" when nothing did.
    """

    frames: int = 0
    lost: int = 0
    doubled: int = 0
    late: int = 0
    skipped: int = 0
    damaged: int = 0
    resynchronised: int = 0
    senders_refused: int = 0
    connected: bool = False
    rate: float = 0.0
    jitter: float = 0.0
    error: str = ""


class MotionSource(Protocol):
    """Frames of one person's motion."""

    @property
    def name(self) -> str:
        """Which source it is, for people."""
        ...

    @property
    def skeleton(self) -> Skeleton:
        """Whose channels the frames have. It stays the same."""
        ...

    @property
    def period(self) -> float:
        """Between two frames, as they are sent [s]. It stays the same."""
        ...

    @property
    def statistics(self) -> MotionStatistics: ...

    def next(self, timeout: float) -> MotionFrame | None:
        """The newest whole frame that was not yet given; waits for one if need be. None when none came in time [s]."""
        ...

    def close(self) -> None:
        """Harmless when repeated. Who waits for a frame gets None."""
        ...
