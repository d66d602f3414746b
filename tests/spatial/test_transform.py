import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.spatial import axis_angle_rotation, between, inverse, is_transform, rotation_vector, transform_from_xyz_rpy

number = st.floats(-5, 5, allow_nan=False)
three = st.tuples(number, number, number)


@given(xyz=three, rpy=three)
def test_a_transform_and_its_inverse_cancel(xyz: tuple[float, ...], rpy: tuple[float, ...]) -> None:
    T = transform_from_xyz_rpy(xyz, rpy)
    assert is_transform(T)
    assert np.abs(T @ inverse(T) - np.eye(4)).max() < 1e-13


def test_inverses_of_many_are_those_of_each() -> None:
    many = np.stack([transform_from_xyz_rpy((i, 2 * i, -i), (i, 0.1, 0.2)) for i in range(5)])
    each = np.stack([inverse(T) for T in many])
    assert np.array_equal(inverse(many), each)


def test_a_projective_row_and_nan_are_no_rigid_transforms() -> None:
    T = np.eye(4)
    T[3, 0] = 0.1
    assert not is_transform(T)
    T = np.eye(4)
    T[0, 3] = np.nan
    assert not is_transform(T)


def test_between_goes_straight_and_about_one_axis() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, two = (transform_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3)) for _ in range(2))
        assert between(one, two, 0.0) == pytest.approx(one) and between(one, two, 1.0) == pytest.approx(two, abs=1e-9)
        share = float(rng.random())
        T = between(one, two, share)
        assert is_transform(T, 1e-9)
        assert T[:3, 3] == pytest.approx((1 - share) * one[:3, 3] + share * two[:3, 3])
        whole = rotation_vector(two[:3, :3] @ one[:3, :3].T)
        assert rotation_vector(T[:3, :3] @ one[:3, :3].T) == pytest.approx(share * whole, abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 1.0, np.pi - 1e-9, np.pi])
def test_rotation_vectors_are_exact_where_it_is_hard(angle: float) -> None:
    axis = np.array([0.6, 0.0, -0.8])
    turn = rotation_vector(axis_angle_rotation(axis, angle))
    assert np.linalg.norm(turn) == pytest.approx(angle, abs=1e-15 + 1e-7 * (angle > 3))
    if 0 < angle < 3:
        assert turn / angle == pytest.approx(axis, rel=1e-3 if angle < 1e-9 else 1e-9)
