"""Outputs that wait for the next move: the last of each counts, and nothing is lost on the way."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from armillary.programs import MoveJoints, SourceLine
from armillary.programs.outputs_with_motion import MotionOutputs, last_of_each, setting_before

some = st.lists(st.tuples(st.integers(0, 3), st.booleans() | st.floats(-9.0, 9.0)), max_size=6).map(tuple)
MOVE = MoveJoints(goal=(0.1, 0.2), source=SourceLine("a.ngc", 4))


def after(outputs: MotionOutputs, digital: dict[int, bool], analog: dict[int, float]) -> None:
    """Set outputs one after the other."""
    for index, value in outputs:
        if isinstance(value, bool):
            digital[index] = value
        else:
            analog[index] = value


@given(some, some)
def test_set_at_once_they_end_as_if_set_one_after_the_other(first: MotionOutputs, second: MotionOutputs) -> None:
    one: tuple[dict[int, bool], dict[int, float]] = ({}, {})
    after(first, *one)
    after(second, *one)
    other: tuple[dict[int, bool], dict[int, float]] = ({}, {})
    together = last_of_each(first, second)
    after(together, *other)
    assert one == other and len(together) == len(other[0]) + len(other[1]), "each is set once"


def test_a_digital_output_and_an_analogue_one_of_the_same_number_are_two() -> None:
    assert last_of_each(((1, True), (1, 2.5), (1, False))) == ((1, False), (1, 2.5))


def test_a_move_sets_what_was_waiting_and_its_own_holds() -> None:
    assert setting_before(MOVE, ()) is MOVE
    assert setting_before(MOVE, ((3, True),)) == replace(MOVE, outputs=((3, True),))
    own = replace(MOVE, outputs=((3, False), (4, True)))
    assert setting_before(own, ((3, True), (0, 1.5))).outputs == ((3, False), (0, 1.5), (4, True))
