"""Recorded motions: found where they are, and made into trajectories that can be driven again, or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.motion import certify, line, plan_tool, tool_pose
from armillary.runtime.recorded_motions import NoReplay, motion_spans, motions_of, rest_to_rest
from armillary.runtime.recording import Recording
from armillary.runtime.states import State
from tests.runtime.made_recordings import HOME, cobot, planned, record, ticks_of

THERE = planned(-1.0, 0.2, 0.0, 0.3, 0.0, 0.5)
BACK = THERE.backwards()


def recording(path: Path, ticks: Any, **options: Any) -> Recording:
    return Recording.open(record(path / "made.mcap", ticks, **options))


def deviation(recorded: Recording) -> float:
    """How far the motions are from the samples they were made of, at worst."""
    worst = 0.0
    for motion, span in zip(motions_of(recorded), rest_to_rest(recorded), strict=True):
        times = [0.001 * i for i in range(span.last - span.first + 1)]
        worst = max(worst, float(np.abs(motion.sample(times)[:, 0] - recorded.q[span.ticks]).max()))
    return worst


def test_a_planned_motion_comes_back_with_its_own_knots_and_is_proven(tmp_path: Path) -> None:
    recorded = recording(tmp_path, ticks_of([THERE, BACK]))
    there, back = motions_of(recorded)
    for motion, original in ((there, THERE), (back, BACK)):
        assert motion.duration == pytest.approx(original.duration, abs=1e-5)
        assert len(motion.durations) < 3 * len(original.durations)  # not a knot at every tick
        assert np.abs(motion.extrema.values[3]).max() <= np.abs(original.extrema.values[3]).max() * 1.01
        assert certify(motion.slowed(1.01), cobot())
    assert deviation(recorded) < 1e-6
    assert np.array_equal(there.start.q, recorded.q[0]) and there.end.v == pytest.approx(np.zeros(6), abs=1e-12)


def numbered(ticks: Any, first: int, motion: int, lasts: float) -> int:
    """Say in the ticks from one on that a motion is driven, and where in it they are; the tick behind it."""
    behind = first + int(np.ceil(lasts / 0.001)) - 1
    ticks["motion"][first:behind] = motion
    ticks["motion_time"][first:behind] = 0.001 * np.arange(1, behind - first + 1)
    return behind


def test_what_was_given_again_before_it_was_driven_comes_back_exactly(tmp_path: Path) -> None:
    """Blended: it waited behind another, and more was queued behind it."""
    ticks = ticks_of([THERE])
    numbered(ticks, int(np.argmax(ticks["state"] == State.MOVING)), 5, THERE.duration)
    recorded = recording(tmp_path, ticks, pieces=[(0.0, 5, 0.0, THERE.part(0.0, 0.3)), (0.01, 5, 0.0, THERE)])
    (motion,) = motions_of(recorded)
    assert np.array_equal(motion.durations, THERE.durations) and np.array_equal(motion.coefficients, THERE.coefficients)
    assert certify(motion, cobot()), "at full speed, not a hair slower"


def test_motions_of_a_queue_without_a_tick_at_rest_between_come_back_exactly(tmp_path: Path) -> None:
    ticks = ticks_of([THERE, BACK])
    moving = np.flatnonzero(ticks["state"] == State.MOVING)
    behind = numbered(ticks, int(moving[0]), 1, THERE.duration)
    second = int(moving[moving > behind][0])
    numbered(ticks, second, 2, BACK.duration)
    recorded = recording(tmp_path, np.delete(ticks, range(behind, second)), pieces=[(0.0, 1, 0.0, THERE), (0.1, 2, 0.0, BACK)])
    (motion,) = motions_of(recorded)
    assert motion.duration == pytest.approx(THERE.duration + BACK.duration, abs=1e-12)
    assert certify(motion, cobot())


@pytest.mark.slow
def test_a_line_of_the_tool_comes_back(tmp_path: Path) -> None:
    here = tool_pose(cobot(), HOME)
    goal = here.copy()
    goal[:3, 3] += (0.0, -0.1, 0.0)
    motion = plan_tool(cobot(), HOME, line(here, goal), feed=0.2).trajectory
    recorded = recording(tmp_path, ticks_of([motion]))
    assert deviation(recorded) < 1e-5
    assert certify(motions_of(recorded)[0].slowed(1.02), cobot())


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    by=st.lists(st.floats(-0.4, 0.4), min_size=6, max_size=6).filter(lambda by: max(map(abs, by)) > 0.01),
    rate=st.floats(0.2, 1.0),
)
def test_every_motion_stays_within_its_samples_whatever_its_rate(tmp_path: Path, by: list[float], rate: float) -> None:
    (tmp_path / "made.mcap").unlink(missing_ok=True)
    recorded = recording(tmp_path, ticks_of([planned(*by)], rate=rate))
    assert len(motions_of(recorded)) == 1 and deviation(recorded) <= 1e-5


def test_late_and_lost_ticks_change_neither_path_nor_time(tmp_path: Path) -> None:
    ticks = ticks_of([THERE])
    late = ticks.copy()
    late["time"] += np.random.default_rng(0).uniform(0.0, 0.0009, len(ticks))  # the clock says so; it moved no further for it
    kept = np.ones(len(ticks), dtype=bool)
    kept[400:403] = False  # found no room in the pipe
    motion = motions_of(recording(tmp_path, late[kept]))[0]
    assert motion.duration == pytest.approx(THERE.duration, abs=1e-5)
    at = np.linspace(0.0, THERE.duration, 500)
    assert np.abs(motion.sample(at)[:, 0] - THERE.sample(at)[:, 0]).max() < 1e-5


def test_where_a_motion_comes_from_stays_with_it(tmp_path: Path) -> None:
    ticks = ticks_of([THERE])
    ticks["origin"] = b"pick.py:7"
    assert set(motions_of(recording(tmp_path, ticks))[0].origins) == {"pick.py:7"}


def test_a_queue_is_two_motions_and_a_hold_parts_one_only_for_driving(tmp_path: Path) -> None:
    ticks = ticks_of([THERE, BACK])
    moving = np.flatnonzero(ticks["state"] == State.MOVING)
    ticks["state"][moving[0] : moving[-1]] = State.MOVING  # never READY between
    between = (ticks["state"] == State.MOVING) & (ticks["v"] == 0.0).all(axis=1)
    ticks["progress"][between] = 0.0
    assert len(motion_spans(recording(tmp_path, ticks))) == 2
    (tmp_path / "made.mcap").unlink()
    ticks["progress"][between] = 1.0
    ticks["progress"][ticks["progress"] < 1.0] = 0.5  # one motion that stood in its middle
    held = recording(tmp_path, ticks)
    assert len(motion_spans(held)) == 1 and len(rest_to_rest(held)) == len(motions_of(held)) == 2


def uncertified(ticks: Any) -> Any:
    ticks["certified"][500] = 0
    return ticks


def broken_off(ticks: Any) -> Any:
    ticks["v"][700:], ticks["a"][700:], ticks["q"][700:] = 0.0, 0.0, ticks["q"][700]
    return ticks


def no_numbers(ticks: Any) -> Any:
    ticks["q"][600, 2] = np.nan
    return ticks


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (uncertified, "was uncertified"),
        (broken_off, r"broken off at speed \(pressed\)"),
        (no_numbers, "no numbers"),
        (lambda ticks: ticks[:700], "ends in the middle"),
        (lambda ticks: ticks[400:], "begins in the middle"),
    ],
)
def test_what_cannot_be_driven_again_is_refused_in_words(tmp_path: Path, spoil: Callable[[Any], Any], said: str) -> None:
    recorded = recording(tmp_path, spoil(ticks_of([THERE])), events=[(0.7, "FAULT", "FAULTED", "pressed")])
    with pytest.raises(NoReplay, match=said):
        motions_of(recorded)
    assert NoReplay.answer_is_no


def test_a_robot_that_stood_has_no_motion(tmp_path: Path) -> None:
    recorded = recording(tmp_path, ticks_of([THERE])[:150])
    assert not motion_spans(recorded) and not rest_to_rest(recorded) and not motions_of(recorded)
