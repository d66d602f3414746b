"""What an imitation does now, as a value for whoever shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.histogram import Histograms

__all__ = ["STAGES", "ImitationPhase", "ImitationState", "StageTime", "StageTimes"]

Array = NDArray[np.float64]
# The way of a frame, in the order in which it goes it: what each adds, and all of it.
STAGES = ("decoded", "solved", "written", "executor", "servo frame", "all")


class ImitationPhase(Enum):
    """What the clutch does."""

    RELEASED = "released"  # open: the robot is not moved from here
    EASING = "easing"  # closed: the robot goes from where it stood into the person's pose
    FOLLOWING = "following"  # closed: it does what the person does
    FROZEN = "frozen"  # open, and ready to go on: the robot stands
    WAITING = "waiting"  # nothing comes in: the robot stands, and goes on when something does


@dataclass(frozen=True)
class StageTime:
    """How long a stage took [s]: below `p50` in half of all, below `p99` in all but a hundredth, and `most` at most."""

    count: int
    p50: float
    p99: float
    most: float


class StageTimes:
    """Times of each of `STAGES`, counted in bins."""

    def __init__(self) -> None:
        self._of = {name: Histograms(name) for name in STAGES}

    def add(self, stage: str, seconds: float) -> None:
        times = self._of[stage]
        times.times[0] = max(seconds, 0.0)
        times.add()

    def shown(self) -> dict[str, StageTime]:
        """By stage; only those of which something is known."""
        found = {}
        for name, each in self._of.items():
            histogram = each.of(name)
            if histogram.total:
                found[name] = StageTime(histogram.total, histogram.quantile(0.5), histogram.quantile(0.99), histogram.most)
        return found


@dataclass(frozen=True, eq=False)
class ImitationState:
    """What an imitation does now.

    Attributes:
        lost: Why it let go by itself, or "". said: What it last had to say (a calibration, a frame that was none), or "".
        held_by: What holds the robot back: a joint's limit, two of its parts; "" for nothing.
        errors: How far the robot is off the person, by part [rad]; of a place [m].
        places: Where the person's bones are, shape (bones, 3) [m]; None before the first frame.
        q: The newest set-point, shape (n,); None before the first.
        frames: That came in. refused: Of these, those that were none. set_points: That went out.
        rate: Frames a second, over the last one [Hz].
        latency: By stage.
        calibrating: The share of a calibration that is done; 0 where there is none.
        recorded: Frames that are being kept.
    """

    phase: ImitationPhase = ImitationPhase.RELEASED
    lost: str = ""
    said: str = ""
    held_by: str = ""
    errors: Mapping[str, float] = field(default_factory=dict)
    places: Array | None = None
    q: Array | None = None
    frames: int = 0
    refused: int = 0
    set_points: int = 0
    rate: float = 0.0
    speed: float = 1.0
    scale: float = 1.0
    latency: Mapping[str, StageTime] = field(default_factory=dict)
    calibrating: float = 0.0
    recorded: int = 0

    @property
    def engaged(self) -> bool:
        """Whether the robot is this imitation's: it moves, or stands and would go on."""
        return self.phase is not ImitationPhase.RELEASED
