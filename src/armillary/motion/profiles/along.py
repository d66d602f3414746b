"""A path driven by a simple law of its own: parabolic blends or one quintic, from its start to its end."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.motion.joint_path import JointPath
from armillary.motion.trajectory import Trajectory, hermite_coefficients

__all__ = ["drive_along", "fastest_way"]

Array = NDArray[np.float64]
Law = Callable[[Array], tuple[Array, Array, Array]]  # of times [s]: the way along a path, and its first two derivatives
_CLOSE = 1e-6  # rad or m: how near quintics between knots keep to the path
_FINEST = 1e-4  # of the whole time: shorter segments are not made


def drive_along(path: JointPath, profile: str, duration: float) -> Trajectory:
    """Along a path from rest to rest, by the law "lspb" or "quintic", in a time [s].

    The first has constant acceleration, speed and deceleration, a third of the time each; acceleration steps where they meet, and
    that is declared. With the second the way along the path is one polynomial of degree five.
    """
    parts = [_driven(path, law, T) for T, law in _laws(profile, path.length, duration)]
    durations, c = (np.concatenate(values) for values in zip(*parts, strict=True))
    return Trajectory(path.joints, durations, c, continuity=1 if len(parts) > 1 else 2, profile=profile)


def fastest_way(path: JointPath, profile: str, duration: float) -> float:
    """The largest speed of the tool along a path that says how far the tool moves (`JointPath.speed`) [m/s]."""
    most = 0.0
    for T, law in _laws(profile, path.length, duration):
        s, ds, _ = law(np.linspace(0.0, T, 201))
        most = max(most, float((np.interp(s, path.speed[:, 0], path.speed[:, 1]) * ds).max()))
    return most


def _laws(profile: str, L: float, duration: float) -> list[tuple[float, Law]]:
    """Smooth stretches of a law over a way, each in time from its own start, and how long they last."""
    if profile == "quintic":
        return [(duration, lambda t: _bell(t, L, duration))]
    T = duration / 3.0
    top = L / (2.0 * T)
    return [
        (T, lambda t: (0.5 * top / T * t**2, top / T * t, np.full_like(t, top / T))),
        (T, lambda t: (0.5 * top * T + top * t, np.full_like(t, top), np.zeros_like(t))),
        (T, lambda t: (L - 0.5 * top / T * (T - t) ** 2, top / T * (T - t), np.full_like(t, -top / T))),
    ]


def _bell(t: Array, L: float, T: float) -> tuple[Array, Array, Array]:
    u = t / T
    return (
        L * u**3 * (10.0 - 15.0 * u + 6.0 * u**2),
        L / T * 30.0 * u**2 * (1.0 - u) ** 2,
        L / T**2 * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u),
    )


def _driven(path: JointPath, law: Law, T: float) -> tuple[Array, Array]:
    """Durations and coefficients of quintics through the path's states, as many as keep to the path between them."""
    times = np.linspace(0.0, T, max(9, 2 * len(path.spans) + 1))
    while True:
        q, v, a = _states(path, law, times)
        spans = np.diff(times)
        c = hermite_coefficients(spans, (q[:-1], v[:-1], a[:-1]), (q[1:], v[1:], a[1:]))
        middles = 0.5 * spans[:, None, None] ** np.arange(6) / 2.0 ** (np.arange(6) - 1)
        wanted = _states(path, law, times[:-1] + 0.5 * spans)[0]
        rough = (np.abs((c * middles).sum(axis=2) - wanted).max(axis=1) > _CLOSE) & (spans > _FINEST * T)
        if not rough.any():
            return spans, c
        times = np.sort(np.concatenate([times, (times[:-1] + 0.5 * spans)[rough]]))


def _states(path: JointPath, law: Law, times: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of the joints at times, (M, n) each."""
    s, ds, dds = (value[:, None] for value in law(times))
    at = path.sample(np.clip(s[:, 0], 0.0, path.length))
    return at[:, 0], at[:, 1] * ds, at[:, 1] * dds + at[:, 2] * ds**2
