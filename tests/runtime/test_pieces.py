"""Motions in pieces: each ends with a stop, which the next one replaces."""

from dataclasses import replace

import numpy as np
import pytest

from armillary.motion import Bounds, Plan, certify, jerk_limited_to, plan_joints
from armillary.runtime import Handover, Refused, State
from armillary.runtime.source import Track
from tests.runtime.executor_rig import AWAY, HOME, LIMITS, MODEL, Rig


def pieces(plan: Plan, cut: float, motion: int = 7) -> tuple[Handover, Handover]:
    """A motion, and the same motion slowed behind a time, as the piece that goes on there: with its own proof."""
    trajectory = plan.trajectory
    state = trajectory.at(cut)
    rest = jerk_limited_to(LIMITS, state, HOME + 0.2)
    return (
        Handover(trajectory, plan.certificate, motion=motion),
        Handover(rest, certify(rest, MODEL, bounds=Bounds(start=state)), motion=motion, at=cut),
    )


def test_a_piece_replaces_the_rest_of_a_motion_without_a_stop() -> None:
    rig = Rig().up()
    first, second = pieces(plan_joints(MODEL, HOME, AWAY), 0.5)
    rig.executor.run(first)
    rig.tick(200)
    rig.executor.run(second)
    rig.until(State.READY)
    assert rig.executor.command.q == pytest.approx(HOME + 0.2, abs=1e-9) and (rig.worst <= 1.001).all()
    speeds = [np.abs(b - a).max() for a, b in zip(rig.path[250:700], rig.path[251:701], strict=True)]
    assert min(speeds) > 0.0, "it does not stop between"


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("ramp", [False, True])
def test_pieces_under_override_keep_every_limit(rate: float, ramp: bool) -> None:
    rig = Rig().up()
    rig.executor.override(rate)
    first, second = pieces(plan_joints(MODEL, HOME, AWAY), 0.55)
    rig.executor.run(first)
    rig.tick(150)
    rig.executor.run(second)
    if ramp:
        rig.tick(20)
        rig.executor.override(0.7)
    rig.until(State.READY)
    goals = (HOME + 0.2, AWAY)  # the piece is taken, or there was no moment for it and the first one is driven
    assert min(np.abs(rig.executor.command.q - goal).max() for goal in goals) < 1e-9 and (rig.worst <= 1.002).all()


def test_pieces_that_are_refused() -> None:
    rig = Rig().up()
    first, second = pieces(plan_joints(MODEL, HOME, AWAY), 0.5)
    with pytest.raises(Refused, match=r"cannot be followed|not being moved"):
        rig.executor.run(second)
    rig.executor.run(first)
    rig.tick(100)
    with pytest.raises(Refused, match="motion 8"):
        rig.executor.run(replace(second, motion=8))
    with pytest.raises(Refused, match="would jump in"):
        rig.executor.run(replace(second, at=0.7))
    with pytest.raises(Refused, match=r"begins where the motion never is|would jump"):
        rig.executor.run(replace(second, at=99.0))
    rig.tick(500)
    with pytest.raises(Refused, match="too late"):
        rig.executor.run(second)
    rig.executor.stop()
    with pytest.raises(Refused, match="being stopped"):
        rig.executor.run(second)
    rig.until(State.READY)
    assert (rig.worst <= 1.001).all()


def test_a_motion_of_many_pieces_needs_no_more_memory() -> None:
    rig = Rig().up()
    there, back = HOME + 0.05, HOME.copy()
    plan = plan_joints(MODEL, HOME, there)
    rig.executor.run(Handover(plan.trajectory, plan.certificate, motion=1))
    at = 0.0
    for turn in range(40):
        source = rig.executor._source
        assert isinstance(source, Track)
        at = rig.executor.motion[1] + 0.06
        state = source._pace.state_at(at)
        piece = jerk_limited_to(LIMITS, state, back if turn % 2 == 0 else there)
        rig.executor.run(Handover(piece, certify(piece, MODEL, bounds=Bounds(start=state)), motion=1, at=at))
        rig.tick(80)
        assert len(source._pace.trajectory.durations) < 80
    rig.until(State.READY)
    assert (rig.worst <= 1.002).all() and rig.executor.fault is None
