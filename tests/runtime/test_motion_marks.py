"""Marks in motions that are made while they are driven: every output is set once, where its command begins."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.drivers import Command
from armillary.model import load_model
from armillary.motion import Bounds, LookAhead, ToolPath, Trajectory, limits_of, tool_pose
from armillary.motion.tool_path import ToolStates
from armillary.programs import Move, MoveLine, SourceLine
from armillary.runtime.command_planning import CommandPlanner
from armillary.runtime.handover import Handover
from armillary.runtime.motion_marks import MotionMarks, without_marks
from armillary.runtime.source import Track
from armillary.spatial import rpy_from_rotation

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
TICK = 0.002


@cache
def planner() -> CommandPlanner:
    model = load_model("cobot6")
    return CommandPlanner(model, limits_of(model), Bounds())


def lines(points: Array, tolerance: float, speed: float = 0.04) -> list[MoveLine]:
    """Lines through points, given from where the tool is at home [m]; every third sets analogue output 0 to its number."""
    T = tool_pose(planner().model, HOME, base=planner().model.reference)
    rpy = rpy_from_rotation(T[:3, :3])
    return [
        MoveLine(
            xyz=tuple((T[:3, 3] + point).tolist()), rpy=rpy, speed=speed, tolerance=tolerance, source=SourceLine("a.ngc", k + 1),
            outputs=((0, float(k + 1)), (2, k % 2 == 0)) if k % 3 == 0 else (),
        )
        for k, point in enumerate(points)
    ]  # fmt: skip


@dataclass
class Driven:
    """A motion that grows while it is driven, as planner and executor do it."""

    set_at: list[tuple[float, Array, str]]  # value of the analogue output, where the tool was, and which line was shown
    start: Array = field(default_factory=HOME.copy)
    marks: MotionMarks = field(default_factory=MotionMarks)
    track: Track | None = None
    pieces: int = 0
    fixed: float = 0.0
    end: ToolStates | None = None

    def __post_init__(self) -> None:
        self.look_ahead = LookAhead(planner().model, self.start, limits=planner().limits)

    def add(self, moves: list[Move]) -> int:
        """Go on with commands; with how many. From the next on it can only go on from a stop."""
        if self.track is not None:
            need = self.track.time + 0.05 - self.fixed
            self.fixed += self.look_ahead.pass_over(need) if need > 0.0 else 0.0
        segments = list(planner().segments(self.marks.put_on(moves), self.look_ahead.q, self.end))
        behind = self.look_ahead.add([segment for segment, _ in segments])
        segments = segments[: len(segments) - len(behind)]
        taken = sum(count for _, count in segments)
        if taken:
            self.marks.take(moves[:taken])
            last = segments[-1][0].to
            assert isinstance(last, ToolPath)
            self.end = last.at([last.length])
            self._hand_over()
        return taken

    def _hand_over(self) -> None:
        plan = self.look_ahead.all()
        assert plan, plan.certificate
        trajectory, outputs = self.marks.split(plan.trajectory, self.look_ahead.begins(), self.fixed)
        assert all(without_marks(origin) == origin for origin in trajectory.origins)
        piece = Handover(trajectory, plan.certificate, motion=1, at=self.fixed, outputs=outputs)
        if self.track is None:
            self.track = Track(piece, planner().limits, 1.0)
        else:
            assert self.track.go_on(piece) == ""
        self.marks.handed_over(outputs)
        self.pieces += 1

    def drive(self, until: float) -> None:
        """Until so much of the motion is left [s]."""
        assert self.track is not None
        model, command = planner().model, Command.of(6)
        while not self.track.at_end and self.fixed + self.look_ahead.left - self.track.time > until:
            q = self.track.advance(TICK)[0]
            command.analog[0] = np.nan
            self.track.set_outputs(command)
            if not np.isnan(command.analog[0]):
                tool = tool_pose(model, q, base=model.reference)[:3, 3]
                self.set_at.append((float(command.analog[0]), tool, self.track.origin))


def path(kind: str, count: int) -> Array:
    rng = np.random.default_rng(3)
    if kind == "corners":
        return np.cumsum(rng.uniform(-0.02, 0.02, (count, 3)), axis=0)
    if kind == "tiny":  # most of each is taken by the rounding on both sides
        return np.cumsum([[(0.004, 0.0006)[k % 2], (0.0, 0.0005)[k % 2], 0.0] for k in range(count)], axis=0)
    angle = np.linspace(0.0, 3.0, count + 1)[1:]
    return 0.02 * np.column_stack([np.sin(angle), 1.0 - np.cos(angle), 0.0 * angle])  # short lines that become a curve


@pytest.mark.parametrize(("kind", "tolerance", "near"), [("corners", 3e-4, 4e-3), ("tiny", 5e-4, 4e-3), ("curve", 5e-5, 2e-3)])
@pytest.mark.parametrize("together", [1, 5])
def test_each_is_set_once_and_in_order_where_its_line_begins(kind: str, tolerance: float, near: float, together: int) -> None:
    """However many commands come together, and however often what lies ahead is replaced."""
    given, driven = lines(path(kind, 40), tolerance), Driven([])
    moves = list[Move](given)
    done = pieces = 0
    while done < len(moves):
        batch = moves[done : done + (together if driven.track else 12)]
        taken = driven.add(batch)
        done += taken
        driven.drive(0.5 if taken else -1.0)
        if not taken:
            assert driven.track is not None
            pieces += driven.pieces
            driven = Driven(driven.set_at, driven.track.end.copy())
    driven.drive(-1.0)
    assert pieces + driven.pieces >= (3 if kind == "tiny" else 6), "what lies ahead was replaced again and again"
    assert [value for value, _, _ in driven.set_at] == [float(k + 1) for k in range(0, len(moves), 3)]
    begins = [tool_pose(planner().model, HOME, base=planner().model.reference)[:3, 3], *(np.array(move.xyz) for move in given)]
    for value, tool, line in driven.set_at:
        assert np.linalg.norm(tool - begins[int(value) - 1]) < near
        assert abs(int(line.rpartition(":")[2]) - value) <= 1, "it is the line that is shown, or the next to one that has no way"


def split(marks: MotionMarks, names: list[str], at: float) -> list[tuple[float, int]]:
    """Times and marks of the outputs in a piece whose lines each last a second."""
    piece = Trajectory(("a",), np.ones(len(names)), np.zeros((len(names), 1, 6)), origins=tuple(names))
    found, outputs = marks.split(piece, [(float(k), name) for k, name in enumerate(names)], at)
    assert found.origins == tuple(name.partition("\x1f")[0] for name in names)
    marks.handed_over(outputs)
    return [(each.time, each.mark) for each in outputs]


def marked(*numbers: int, count: int) -> tuple[MotionMarks, list[str]]:
    """Marks of some of many commands, and the names that those have."""
    marks = MotionMarks()
    moves = [
        MoveLine(xyz=(0, 0, 0), rpy=(0, 0, 0), source=SourceLine("f", k), outputs=((k, True),) if k in numbers else ())
        for k in range(1, count + 1)
    ]
    names = [str(move.source) for move in marks.put_on(list(moves))]
    marks.take(list(moves))
    return marks, names


def test_a_command_of_which_nothing_is_left_sets_its_outputs_where_the_next_begins() -> None:
    marks, names = marked(2, 3, count=4)
    assert split(marks, [names[0], names[3]], 0.5) == [(1.5, 1), (1.5, 2)]


def test_a_last_command_of_which_nothing_is_left_sets_them_before_the_motion_is_over() -> None:
    marks, names = marked(3, count=3)
    ((time, _),) = split(marks, names[:2], 0.0)
    assert 1.99 < time < 2.0


def test_what_lies_before_a_piece_is_not_said_again_and_what_lies_in_it_is() -> None:
    marks, names = marked(1, 2, 3, count=3)
    assert split(marks, names, 0.0) == [(0.0, 1), (1.0, 2), (2.0, 3)]
    assert split(marks, names[1:], 1.0) == [(1.0, 2), (2.0, 3)]
    assert split(marks, names[2:], 1.5) == [(1.5, 3)], "it would have begun later: it is moved, not lost"
    assert split(marks, names[2:], 1.75) == []


def test_a_motion_without_outputs_is_left_as_it_is() -> None:
    marks, names = marked(count=2)
    assert names == ["f:1", "f:2"] and split(marks, names, 0.0) == []


def test_a_text_for_people_shows_no_marks() -> None:
    _, names = marked(1, count=2)
    assert without_marks(f"{names[1]}: the path leaves its reach ({names[0]})") == "f:2: the path leaves its reach (f:1)"
