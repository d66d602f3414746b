"""How steadily something is held: what is counted as late, what as cut, and what ends that."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from armillary.interfaces.http.held_pace import HeldPace

GAPS = st.lists(st.floats(0.0, 2.0), max_size=40)


def signs(pace: HeldPace, *gaps: float, jogs: bool = True, begin: float = 100.0) -> list[bool]:
    """What is said to signs so far apart [s]."""
    now, said = begin, [pace.held(begin, jogs=jogs)]
    for gap in gaps:
        now += gap
        said.append(pace.held(now, jogs=jogs))
    return said


def test_a_steady_hold_is_neither_late_nor_cut() -> None:
    pace = HeldPace()
    assert not any(signs(pace, *[0.033] * 500)) and not pace.cut


def test_a_jog_that_was_cut_stays_so_until_it_is_let_go() -> None:
    pace = HeldPace()
    signs(pace, 0.033, 0.5, 0.033, 0.033)
    assert pace.cut
    pace.let_go()
    assert not pace.cut and not any(signs(pace, 0.033, begin=200.0)) and not pace.cut


def test_a_program_is_never_cut_a_press_lets_it_go_on() -> None:
    pace = HeldPace()
    signs(pace, 1.0, 0.033, jogs=False)
    assert not pace.cut


def test_what_the_cell_itself_takes_is_not_the_browsers_lateness() -> None:
    pace = HeldPace()
    pace.held(100.0, jogs=True)
    pace.done(101.0)
    assert not pace.held(101.03, jogs=True) and not pace.cut
    pace.let_go()
    pace.done(102.0)  # let go meanwhile: nothing begins by that
    pace.held(105.0, jogs=True)
    assert not pace.cut


def test_three_interruptions_in_five_seconds_are_said_once() -> None:
    said = signs(HeldPace(), 0.2, 0.033, 0.2, 0.033, 0.2, 0.2, 0.2, 0.2, jogs=False)
    assert said == [False, False, False, False, False, True, False, False, False]


def test_three_in_a_long_time_are_not() -> None:
    assert not any(signs(HeldPace(), *([0.2] + [0.033] * 120) * 3, jogs=False))


@given(GAPS)
def test_it_is_never_said_twice_within_twenty_seconds(gaps: list[float]) -> None:
    times = [sum(gaps[:k]) for k in range(len(gaps) + 1)]
    told = [at for at, said in zip(times, signs(HeldPace(), *gaps, jogs=False), strict=True) if said]
    assert all(after - before >= 19.9 for before, after in pairwise(told))


@given(GAPS, st.floats(0.0, 100.0))
def test_what_is_let_go_begins_anew_however_long_it_took(gaps: list[float], rest: float) -> None:
    pace = HeldPace()
    signs(pace, *gaps)
    pace.let_go()
    pace.held(100.0 + sum(gaps) + rest, jogs=True)
    assert not pace.cut
