"""Whether six moments of inertia can belong to a body, and the nearest ones that can.

A body's inertia I about its centre of mass is positive definite, and no principal moment exceeds the sum of
the other two. Both say the same of S = tr(I)/2 - I, the second moments of the mass: S is positive
semidefinite.
"""

import numpy as np

__all__ = ["Moments", "breaks_triangle_rule", "is_positive_definite", "nearest_sound_moments", "principal_moments"]

Moments = tuple[float, float, float, float, float, float]  # ixx, ixy, ixz, iyy, iyz, izz [kg m^2]

# Files are written with six digits or so; a flat plate, where the rule is just met, may miss it by rounding.
_ROUNDING = 1e-5


def is_positive_definite(moments: Moments) -> bool:
    """Whether all principal moments are above zero (Sylvester's criterion)."""
    a, b, c, d, e, f = moments
    return a > 0 and a * d - b * b > 0 and a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c) > 0


def breaks_triangle_rule(moments: Moments) -> bool:
    """Whether one principal moment exceeds the sum of the other two, by more than rounding."""
    a, b, c, d, e, f = moments
    trace = a + d + f
    half = 0.5 * trace * (1 + _ROUNDING)
    return not is_positive_definite((half - a, -b, -c, half - d, -e, half - f))


def principal_moments(moments: Moments) -> tuple[float, float, float]:
    """The eigenvalues of the tensor, ascending [kg m^2]."""
    low, middle, high = np.linalg.eigvalsh(_tensor(moments))
    return float(low), float(middle), float(high)


def nearest_sound_moments(moments: Moments) -> Moments:
    """The moments of a body nearest to those given.

    The second moments S are clamped to a small positive value along each principal axis, so the axes are
    kept and only what is impossible changes.
    """
    tensor = _tensor(moments)
    second = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    values, axes = np.linalg.eigh(second)
    floor = max(1e-3 * float(np.abs(values).max()), 1e-12)
    second = axes @ np.diag(np.maximum(values, floor)) @ axes.T
    sound = np.trace(second) * np.eye(3) - second
    return (
        float(sound[0, 0]), float(sound[0, 1]), float(sound[0, 2]),
        float(sound[1, 1]), float(sound[1, 2]), float(sound[2, 2]),
    )  # fmt: skip


def _tensor(moments: Moments) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    a, b, c, d, e, f = moments
    return np.array([[a, b, c], [b, d, e], [c, e, f]])
