"""A motion that goes only while somebody holds it, and can be gone on with: the executor itself sees to it, in every tick."""

import numpy as np

from armillary.motion import plan_joints
from armillary.runtime import Handover, State
from tests.runtime.executor_rig import AWAY, HOME, MODEL, Rig

PRESSED, LET_GO = 0.0, 0.2  # s since the last press


def is_in(rig: Rig, state: State) -> bool:
    return rig.executor.state == state


def begun() -> Rig:
    rig = Rig().up()
    plan = plan_joints(MODEL, HOME, AWAY)
    rig.executor.run(Handover(plan.trajectory, plan.certificate, while_pressed=True, resumable=True))
    rig.tick(500, unpressed=PRESSED)
    assert rig.executor.state == State.MOVING and rig.executor.moves
    return rig


def test_let_go_it_holds_on_its_path_and_goes_on_where_it_is_held_and_resumed() -> None:
    rig = begun()
    rig.tick(3000, unpressed=LET_GO)
    assert is_in(rig, State.HOLDING) and not rig.executor.moves
    place = rig.executor.command.q.copy()
    rig.tick(500, unpressed=PRESSED)
    assert np.array_equal(rig.executor.command.q, place), "a press alone moves nothing"
    rig.executor.resume()
    rig.tick(10_000, unpressed=PRESSED)
    assert is_in(rig, State.READY) and np.abs(rig.executor.command.q - AWAY).max() < 1e-9
    assert (rig.worst <= 1.001).all(), "no limit was passed on the way"


def test_resumed_by_one_who_does_not_hold_it_it_stays_where_it_is() -> None:
    rig = begun()
    rig.tick(3000, unpressed=LET_GO)
    place = rig.executor.command.q.copy()
    for _ in range(20):
        rig.executor.resume()
        rig.tick(50, unpressed=LET_GO)
        assert is_in(rig, State.HOLDING)
    assert np.abs(rig.executor.command.q - place).max() < 1e-4


def test_let_go_before_it_has_begun_it_does_not_begin() -> None:
    rig = Rig().up()
    rig.tick(unpressed=LET_GO)
    plan = plan_joints(MODEL, HOME, AWAY)
    rig.executor.run(Handover(plan.trajectory, plan.certificate, while_pressed=True, resumable=True))
    rig.tick(2000, unpressed=LET_GO)
    assert is_in(rig, State.HOLDING) and np.array_equal(rig.executor.command.q, HOME)
    rig.executor.resume()
    rig.tick(10_000, unpressed=PRESSED)
    assert is_in(rig, State.READY) and np.abs(rig.executor.command.q - AWAY).max() < 1e-9
