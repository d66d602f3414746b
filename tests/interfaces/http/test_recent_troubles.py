"""What went wrong in the last minute: told as long as it is a minute."""

from hypothesis import given
from hypothesis import strategies as st

from armillary.interfaces.http.recent_troubles import RecentTroubles


def looked(*looks: tuple[float, int, float, float]) -> RecentTroubles:
    """After looks at: when [s], records lost in all, lateness of the newest tick, and the most so far [s]."""
    troubles = RecentTroubles()
    for now, lost, late, latest in looks:
        troubles.look(lost=lost, late=late, latest=latest, now=now)
    return troubles


def test_nothing_is_wrong_before_anything_was_looked_at() -> None:
    assert (RecentTroubles().lost, RecentTroubles().late) == (0, False)


def test_records_that_are_lost_are_told_for_a_minute() -> None:
    first, then = (0.0, 5, 0.0, 0.0), (1.0, 12, 0.0, 0.0)
    assert looked(first).lost == 0, "what was lost before anybody looked is no news"
    assert looked(first, then).lost == 7
    assert looked(first, then, (60.0, 12, 0.0, 0.0)).lost == 7
    assert looked(first, then, (62.0, 12, 0.0, 0.0)).lost == 0
    assert looked(first, then, (30.0, 13, 0.0, 0.0), (62.0, 13, 0.0, 0.0)).lost == 1


def test_a_recorder_that_was_started_again_has_not_found_records() -> None:
    assert looked((0.0, 9, 0.0, 0.0), (1.0, 0, 0.0, 0.0)).lost == 0


def test_a_late_tick_is_told_for_a_minute() -> None:
    fine, late = (0.0, 0, 1e-5, 1e-5), (1.0, 0, 0.02, 0.02)
    assert not looked(fine).late and looked(fine, late).late
    assert looked(fine, late, (60.0, 0, 1e-5, 0.02)).late
    assert not looked(fine, late, (62.0, 0, 1e-5, 0.02)).late


def test_one_between_two_looks_is_seen_where_it_was_the_latest_of_all() -> None:
    assert looked((0.0, 0, 1e-5, 1e-4), (1.0, 0, 1e-5, 0.03)).late
    assert not looked((0.0, 0, 1e-5, 0.05), (1.0, 0, 1e-5, 0.05)).late, "at the first look it may be long ago"


@given(st.lists(st.tuples(st.floats(0.0, 30.0), st.integers(0, 50)), max_size=30))
def test_no_more_are_told_than_were_lost(steps: list[tuple[float, int]]) -> None:
    troubles, now, lost = RecentTroubles(), 0.0, 0
    for gap, more in steps:
        now, lost = now + gap, lost + more
        troubles.look(lost=lost, late=0.0, latest=0.0, now=now)
        assert 0 <= troubles.lost <= lost
