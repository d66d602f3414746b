"""An imitation that was recorded, both sides of it: what the person did, what the robot did, and the program that it makes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.imitation import Capture, ImitationError, Skeleton, write_bvh
from armillary.programs.teach import RecordedPath
from armillary.whole_file import write_whole

__all__ = ["ImitationRecorder", "RecordedImitation", "program_text"]

Array = NDArray[np.float64]
_MOST_FILLED = 250  # frames that one gap is filled with: behind a longer one the motion goes on as if there was none
_APART = 0.02  # s between the rows of a program at least: less says nothing more of a person's motion
_LONGEST = 3600.0 * 4  # s; nothing more is kept then


@dataclass(frozen=True, eq=False)
class RecordedImitation:
    """Both sides, frame by frame.

    Attributes:
        period: Between two frames, as they are sent [s].
        times: When each came in, ascending, shape (frames,) [s].
        values: The person's channels, shape (frames, channels).
        joints: The robot's. q: Where they were commanded to be then, shape (frames, n).
    """

    skeleton: Skeleton
    period: float
    times: Array
    values: Array
    joints: tuple[str, ...]
    q: Array

    def __len__(self) -> int:
        return len(self.times)

    @property
    def capture(self) -> Capture:
        """The person's side, evenly in time: a frame that was lost is as the one before."""
        counts = np.ones(len(self), dtype=int)
        counts[:-1] = np.clip(np.round(np.diff(self.times) / self.period), 1, _MOST_FILLED)
        return Capture(self.skeleton, np.repeat(self.values, counts, axis=0), self.period, "a recorded imitation")

    @property
    def path(self) -> RecordedPath:
        """The robot's side, to be kept and played as any path that was taught.

        Raises:
            TeachError: There are no two frames.
        """
        return RecordedPath(self.joints, self.times, self.q)

    def write_person(self, file: Path) -> None:
        """The person's side as BVH."""
        write_bvh(file, self.capture)

    def write_program(self, file: Path, robot: str, said: str = "") -> None:
        """The robot's side as a program in Python; see `program_text`."""
        write_whole(file, program_text(self.path, robot, said))


class ImitationRecorder:
    """Takes frames while an imitation runs. Not for several threads."""

    def __init__(self, skeleton: Skeleton, period: float, joints: tuple[str, ...]) -> None:
        self.skeleton, self.period, self.joints = skeleton, period, joints
        self._times: list[float] = []
        self._values: list[Array] = []
        self._q: list[Array] = []

    def __len__(self) -> int:
        return len(self._times)

    def add(self, time: float, values: Array, q: Array) -> None:
        """A frame that came in at a time [s], and where the robot was commanded to be."""
        if self._times and not self._times[-1] < time < self._times[0] + _LONGEST:
            return
        self._times.append(time)
        self._values.append(np.array(values, dtype=float))
        self._q.append(np.array(q, dtype=float))

    def finish(self) -> RecordedImitation:
        """Raises:
        ImitationError: Not even two frames came.
        """
        if len(self) < 2:
            raise ImitationError(f"{len(self)} frames were recorded, and that is no motion; engage, and let somebody move")
        times = np.array(self._times)
        return RecordedImitation(
            self.skeleton, self.period, times - times[0], np.array(self._values), self.joints, np.array(self._q)
        )


def program_text(path: RecordedPath, robot: str, said: str = "") -> str:
    """A program in Python that moves a robot along a path as it was recorded: smoothed, and proven before it moves.

    Args:
        robot: Whose it is. said: What it is, in words.
    """
    keep = [0]
    for k in range(1, len(path.times)):
        if path.times[k] - path.times[keep[-1]] >= _APART - 1e-9:
            keep.append(k)
    if keep[-1] != len(path.times) - 1:
        keep[-1 if len(keep) > 1 else len(keep) :] = [len(path.times) - 1]
    rows = "\n".join(f"    [{path.times[k]:.4f}, {', '.join(f'{value:.5f}' for value in path.q[k])}]," for k in keep)
    what = (said or "An imitation").replace("\\", "/").replace('"', "'")
    return f'''"""{what}, by {robot}, {path.duration:.1f} s. To play it: armillary run {robot} --program THIS_FILE"""

import numpy as np

from armillary.programs.teach import RecordedPath, plan_playback

JOINTS = {tuple(path.joints)!r}
ROWS = np.array([  # time [s], then the joints in their order [rad or m]
{rows}
])

# Smoothed and timed within the joints' limits, and proven; what is too fast is played more slowly.
playback = plan_playback(cell.model, RecordedPath(JOINTS, ROWS[:, 0], ROWS[:, 1:]), tolerance=0.02, tool_tolerance=0.02)
cell.move_joints(playback.trajectory.start.q, speed=0.3)
cell.run_trajectory(playback.trajectory)
'''
