"""A user's frame from points: exact from three, by least squares from more, refused on a line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.programs.calibration import BadCalibration, Undetermined, fit_frame, frame_from_points
from armillary.spatial import is_transform, transform_from_xyz_rpy

Array = NDArray[np.float64]
frames = st.builds(
    transform_from_xyz_rpy, st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.tuples(*[st.floats(-3.0, 3.0)] * 3)
)  # fmt: skip


def placed(T: Array, *points: tuple[float, float, float]) -> Array:
    return np.array(points) @ T[:3, :3].T + T[:3, 3]


@settings(max_examples=80, deadline=None)
@given(T=frames, x=st.floats(0.05, 1.0), over=st.floats(-0.5, 0.5), y=st.floats(0.1, 1.0))
def test_three_points_give_the_frame_exactly(T: Array, x: float, over: float, y: float) -> None:
    found = frame_from_points(*placed(T, (0, 0, 0), (x, 0, 0), (over, y, 0)))
    assert found.T_base_frame == pytest.approx(T, abs=1e-9) and found.residuals.most < 1e-12


def test_more_points_are_evened_out_and_their_errors_shown() -> None:
    T = transform_from_xyz_rpy((0.5, -0.2, 0.1), (0.1, -0.2, 1.0))
    rng = np.random.default_rng(3)
    plane = placed(T, *[(x, y, 0.0) for x in (-0.3, 0.0, 0.2, 0.4) for y in (0.1, 0.2, 0.4)]) + rng.normal(0, 2e-4, (12, 3))
    found = frame_from_points(placed(T, (0, 0, 0)), placed(T, (0.3, 0, 0), (0.5, 0, 0)), plane)
    assert is_transform(found.T_base_frame)
    assert found.T_base_frame[:3, 2] == pytest.approx(T[:3, 2], abs=2e-3)
    assert found.T_base_frame[:3, 3] == pytest.approx(T[:3, 3], abs=5e-4)
    assert 5e-5 < found.residuals.rms < 5e-4 and len(found.residuals.each) == 15


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (((0, 0, 0), (0.005, 0, 0), (0, 0.3, 0)), "point on x is 5.0 mm from the origin"),
        (((0, 0, 0), (0.3, 0, 0), (0, 0.002, 0)), "in the plane is 2.0 mm"),
        (((0, 0, 0), (0.3, 0, 0), (0.5, 0.01, 0)), "lie on a line"),
        (((0, 0, 0), (0.3, 0, 0), (-0.5, 0, 0)), "lie on a line"),
    ],
)
def test_points_that_give_no_frame_are_refused(points: tuple[tuple[float, float, float], ...], said: str) -> None:
    with pytest.raises(Undetermined, match=said):
        frame_from_points(*points)


def test_what_are_no_points_are_refused() -> None:
    for wrong in ((0.0, 1.0), (float("nan"), 0.0, 0.0), "abc", ()):
        with pytest.raises(BadCalibration):
            frame_from_points((0, 0, 0), wrong, (0, 1, 0))  # type: ignore[arg-type]


DRAWING = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.3, 0.2, 0.0), (0.0, 0.2, 0.05), (0.15, 0.1, 0.1), (0.1, 0.0, 0.1)]


@settings(max_examples=60, deadline=None)
@given(T=frames)
def test_points_of_a_drawing_give_its_frame(T: Array) -> None:
    found = fit_frame(DRAWING, placed(T, *DRAWING))
    assert found.T_base_frame == pytest.approx(T, abs=1e-9) and found.outliers == ()


def test_a_wrong_point_of_a_drawing_is_named() -> None:
    T = transform_from_xyz_rpy((0.5, -0.2, 0.1), (0.1, -0.2, 1.0))
    touched = placed(T, *DRAWING)
    touched[3] += (0.01, 0.0, 0.0)
    assert fit_frame(DRAWING, touched).outliers == (3,)


def test_drawings_on_a_line_or_in_a_spot_are_refused() -> None:
    line = [(0.1 * k, 0.2 * k, 0.0) for k in range(5)]
    with pytest.raises(Undetermined, match="on a line"):
        fit_frame(line, line)
    spot = [(0.001 * x, 0.001 * y, 0.0) for x, y, _ in np.eye(3)]
    with pytest.raises(Undetermined, match="further from each other"):
        fit_frame(spot, spot)
    with pytest.raises(BadCalibration, match="as many of each"):
        fit_frame(DRAWING, DRAWING[:3])
