"""A tool's tip and turn from touches: exact without noise, honest with it, refused where it cannot be told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.programs.calibration import BadCalibration, Undetermined, calibrate_tool, tool_rotation
from armillary.spatial import axis_angle_rotation, rotation_from_rpy, transform

Array = NDArray[np.float64]


def touches(xyz: Array, point: Array, turns: list[Array], noise: float = 0.0, seed: int = 0) -> Array:
    """Poses of the arm's tip in which its tool's tip is at a point."""
    rng = np.random.default_rng(seed)
    return np.array([transform(R, point - R @ xyz + rng.normal(0.0, noise, 3)) for R in turns])


def tilted(count: int, seed: int = 0, angle: float = 0.5) -> list[Array]:
    rng = np.random.default_rng(seed)
    down = rotation_from_rpy((np.pi, 0.0, 0.3))
    found = []
    for _ in range(count):
        axis = rng.normal(size=3)
        found.append(down @ axis_angle_rotation(axis / np.linalg.norm(axis), angle))
    return found


XYZ, POINT = np.array([0.012, -0.034, 0.156]), np.array([0.4, -0.2, 0.1])
three = st.tuples(*[st.floats(-0.5, 0.5)] * 3).map(np.array)


@settings(max_examples=80, deadline=None)
@given(xyz=three, point=three, count=st.integers(4, 12), seed=st.integers(0, 1000), angle=st.floats(0.4, 1.5))
def test_exact_touches_give_the_tip_exactly(xyz: Array, point: Array, count: int, seed: int, angle: float) -> None:
    try:
        found = calibrate_tool(touches(xyz, point, tilted(count, seed, angle)))
    except Undetermined:
        assert count < 8  # a few random tilts may all go one way
        return
    assert found.xyz == pytest.approx(xyz, abs=1e-9) and found.touched == pytest.approx(point, abs=1e-9)
    assert found.residuals.most < 1e-9 and found.outliers == ()


def test_errors_of_touching_show_in_residuals_and_uncertainty() -> None:
    errors, sigmas = [], []
    for seed in range(60):
        found = calibrate_tool(touches(XYZ, POINT, tilted(8, seed), noise=2e-4, seed=seed))
        assert 5e-5 < found.residuals.rms < 6e-4 and found.residuals.most >= found.residuals.rms
        errors.append(found.xyz - XYZ)
        sigmas.append(found.uncertainty)
    # What it says of itself is true: errors are as large as stated.
    ratio = np.sqrt(np.mean(np.array(errors) ** 2)) / np.sqrt(np.mean(np.array(sigmas) ** 2))
    assert 0.7 < ratio < 1.4


def test_a_touch_that_slipped_is_named() -> None:
    poses = touches(XYZ, POINT, tilted(9), noise=5e-5)
    assert calibrate_tool(poses).outliers == ()
    poses[4, :3, 3] += (0.004, -0.002, 0.003)
    found = calibrate_tool(poses)
    assert found.outliers == (4,) and found.residuals.worst == 4
    poses[7, :3, 3] += (0.0, 0.006, 0.0)
    assert set(calibrate_tool(poses).outliers) == {4, 7}


@pytest.mark.parametrize(("axis", "name"), [(0, "x"), (1, "y"), (2, "z")])
def test_turning_about_one_axis_alone_does_not_tell_the_tip_along_it(axis: int, name: str) -> None:
    turns = [axis_angle_rotation(np.eye(3)[axis], angle) for angle in (0.0, 0.7, 1.5, 2.9, -1.0)]
    with pytest.raises(Undetermined, match=rf"nearest to its {name} axis.*tilted by 30 degrees"):
        calibrate_tool(touches(XYZ, POINT, turns))


def test_poses_that_are_alike_are_refused() -> None:
    with pytest.raises(Undetermined, match="too much alike"):
        calibrate_tool(touches(XYZ, POINT, tilted(6, angle=0.03)))


def test_what_is_no_measurement_is_refused() -> None:
    poses = touches(XYZ, POINT, tilted(4))
    with pytest.raises(BadCalibration, match="3 poses, and 4 at least"):
        calibrate_tool(poses[:3])
    poses[2, 0, 0] = float("nan")
    with pytest.raises(BadCalibration, match="pose 3 is no rigid transform"):
        calibrate_tool(poses)
    with pytest.raises(BadCalibration):
        calibrate_tool(np.array("what"))


@settings(max_examples=50, deadline=None)
@given(rpy=st.tuples(*[st.floats(-3.0, 3.0)] * 3), tip=st.tuples(*[st.floats(-3.0, 3.0)] * 3), along=st.floats(0.01, 0.2),
       across=st.floats(0.01, 0.2), back=st.floats(-0.1, 0.1))  # fmt: skip
def test_two_more_points_give_the_turn(
    rpy: tuple[float, float, float], tip: tuple[float, float, float], along: float, across: float, back: float
) -> None:
    R_tip_tool, R_base_tip = rotation_from_rpy(rpy), rotation_from_rpy(tip)
    tool = R_base_tip @ R_tip_tool
    places = [POINT, POINT + along * tool[:, 2], POINT + across * tool[:, 0] + back * tool[:, 2]]
    poses = np.array([transform(R_base_tip, place - R_base_tip @ XYZ) for place in places])
    assert tool_rotation(poses, XYZ) == pytest.approx(R_tip_tool, abs=1e-8)


def test_points_that_give_no_turn_are_refused() -> None:
    ways = {"along z is 1.0 mm": ((0, 0, 0.001), (0.1, 0, 0)), "same direction": ((0, 0, 0.1), (0.0, 0.001, 0.2))}
    for said, (z, x) in ways.items():
        poses = np.array([transform(np.eye(3), POINT + np.array(way) - XYZ) for way in ((0, 0, 0), z, x)])
        with pytest.raises(Undetermined, match=said):
            tool_rotation(poses, XYZ)
