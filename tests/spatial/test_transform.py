import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from armillary.spatial import inverse, is_transform, transform_from_xyz_rpy

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
