"""Segments one by one: parts that go on from each other, proven, on the asked path, and able to stop at any time."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import load_model
from armillary.motion import (
    BadMotion,
    Bounds,
    LookAhead,
    NoMotion,
    Plan,
    Segment,
    arc_through,
    certify,
    join,
    limits_of,
    line,
    plan_tool,
    polyline,
    tool_pose,
)

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
MODEL = load_model("cobot6")
START = tool_pose(MODEL, HOME)


def pose(i: int) -> Array:
    """The corners of a zigzag."""
    T = START.copy()
    T[:3, 3] += [0.12 * np.sin(0.37 * i) * (1 if i % 2 else 0.8), -0.15 + 0.15 * np.cos(0.21 * i), 0.02 * (i % 3)]
    return T if i else START


def zigzag(blend: float = 0.01, feed: float | None = 0.25) -> Iterator[Segment]:
    for i in itertools.count(1):
        yield Segment(line(pose(i - 1), pose(i)), blend=blend, feed=feed, origin=f"line {i}")


def checked(plans: list[Plan]) -> None:
    """Each part is proven and goes on where the one before ends."""
    for plan in plans:
        assert plan, str(plan.certificate)
    for one, two in itertools.pairwise(plans):
        end, start = one.trajectory.end, two.trajectory.start
        assert end.q == pytest.approx(start.q, abs=1e-9)
        assert end.v == pytest.approx(start.v, abs=1e-7)
        assert end.a == pytest.approx(start.a, abs=1e-5)
    last = plans[-1].trajectory.end
    assert np.abs(last.v).max() < 1e-9 and np.abs(last.a).max() < 1e-7


def test_it_drives_the_same_path_as_a_plan_of_the_whole_and_as_fast() -> None:
    count = 24
    plans = list(LookAhead(MODEL, HOME).stream(itertools.islice(zigzag(), count)))
    checked(plans)
    whole = join([plan.trajectory for plan in plans])
    path = polyline([pose(i) for i in range(count + 1)], blend=0.01)
    certificate = certify(whole, MODEL, bounds=Bounds(tool=path, tool_speed=0.25))
    assert certificate, str(certificate)
    assert whole.duration < 1.08 * plan_tool(MODEL, HOME, path, feed=0.25).trajectory.duration
    names = list(dict.fromkeys(whole.origins))
    assert names == [f"line {i}" for i in range(1, count + 1)]


@pytest.mark.parametrize("by", ["tool", "joints"])
def test_it_says_when_each_line_begins_also_where_it_has_gone_on(by: str) -> None:
    goals = [HOME + 0.1 * np.array([i, i % 2, 0.0, 0.0, i % 3, 0.0]) for i in range(1, 9)]
    by_joints = [Segment(goal, blend=0.05, origin=f"line {i}") for i, goal in enumerate(goals, 1)]
    segments = list(itertools.islice(zigzag(), 8)) if by == "tool" else by_joints
    ahead = LookAhead(MODEL, HOME)
    assert ahead.begins() == [] and ahead.add(segments[:5]) == []
    passed = ahead.pass_over(0.4)
    assert passed > 0.0 and ahead.add(segments[5:]) == []
    trajectory, begins = ahead.all().trajectory, ahead.begins()
    assert [time for time, _ in begins] == sorted(time for time, _ in begins)
    first = {name: time for time, name in reversed(begins)}
    for name in list(dict.fromkeys(trajectory.origins))[1:]:
        k, time = trajectory.origins.index(name), first.pop(name)
        middles = 0.5 * (trajectory.knots[k - 1 : k + 1] + trajectory.knots[k : k + 2])
        assert middles[0] - 2e-3 < time < middles[1] + 2e-3, "between those segments' middles of which the names differ"
    assert all(time == 0.0 or name == trajectory.origins[0] for name, time in first.items()), "the others lie behind"


@pytest.mark.parametrize("by", ["tool", "joints"])
def test_passing_over_always_leaves_a_motion_that_can_go_on(by: str) -> None:
    segment = next(zigzag()) if by == "tool" else Segment(HOME + 0.1, blend=0.05)
    for share in (0.9, 0.97, 0.99, 0.999, 0.9999, 1.0):
        ahead = LookAhead(MODEL, HOME)
        assert ahead.add([segment]) == []
        whole = ahead.all().trajectory.duration
        passed = ahead.pass_over(share * whole)
        assert passed == 0.0 or share * whole <= passed < whole
        assert ahead.all().trajectory.duration == pytest.approx(whole - passed)


def test_what_it_remembers_does_not_grow() -> None:
    ahead = LookAhead(MODEL, HOME)
    sizes = []
    for i, plan in enumerate(ahead.stream(itertools.islice(zigzag(), 90))):
        assert plan
        known = ahead._known
        if known is not None and i > 5:
            sizes.append((len(known.path.spans), len(known.law.grid), len(known.tool), len(known.origins)))
    assert len(sizes) > 40
    late, early = np.max(sizes[len(sizes) // 2 :], axis=0), np.max(sizes[: len(sizes) // 2], axis=0)
    assert (late <= 1.3 * early + 5).all()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_when_nothing_more_comes_it_stops_where_it_was_sent(count: int) -> None:
    plans = list(LookAhead(MODEL, HOME, horizon=0.5).stream(itertools.islice(zigzag(), count), chunk=0.1))
    checked(plans)
    assert tool_pose(MODEL, plans[-1].trajectory.end.q) == pytest.approx(pose(count), abs=1e-6)


def test_a_segment_is_asked_for_only_when_it_is_needed() -> None:
    asked = 0

    def source() -> Iterator[Segment]:
        nonlocal asked
        for segment in zigzag():
            asked += 1
            yield segment

    stream = LookAhead(MODEL, HOME).stream(source())
    next(stream)
    assert asked < 30


def test_without_a_blend_it_stands_at_every_corner() -> None:
    plans = list(LookAhead(MODEL, HOME).stream(itertools.islice(zigzag(blend=0.0), 4)))
    checked(plans)
    whole = join([plan.trajectory for plan in plans])
    for i in range(1, 5):
        times, samples = whole.every(0.002)
        near = [k for k in range(len(times)) if np.linalg.norm(tool_pose(MODEL, samples[k, 0])[:3, 3] - pose(i)[:3, 3]) < 2e-5]
        assert near and min(np.abs(samples[k, 1]).max() for k in near) < 0.02


def test_arcs_and_lines_that_meet_smoothly_need_no_blend_and_no_stop() -> None:
    a, b, c = START.copy(), START.copy(), START.copy()
    b[:3, 3] += [0.0, 0.1, 0.0]
    c[:3, 3] += [0.1, 0.1, 0.0]
    via = START[:3, 3] + [0.05, 0.15, 0.0]
    plans = list(LookAhead(MODEL, HOME).stream([Segment(line(a, b), feed=0.1), Segment(arc_through(b, via, c), feed=0.1)]))
    checked(plans)
    whole = join([plan.trajectory for plan in plans])
    _, samples = whole.every(0.01)
    moving = np.abs(samples[20:-20, 1]).max(axis=1)
    assert moving.min() > 0.01, "it has stopped on the way"


def test_joints_are_blended_with_joints_and_a_stop_is_between_joints_and_tool() -> None:
    goals = [HOME + np.array([0.3, 0, 0, 0, 0, 0]), HOME + np.array([0.3, -0.3, 0.2, 0, 0, 0.4]), HOME]
    segments = [Segment(goal, blend=0.1, origin=f"goal {i}") for i, goal in enumerate(goals)]
    plans = list(LookAhead(MODEL, HOME).stream([*segments, *itertools.islice(zigzag(), 3)]))
    checked(plans)
    stops = [plan for plan in plans if np.abs(plan.trajectory.end.v).max() < 1e-9]
    assert len(stops) == 2
    assert stops[0].trajectory.end.q == pytest.approx(HOME, abs=1e-9)
    limits = limits_of(MODEL)
    fastest = max(np.abs(plan.trajectory.extrema.values[1]).max() for plan in plans)
    assert fastest <= limits.velocity.max()


def test_feeds_of_segments_are_kept() -> None:
    segments = [Segment(line(pose(i - 1), pose(i)), blend=0.01, feed=0.2 if i < 4 else 0.05, origin=str(i)) for i in range(1, 7)]
    plans = list(LookAhead(MODEL, HOME).stream(segments))
    checked(plans)
    for plan in plans:
        trajectory = plan.trajectory
        times, samples = trajectory.every(0.01)
        p = np.array([tool_pose(MODEL, q)[:3, 3] for q in samples[:, 0]])
        speed = np.linalg.norm(np.diff(p, axis=0), axis=1) / np.diff(times)
        for k, v in enumerate(speed.tolist()):
            piece = min(int(np.searchsorted(trajectory.knots, times[k], side="right")) - 1, len(trajectory.origins) - 1)
            slow = trajectory.origins[piece] in ("5", "6")
            assert v < (0.0505 if slow else 0.202)


def test_a_segment_that_cannot_be_reached_is_told_after_a_stop_before_it() -> None:
    far = START.copy()
    far[:3, 3] += [0.0, 0.0, 3.0]
    segments = [*itertools.islice(zigzag(), 3), Segment(line(pose(3), far), origin="line 4")]
    plans: list[Plan] = []
    with pytest.raises(NoMotion, match=r"line 4.* leaves what can be reached"):
        plans.extend(LookAhead(MODEL, HOME).stream(segments))
    checked(plans)
    assert tool_pose(MODEL, plans[-1].trajectory.end.q) == pytest.approx(pose(3), abs=1e-6)


def test_a_gap_between_segments_is_refused() -> None:
    segments = [Segment(line(pose(0), pose(1)), blend=0.01), Segment(line(pose(2), pose(3)), origin="line 2")]
    with pytest.raises(BadMotion, match=r"line 2: the path begins .* mm away"):
        list(LookAhead(MODEL, HOME).stream(segments))
    with pytest.raises(BadMotion, match="horizon"):
        LookAhead(MODEL, HOME, horizon=0.0)
