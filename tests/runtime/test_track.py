"""A motion that goes on piece by piece while it is held, resumed and slowed: nothing that was taken is left out."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.motion import LookAhead, Segment
from armillary.runtime import Handover, Refused, State
from armillary.runtime.blended_queue import BlendedQueue
from tests.runtime.executor_rig import HOME, LIMITS, MODEL, Rig

GOALS = [
    HOME + 0.25 * np.array([np.sin(1.3 * i), 0.3 * np.cos(i), 0.2 * np.sin(i), 0.3, 0.4 * np.cos(2 * i), np.sin(i)])
    for i in range(9)
]


class Program:
    """Commands that a planner hands over one by one, each as a piece of the motion that is driven."""

    def __init__(self, rig: Rig, ahead: float) -> None:
        self.rig, self.ahead, self.left = rig, ahead, list(GOALS)
        self.numbers = itertools.count(1)
        self.stream: BlendedQueue | None = None
        self.last = HOME

    def hand_over(self) -> None:
        """The next command, as the planner does it: as a piece, or behind a stop where that is refused."""
        executor, stream = self.rig.executor, self.stream
        if executor.state != State.MOVING and stream is not None and executor.moves:
            return  # it is held: the planner waits
        goal = self.left[0]
        if stream is not None and executor.motion[0] == stream.motion and executor.state == State.MOVING:
            at = stream.go_on_at(executor.motion[1], self.ahead)
            if at is not None and not stream.look_ahead.add([Segment(goal, blend=0.05)]):
                try:
                    self._give(stream, at)
                    return
                except Refused:
                    pass
        if executor.state not in (State.READY, State.MOVING):
            return
        stream = BlendedQueue(LookAhead(MODEL, self.last, limits=LIMITS))
        stream.motion = next(self.numbers)
        assert not stream.look_ahead.add([Segment(goal, blend=0.05)])
        try:
            self._give(stream, 0.0)
        except Refused as refused:
            if "begins" in str(refused):
                raise AssertionError("what was taken before is not where it was to be") from refused

    def _give(self, stream: BlendedQueue, at: float) -> None:
        plan = stream.look_ahead.all()
        assert plan, str(plan.certificate)
        self.rig.executor.run(Handover(plan.trajectory, plan.certificate, motion=stream.motion, at=at))
        self.stream, self.last = stream, plan.trajectory.end.q
        del self.left[0]


def go_on(rig: Rig) -> None:
    if rig.executor.state == State.HOLDING:
        rig.executor.resume()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data(), ahead=st.sampled_from([0.02, 0.1, 0.2, 0.4]))
def test_pieces_are_never_left_out_by_holds_and_other_speeds(data: st.DataObject, ahead: float) -> None:
    rig = Rig().up()
    program = Program(rig, ahead)
    executor = rig.executor
    for _ in range(600):
        if data.draw(st.booleans()) and program.left:
            program.hand_over()
        what = data.draw(st.sampled_from(["", "", "", "hold", "resume", "resume", "slow", "full"]))
        if what == "hold" and executor.state == State.MOVING:
            executor.hold()
        elif what == "resume" and executor.state == State.HOLDING:
            executor.resume()
        elif what in ("slow", "full") and executor.state in (State.MOVING, State.READY):
            executor.override(0.3 if what == "slow" else 1.0)
        rig.tick(data.draw(st.integers(1, 60)))
        if executor.fault is not None or not program.left:
            break
    assert executor.fault is None, str(executor.fault)
    go_on(rig)
    executor.override(1.0)
    rig.until(State.READY)
    assert executor.command.q == pytest.approx(program.last, abs=1e-6), "it ends where the last piece that it took ends"
    assert rig.worst.max() < 1.001, "within its limits, whatever was asked"


def test_a_hold_in_the_middle_of_going_on_keeps_the_piece() -> None:
    """Pressed, let go and pressed again: the ramp is under way when the next piece comes, and it is held before it ends."""
    kept = 0
    for wait, then in itertools.product(range(2, 200, 12), range(2, 120, 8)):
        rig = Rig().up()
        program = Program(rig, 0.1)
        program.hand_over()
        rig.tick(120)
        rig.executor.hold()
        rig.tick(400)
        rig.executor.resume()
        rig.tick(wait)
        program.hand_over()
        rig.tick(then)
        if rig.executor.state == State.MOVING:
            rig.executor.hold()
            rig.tick(500)
            go_on(rig)
        rig.until(State.READY)
        assert rig.executor.command.q == pytest.approx(program.last, abs=1e-6)
        kept += program.stream is not None
    assert kept
