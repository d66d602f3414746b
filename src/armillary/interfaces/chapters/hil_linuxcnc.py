"""Paper 5's program by the real LinuxCNC and by our own interpreter: the two histories of the joints, move by move.

Both begin at the program's first pose, in the same branch: LinuxCNC's genserkins finds its joints from those that it has, and
its way from elsewhere to the first pose would be another. Both stop exactly at each pose (G61.1). LinuxCNC moves the tool along
a straight line while its angles A, B and C change evenly; ours along the same line with one even turn: on the way they differ.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.interfaces.chapters.hil_study import POSES
from armillary.interfaces.linuxcnc import LinuxcncMaster, LinuxcncProblem, linuxcnc_program, machine_of
from armillary.interfaces.linuxcnc.robot_link import StreamCounts
from armillary.model import Model, load_model
from armillary.motion import limits_of
from armillary.runtime.recording import Recording
from armillary.runtime.states import State
from armillary.solvers import solve_ik
from armillary.spatial import transform_from_xyz_rpy

__all__ = ["JointHistory", "LinuxcncComparison", "compare_with_linuxcnc", "history_of", "paper_program"]

Array = NDArray[np.float64]
_BRANCH = (-1.60, -0.28, -1.33, 1.27, -1.46, -1.50)  # rad: of the first pose's solutions, the one beside the pedestal
_THERE = np.deg2rad(0.02)  # rad from a pose's joints at which it counts as reached
_ROUNDING = 1e-9  # rad
_POINTS = 200  # at which the ways are compared, per move
_PATIENCE = 0.5  # s that a tick may be late: nothing but a simulation waits for it
_TOOL_SPEED = 0.25  # m/s


@dataclass(frozen=True, eq=False)
class JointHistory:
    """Joints over time, and where each pose of the program was reached.

    Attributes:
        time: Shape (k,) [s], from the first pose on. q: Shape (k, n) [rad].
        reached: Rows in which the poses were reached, the first pose first.
    """

    time: Array
    q: Array
    reached: tuple[int, ...]

    @property
    def at_poses(self) -> Array:
        """Joints at the poses, shape (m, n) [rad]."""
        return np.asarray(self.q[list(self.reached)])

    @property
    def durations(self) -> Array:
        """Of the moves, shape (m - 1,) [s]."""
        return np.diff(self.time[list(self.reached)])

    def ways(self) -> list[Array]:
        """Each move's joints at equal shares of its way in joint space, shape (points, n) [rad]."""
        found = []
        for begin, end in zip(self.reached, self.reached[1:], strict=False):
            q = self.q[begin : end + 1]
            way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
            shares = np.linspace(0.0, way[-1], _POINTS)
            found.append(np.stack([np.interp(shares, way, q[:, j]) for j in range(q.shape[1])], axis=1))
        return found


@dataclass(frozen=True, eq=False)
class LinuxcncComparison:
    """LinuxCNC's commands, ours, and what the twin did under LinuxCNC's.

    Attributes:
        linuxcnc, ours: Commanded joints. counts: How complete LinuxCNC's stream was.
        at_poses: Largest difference of each joint where both stand, shape (n,) [rad].
        on_the_way: Likewise at equal shares of the ways between.
        missed: How far the twin was at most from LinuxCNC's command where it ended, shape (n,) [rad].
    """

    joints: tuple[str, ...]
    linuxcnc: JointHistory
    ours: JointHistory
    counts: StreamCounts
    version: str
    missed: Array

    @property
    def at_poses(self) -> Array:
        return np.abs(self.linuxcnc.at_poses - self.ours.at_poses).max(axis=0)

    @property
    def on_the_way(self) -> Array:
        pairs = zip(self.linuxcnc.ways(), self.ours.ways(), strict=True)
        return np.max([np.abs(a - b).max(axis=0) for a, b in pairs], axis=0)


def paper_program(rounds: int = 1) -> str:
    """The paper's loop of eight moves, each to an exact stop."""
    moves = "\n".join("  G0 " + " ".join(f"{w}{v}" for w, v in zip("XYZABC", pose, strict=True)) for pose in POSES)
    return f"G21 G90 G61.1\n#1 = 0\no101 while [#1 LT {rounds}]\n{moves}\n  #1 = [#1 + 1]\no101 endwhile\nM2\n"


def compare_with_linuxcnc(*, rounds: int = 1, progress: Callable[[str], None] | None = None) -> LinuxcncComparison:
    """Run the program by both.

    Raises:
        LinuxcncProblem: LinuxCNC is not there, or does not run it.
    """
    say = progress or _quiet
    linuxcnc_program()
    model = load_model("cobot6")
    goals = _goals(model, rounds)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "paper5.ngc"
        program.write_text(paper_program(rounds))
        say("the program by our own interpreter")
        ours = _ours(program, goals, Path(folder) / "ours")
        say("the program by LinuxCNC")
        return _theirs(program, goals, ours, say)


def _quiet(text: str) -> None:
    """Nobody is told."""


def _ours(program: Path, goals: Array, folder: Path) -> JointHistory:
    with Cell.open("cobot6", pace="lock_step", start=goals[0], recordings=str(folder)) as cell:
        cell.run(program)
    (file,) = folder.glob("*.mcap")
    recording = Recording.open(file)
    moving = np.isin(recording.state, (int(State.MOVING), int(State.READY)))
    return history_of(recording.time[moving], recording.q[moving], goals, "our interpreter")


def _theirs(program: Path, goals: Array, ours: JointHistory, say: Callable[[str], None]) -> LinuxcncComparison:
    with Cell.open("cobot6", low_power=True, record=False, start=goals[0], patience=_PATIENCE) as cell:
        machine = machine_of(cell.model, limits_of(cell.model), tool_speed=_TOOL_SPEED, patience=_PATIENCE)
        with LinuxcncMaster(cell, machine, history=True) as master:
            master.on()
            master.run(program, watch=lambda master: say(f"LinuxCNC: line {master.display.state.get('line', 0)}"))
            time, q = master.robot.commands()
            missed = np.abs(cell.state.measured - q[-1])
            counts, version = master.robot.counts, master.display.version
    return LinuxcncComparison(cell.model.joints, history_of(time, q, goals, "LinuxCNC"), ours, counts, version, missed)


def _goals(model: Model, rounds: int) -> Array:
    """The joints of the poses, each from the one before, shape (m, n)."""
    found, q = [], np.array(_BRANCH)
    for x, y, z, a, b, c in POSES * rounds:
        T = transform_from_xyz_rpy((x / 1e3, y / 1e3, z / 1e3), np.deg2rad((a, b, c)))
        answer = solve_ik(model, T, seed=q, base=model.reference, method="numeric")
        if not answer.reached:
            raise LinuxcncProblem(f"the pose {(x, y, z, a, b, c)} cannot be reached: {answer.hindrance}")
        q = answer.q
        found.append(q)
    return np.array(found)


def history_of(time: Array, q: Array, goals: Array, who: str) -> JointHistory:
    """A history with the rows in which poses were reached, one after the other.

    Args:
        goals: Joints at the poses, shape (m, n) [rad].
        who: Moved so, for the error.

    Raises:
        LinuxcncProblem: One of the poses was never reached.
    """
    reached, row = [], 0
    for number, goal in enumerate(goals):
        distance = np.abs(q[row:] - goal).max(axis=1)
        near = np.flatnonzero(distance < _THERE)
        if not len(near):
            raise LinuxcncProblem(
                f"{who} never comes to pose {number + 1}: {np.rad2deg(distance.min()):.3g} degrees are the nearest"
            )
        gaps = np.flatnonzero(np.diff(near) > 1)
        last = near[gaps[0]] if len(gaps) else near[-1]  # it stands there, and goes on
        visit = np.arange(near[0], last + 1)
        nearest = np.flatnonzero(distance[visit] <= distance[visit].min() + _ROUNDING)
        row += int(visit[nearest[-1 if number == 0 else 0]])  # the first move begins when it is left
        reached.append(row)
    return JointHistory(time - time[reached[0]], q, tuple(reached))
