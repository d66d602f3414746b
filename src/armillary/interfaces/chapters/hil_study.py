"""Paper 5's experiment: the cobot's moves through executor, TCP and physics, and torque estimated against measured.

Joint set-points every millisecond, kinematics and dynamics every ten. The estimate is Newton and Euler's, from what a controller
has: measured positions, velocities made of them, the accelerations that it commands, and the description's friction. Which way
friction acts on a joint that hardly turns no encoder can tell: there it is the way that is commanded.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from armillary.cell import Cell
from armillary.model import SLIDES, Model, frame_pose_batch, inverse_dynamics_batch, sliding_torque
from armillary.programs import Command, MoveLine, MovePose, SourceLine
from armillary.runtime.recording import Recording
from armillary.runtime.states import State

__all__ = ["CASES", "POSES", "HilCase", "HilRun", "moves", "run_case"]

Array = NDArray[np.float64]
# The program's G0 moves: X Y Z in mm, A B C in degrees, R = Rz(C) Ry(B) Rx(A).
POSES = (
    (100, -450, -280, 10, 75, -75), (0, -450, -280, 10, 75, -75), (-100, -450, -280, 20, 75, -75),
    (-200, -450, -280, 30, 75, -75), (-100, -450, -280, 20, 75, -75), (100, -450, -280, 0, 75, -75),
    (200, -450, -180, 10, 75, -75), (200, -450, -280, 10, 75, -75),
)  # fmt: skip
SPEED = 0.25  # m/s: of a cobot beside people
EVERY = 10  # ticks between two estimates
_COUNTS = 1 << 17  # of an encoder, per turn
_WINDOW = 31  # positions that a velocity is made of, as many before it as behind


@dataclass(frozen=True)
class HilCase:
    """How the twin differs from what the estimator knows.

    Attributes:
        friction: Whether the twin has the description's damping and friction.
        mass_scale, encoder_counts: As the twin's settings.
    """

    name: str
    friction: bool = False
    mass_scale: float = 1.0
    encoder_counts: int = 0

    def settings(self, model: Model) -> dict[str, Any]:
        """For the twin."""
        found: dict[str, Any] = {"mass_scale": self.mass_scale, "encoder_counts": self.encoder_counts}
        if not self.friction:
            none = dict.fromkeys(model.joints, 0.0)
            found |= {"damping": none, "friction": none}
        return found


CASES = (
    HilCase("consistency"),
    HilCase("honest", friction=True, mass_scale=1.05, encoder_counts=_COUNTS),
    HilCase("friction alone", friction=True),
    HilCase("mass alone", mass_scale=1.05),
    HilCase("encoders alone", encoder_counts=_COUNTS),
)


@dataclass(frozen=True, eq=False)
class HilRun:
    """What was recorded and estimated, every ten milliseconds, k times.

    Attributes:
        time: Shape (k,) [s].
        q: Measured joint positions, shape (k, n) [rad].
        T: Of the tool, shape (k, 4, 4).
        measured, estimated: Torques, shape (k, n) [N m].
        error: RMS of their difference as a share of the RMS of the torque, shape (n,).
        residual: RMS of their difference, shape (n,) [N m].
        following: Worst distance from the command [rad].
    """

    case: HilCase
    joints: tuple[str, ...]
    time: Array
    q: Array
    T: Array
    measured: Array
    estimated: Array
    following: float
    error: Array = field(init=False)
    residual: Array = field(init=False)

    def __post_init__(self) -> None:
        size = np.sqrt((self.measured**2).mean(axis=0))
        residual = np.sqrt(((self.measured - self.estimated) ** 2).mean(axis=0))
        object.__setattr__(self, "residual", residual)
        object.__setattr__(self, "error", residual / np.maximum(size, 1e-12))


def moves(rounds: int = 1) -> list[Command]:
    """The program as commands: to its first pose by joints, and then along straight lines."""
    commands: list[Command] = []
    for number, (x, y, z, a, b, c) in enumerate(POSES * rounds):
        xyz, rpy = (x / 1e3, y / 1e3, z / 1e3), (float(np.deg2rad(a)), float(np.deg2rad(b)), float(np.deg2rad(c)))
        source = SourceLine("paper 5", number % len(POSES) + 1)
        if number == 0:
            commands.append(MovePose(xyz=xyz, rpy=rpy, source=source))
        else:
            commands.append(MoveLine(xyz=xyz, rpy=rpy, speed=SPEED, source=source))
    return commands


def run_case(case: HilCase, *, rounds: int = 1, progress: Callable[[str], None] | None = None) -> HilRun:
    """Run the program in the twin, in lock-step, and estimate."""
    with tempfile.TemporaryDirectory() as folder:
        with Cell.open("cobot6", pace="lock_step", recordings=folder, twin=_twin(case), progress=progress) as cell:
            if progress is not None:
                progress(f"{case.name}: the cobot moves")
            cell.run(moves(rounds))
            model = cell.model
        (file,) = Path(folder).glob("*.mcap")
        return _estimated(case, model, Recording.open(file))


def _twin(case: HilCase) -> dict[str, Any]:
    from armillary.model import load_model

    return case.settings(load_model("cobot6"))


def _estimated(case: HilCase, model: Model, recording: Recording) -> HilRun:
    # A row holds a command and what was measured before it was sent: the answer to the one before, which the one before that led
    # to: the twin answers with what is, and then does what it was told.
    k = np.flatnonzero(recording.state == int(State.MOVING))
    k = k[k > 1]
    k = k[recording.time[k] - recording.time[k - 2] < 2.5 * recording.about.period]  # all three are there
    k = k[np.isin(recording.state[k - 2], (int(State.MOVING), int(State.READY)))][::EVERY]
    velocities = _velocities(recording) if case.encoder_counts else recording.measured_v
    q, v, a = recording.measured_q[k], velocities[k], recording.a[k - 2]
    if not case.friction and not case.encoder_counts and case.mass_scale == 1.0:
        a = recording.measured_a[k]  # nothing is hidden: the law itself is tried
    estimated = inverse_dynamics_batch(model, *(np.ascontiguousarray(part) for part in (q, v, a)))
    if case.friction:
        way = np.where(np.abs(v) > SLIDES, v, recording.v[k - 2])
        estimated = estimated + sliding_torque(model, v, way)
    T = frame_pose_batch(model, np.ascontiguousarray(q), model.tip)
    following = float(np.abs(recording.q[k - 2] - q).max())
    return HilRun(case, model.joints, recording.time[k], q, T, recording.measured_torque[k], estimated, following)


def _velocities(recording: Recording) -> Array:
    """Of what encoders say, by a cubic through the positions around each, shape (rows, n) [rad/s]."""
    found, period = np.array(recording.measured_v), recording.about.period
    known = np.flatnonzero(np.isfinite(recording.measured_q).all(axis=1))
    gaps = np.flatnonzero(np.diff(recording.time[known]) > 1.5 * period) + 1
    for rows in np.split(known, gaps):  # where it stands not every tick is recorded
        if len(rows) > _WINDOW:
            found[rows] = savgol_filter(recording.measured_q[rows], _WINDOW, 3, deriv=1, delta=period, axis=0)
    return found
