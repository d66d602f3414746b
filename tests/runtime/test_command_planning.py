"""From commands to motions: relative moves, frames, winding paths, curves from short lines, and dry runs."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import Model, load_model
from armillary.motion import Bounds, LookAhead, NoMotion, ToolPath, limits_of, tool_pose
from armillary.programs import (
    Command,
    Dwell,
    Move,
    MoveCircle,
    MoveJoints,
    MoveLine,
    MovePose,
    MoveSpline,
    SetOutput,
    SourceLine,
)  # fmt: skip
from armillary.runtime.command_planning import CommandPlanner, going_somewhere
from armillary.runtime.dry_run import dry_run
from armillary.spatial import rotation_from_rpy, rpy_from_rotation, transform_from_xyz_rpy

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


@cache
def planner() -> CommandPlanner:
    model: Model = load_model("cobot6")
    return CommandPlanner(model, limits_of(model), Bounds())


def here(q: NDArray[np.float64] = HOME) -> NDArray[np.float64]:
    return tool_pose(planner().model, q, base=planner().model.reference)


def at(T: NDArray[np.float64]) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    x, y, z = T[:3, 3].tolist()
    return (x, y, z), rpy_from_rotation(T[:3, :3])


def end_of(command: Move, q: NDArray[np.float64] = HOME) -> NDArray[np.float64]:
    plan = planner().plan(command, q)
    assert plan, plan.certificate
    return here(plan.trajectory.end.q)


def test_a_line_relative_to_the_base_or_to_the_tool() -> None:
    T = here()
    by = MoveLine(xyz=(0.02, -0.03, 0.01), rpy=(0.0, 0.0, 0.1), relative="base")
    reached = end_of(by)
    assert reached[:3, 3] == pytest.approx(T[:3, 3] + by.xyz, abs=1e-6)
    assert reached[:3, :3] == pytest.approx(rotation_from_rpy(by.rpy) @ T[:3, :3], abs=1e-6)
    own = MoveLine(xyz=(0.02, -0.03, 0.01), rpy=(0.0, 0.0, 0.1), relative="tool")
    assert end_of(own) == pytest.approx(T @ transform_from_xyz_rpy(own.xyz, own.rpy), abs=1e-6)


def test_joints_by_so_much() -> None:
    plan = planner().plan(MoveJoints(goal=(0.1, 0, 0, 0, 0, -0.2), relative=True), HOME)
    assert plan.trajectory.end.q == pytest.approx(HOME + np.array([0.1, 0, 0, 0, 0, -0.2]))


@pytest.mark.parametrize("kind", [MoveLine, MovePose])
def test_a_pose_in_a_frame_is_that_pose_where_the_frame_is(kind: type[MoveLine | MovePose]) -> None:
    frame = (0.1, 0.2, -0.05, 0.3, -0.2, 0.5)
    goal = here() @ transform_from_xyz_rpy((0.02, 0.01, -0.02), (0.1, 0.0, 0.0))
    inside = np.linalg.inv(transform_from_xyz_rpy(frame[:3], frame[3:])) @ goal
    xyz, rpy = at(inside)
    assert end_of(kind(xyz=xyz, rpy=rpy, frame=frame)) == pytest.approx(goal, abs=1e-6)


def test_angles_that_go_evenly_begin_where_the_tool_is() -> None:
    xyz, rpy = at(here())
    plan = planner().plan(MoveLine(xyz=xyz, rpy=(rpy[0], rpy[1], rpy[2] + 0.4), rpy_from=rpy), HOME)
    middle = here(plan.trajectory.at(0.5 * plan.trajectory.duration).q)
    assert middle[:3, :3] == pytest.approx(rotation_from_rpy((rpy[0], rpy[1], rpy[2] + 0.2)), abs=1e-4)
    with pytest.raises(NoMotion, match="not turned as the line begins"):
        planner().plan(MoveLine(xyz=xyz, rpy=rpy, rpy_from=(0.0, 0.0, 0.0)), HOME)


def test_a_circle_comes_back() -> None:
    xyz, rpy = at(here())
    centre = (xyz[0] + 0.02, xyz[1], xyz[2])
    circle = MoveCircle(centre=centre, axis=(0, 0, 1), angle=2 * np.pi, xyz=xyz, rpy=rpy, speed=0.1)
    plan = planner().plan(circle, HOME)
    assert here(plan.trajectory.end.q) == pytest.approx(here(), abs=1e-6)
    assert here(plan.trajectory.at(0.5 * plan.trajectory.duration).q)[0, 3] == pytest.approx(xyz[0] + 0.04, abs=1e-4)


@pytest.mark.parametrize("profile", ["lspb", "quintic", "time_optimal", "jerk"])
@pytest.mark.parametrize("by_tool", [False, True])
def test_a_spline_by_every_law_of_time_passes_its_points(profile: str, by_tool: bool) -> None:
    q1, q2 = HOME + np.array([0.1, 0.05, 0, 0, 0, 0]), HOME + np.array([0.2, 0, 0.05, 0, 0.1, 0])
    points = tuple(tuple(q.tolist()) for q in (q1, q2))
    if by_tool:
        points = tuple((*at(here(q))[0], *at(here(q))[1]) for q in (q1, q2))
    plan = planner().plan(MoveSpline(through=points, by_tool=by_tool, duration=4.0, profile=profile), HOME)
    assert plan and plan.trajectory.duration == pytest.approx(4.0)
    passed = plan.trajectory.sample(np.linspace(0.0, 4.0, 4001))[:, 0]
    assert np.linalg.norm(passed - q1, axis=1).min() < 2e-3 and plan.trajectory.end.q == pytest.approx(q2, abs=1e-5)


def wave(count: int, step: float = 5e-4, tolerance: float = 2e-5) -> list[MoveLine]:
    (x, y, z), rpy = at(here())
    return [
        MoveLine(
            xyz=(x, y - step * k, round(z + 0.005 * np.sin(40 * step * k), 6)), rpy=rpy, speed=0.05, tolerance=tolerance,
            source=SourceLine("wave.ngc", k),
        )
        for k in range(1, count + 1)
    ]  # fmt: skip


def test_short_lines_along_a_curve_are_driven_as_the_curve() -> None:
    """In one sweep and not from corner to corner; within their tolerance; the lines still named."""
    lines = wave(200)
    segments = list(planner().segments(lines, HOME))
    assert len(segments) < 20 and sum(count for _, count in segments) == len(lines)
    plans = list(LookAhead(planner().model, HOME, limits=planner().limits).stream([segment for segment, _ in segments]))
    assert all(plans)
    lasts = sum(plan.trajectory.duration for plan in plans)
    way = sum(segment.to.length for segment, _ in segments if isinstance(segment.to, ToolPath))
    assert lasts < 1.15 * way / 0.05 + 0.5, "at nearly all of its feed"
    passed = np.concatenate([plan.trajectory.sample(np.arange(0.0, plan.trajectory.duration, 0.002))[:, 0] for plan in plans])
    places = np.array([here(q)[:3, 3] for q in passed])
    for line in lines:
        assert np.linalg.norm(places - line.xyz, axis=1).min() < 2e-5 + 0.05 * 0.002
    named = [int(origin.rpartition(":")[2]) for plan in plans for origin in plan.trajectory.origins]
    assert named == sorted(named) and max(np.diff([0, *named, len(lines)])) < 10, "where it is can be told to a few lines"


def test_a_corner_among_short_lines_stays_a_corner() -> None:
    lines: list[Move] = list(wave(20))
    (x, y, z), rpy = lines[-1].xyz, lines[-1].rpy  # type: ignore[attr-defined]
    lines += [MoveLine(xyz=(x + 5e-4 * k, y, z), rpy=rpy, speed=0.05, tolerance=2e-5) for k in range(1, 21)]
    ends = np.cumsum([count for _, count in planner().segments(lines, HOME)])
    assert 20 in ends


def test_a_dry_run_says_what_each_line_needs_and_where_it_fails() -> None:
    xyz, rpy = at(here())
    program: list[Command] = [
        MoveLine(xyz=(xyz[0], xyz[1] - 0.05, xyz[2]), rpy=rpy, speed=0.1, source=SourceLine("a.arm", 1)),
        Dwell(seconds=2.0, source=SourceLine("a.arm", 2)),
        MoveLine(xyz=xyz, rpy=rpy, speed=0.1, blend=0.01, source=SourceLine("a.arm", 3)),
        MoveLine(xyz=(xyz[0], xyz[1] - 0.05, xyz[2]), rpy=rpy, speed=0.1, source=SourceLine("a.arm", 4)),
    ]
    found = dry_run(planner(), program, HOME)
    assert found.whole and found.problem is None and (found.commands, found.moves) == (4, 3)
    assert found.lines["a.arm:2"].seconds == 2.0
    assert found.lines["a.arm:1"].seconds == pytest.approx(0.5, abs=0.3) and found.lines["a.arm:1"].use > 0.5
    assert found.seconds == pytest.approx(sum(line.seconds for line in found.lines.values()))
    far = MoveLine(xyz=(9.0, 0.0, 0.0), rpy=rpy, source=SourceLine("a.arm", 5))
    failed = dry_run(planner(), [*program, far], HOME)
    assert failed.problem is not None and str(failed.problem).startswith("a.arm:5: ") and not failed.whole
    assert failed.lines["a.arm:4"].seconds > 0.0, "what comes before it was gone through"


def test_a_dry_run_of_an_endless_loop_ends() -> None:
    def endless() -> Iterator[Command]:
        k = 0
        while True:
            k += 1
            yield MoveJoints(goal=tuple((HOME + 0.01 * (k % 2)).tolist()), source=SourceLine("loop.arm", 1))

    found = dry_run(planner(), endless(), HOME, commands=50)
    assert not found.whole and found.problem is None and found.commands == 50 and found.lines["loop.arm:1"].times == 50


def test_what_a_move_to_nowhere_was_to_set_the_next_sets_that_goes_on() -> None:
    one, two = MoveJoints(goal=(0.1,) * 6), MoveJoints(goal=(0.2,) * 6)
    kept, waiting = going_somewhere([
        replace(one, outputs=((1, True),)), replace(one, outputs=((2, True), (3, 0.5))), replace(one, outputs=((2, False),)),
        two, replace(two, outputs=((4, True),)),
    ])  # fmt: skip
    assert kept == [replace(one, outputs=((1, True),)), replace(two, outputs=((2, False), (3, 0.5)))] and waiting == ((4, True),)


def test_a_dry_run_does_not_stop_for_outputs_that_go_with_the_motion() -> None:
    T = here()
    xyz, rpy = at(T)
    there = MoveLine(xyz=(xyz[0], xyz[1] - 0.05, xyz[2]), rpy=rpy, speed=0.2, blend=0.01, source=SourceLine("a.ngc", 1))
    up = MoveLine(xyz=(xyz[0], xyz[1] - 0.05, xyz[2] + 0.05), rpy=rpy, speed=0.2, source=SourceLine("a.ngc", 3))
    plain = dry_run(planner(), [there, up], HOME)
    output = SetOutput(index=2, value=True, with_motion=True, source=SourceLine("a.ngc", 2))
    found = dry_run(planner(), [there, output, up], HOME)
    stops = dry_run(planner(), [there, replace(output, with_motion=False), up], HOME)
    assert found.problem is None and found.whole and found.seconds == plain.seconds < stops.seconds
    assert found.lines["a.ngc:2"].times == 1 and found.lines["a.ngc:2"].what == "SetOutput"
