"""Helices and lines that turn evenly in three angles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.motion import BadMotion
from armillary.motion.winding import helix, turning_line
from armillary.spatial import rotation_from_rpy

angle = st.floats(-7.0, 7.0)
angles = st.tuples(angle, angle, angle)
place = st.tuples(*[st.floats(-1.0, 1.0)] * 3)


@settings(max_examples=60, deadline=None)
@given(place, place, angles, angles)
def test_each_angle_goes_evenly_along_a_straight_line(start, end, rpy_from, rpy_to) -> None:  # type: ignore[no-untyped-def]
    way = np.linalg.norm(np.subtract(end, start))
    if way < 1e-3:
        return
    path = turning_line(start, end, rpy_from, rpy_to)
    assert path.length == pytest.approx(way)
    for share in np.linspace(0.0, 1.0, 37):
        T = path.at([share * path.length]).T[0]
        wanted = rotation_from_rpy(np.array(rpy_from) + share * np.subtract(rpy_to, rpy_from))
        assert np.abs(T[:3, :3] - wanted).max() < 1e-8
        assert np.abs(T[:3, 3] - (np.array(start) + share * np.subtract(end, start))).max() < 1e-12


def test_a_whole_turn_on_the_spot_is_a_whole_turn() -> None:
    path = turning_line((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 2 * np.pi))
    half = path.at([0.5 * path.length]).T[0]
    assert half[:3, :3] == pytest.approx(np.diag([-1.0, -1.0, 1.0]), abs=1e-8)
    assert path.at([path.length]).T[0] == pytest.approx(np.eye(4), abs=1e-8)


def test_where_nothing_turns_it_is_a_plain_line() -> None:
    path = turning_line((0, 0, 0), (0.1, 0, 0), (0.1, 0.2, 0.3), (0.1, 0.2, 0.3))
    assert type(path.pieces[0]).__name__ == "LinePiece"


@settings(max_examples=60, deadline=None)
@given(place, st.floats(0.01, 0.5), st.floats(-20.0, 20.0).filter(lambda a: abs(a) > 0.1), st.floats(-0.3, 0.3), angles)
def test_a_helix_keeps_its_radius_and_rises_evenly(centre, radius, turn, rise, rpy) -> None:  # type: ignore[no-untyped-def]
    middle = np.array(centre)

    def at(share: float) -> np.ndarray:
        return middle + np.array([radius * np.cos(share * turn), radius * np.sin(share * turn), share * rise])

    path = helix(at(0.0), middle, (0, 0, 2), turn, at(1.0), rpy, rpy)
    assert path.length == pytest.approx(np.hypot(radius * turn, rise))
    states = path.at(np.linspace(0.0, path.length, 101))
    for share, T in zip(np.linspace(0.0, 1.0, 101), states.T, strict=True):
        assert np.abs(T[:3, 3] - at(share)).max() < 1e-8
    assert np.linalg.norm(states.dp, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_an_arc_that_ends_elsewhere_is_refused() -> None:
    with pytest.raises(BadMotion, match="mm from where it is said to end"):
        helix((0.1, 0, 0), (0, 0, 0), (0, 0, 1), np.pi, (0.1, 0, 0), (0, 0, 0), (0, 0, 0))
    with pytest.raises(BadMotion, match="radius is zero"):
        helix((0, 0, 0), (0, 0, 0), (0, 0, 1), np.pi, (0.1, 0, 0), (0, 0, 0), (0, 0, 0))
    with pytest.raises(BadMotion, match="three finite numbers"):
        turning_line((0, 0, np.nan), (0, 0, 0), (0, 0, 0), (0, 0, 0))
