"""A trajectory: joint positions over time, piecewise of degree five."""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.motion import kernels
from armillary.motion.errors import BadMotion

__all__ = ["Extrema", "State", "Trajectory", "hermite_coefficients", "join", "pieces_between", "quintic_through", "shifted"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """Where joints are and how they move: positions, velocities, accelerations, jerks, shape (n,) each."""

    q: Array
    v: Array
    a: Array
    j: Array


@dataclass(frozen=True, eq=False)
class Extrema:
    """The exact least and greatest of each joint over a trajectory.

    Attributes:
        values: Position, velocity, acceleration, jerk of each joint: shape (4, n, 2), least then greatest.
        times: When, from the trajectory's start [s]; of the same shape.
    """

    values: Array
    times: Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """q(t), one polynomial of degree five for each joint and segment.

    Never changes. Two trajectories with the same numbers have the same digest.

    Attributes:
        joints: Names of the joints, in the order of every q.
        durations: Of the segments, shape (k,) [s].
        coefficients: Shape (k, n, 6): q = c0 + c1 t + ... + c5 t^5 in time from the segment's start.
        continuity: What is promised at the knots: 1 velocity (acceleration steps), 2 acceleration (jerk steps), 3 jerk.
        origins: For each segment where it comes from (a program's line), "" where nobody said; or empty.
        profile: What made it: "quintic", "lspb", ...
    """

    joints: tuple[str, ...]
    durations: Array
    coefficients: Array
    continuity: int = 2
    origins: tuple[str, ...] = ()
    profile: str = ""
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        durations = np.ascontiguousarray(self.durations, dtype=float)
        coefficients = np.ascontiguousarray(self.coefficients, dtype=float)
        k, n = len(durations), len(self.joints)
        if coefficients.shape != (k, n, 6) or durations.shape != (k,):
            raise BadMotion(f"{k} durations of {n} joints need coefficients of shape ({k}, {n}, 6), not {coefficients.shape}")
        if not (np.isfinite(durations).all() and np.isfinite(coefficients).all()):
            raise BadMotion("a trajectory has numbers that are not finite; what made it went wrong")
        if not (durations > 0.0).all():
            raise BadMotion(f"segment {int(np.argmin(durations))} lasts {durations.min()} s; every segment must last")
        if self.origins and len(self.origins) != k:
            raise BadMotion(f"there are {len(self.origins)} origins for {k} segments; give one for each, or none")
        for array in (durations, coefficients):
            array.setflags(write=False)
        object.__setattr__(self, "durations", durations)
        object.__setattr__(self, "coefficients", coefficients)

    @property
    def n(self) -> int:
        return len(self.joints)

    @cached_property
    def knots(self) -> Array:
        """Times of the segments' ends, shape (k + 1,), from zero [s]."""
        return np.concatenate([[0.0], np.cumsum(self.durations)])

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.knots[-1])

    @property
    def start(self) -> State:
        return self.at(0.0)

    @property
    def end(self) -> State:
        return self.at(self.duration)

    def at(self, t: float) -> State:
        """Where it is at a time; before the start and after the end, where it stands there."""
        q, v, a, j = self.sample([t])[0]
        return State(q, v, a, j)

    def sample(self, times: Sequence[float] | Array) -> Array:
        """Positions, velocities, accelerations and jerks at times. Shape (N, 4, n)."""
        times = np.ascontiguousarray(times, dtype=float)
        out = np.empty((len(times), 4, self.n))
        if len(self.durations):
            kernels.sample(self.knots, np.array(self.coefficients), times, out)
        return out

    def every(self, step: float) -> tuple[Array, Array]:
        """Times in steps from start to end, the end included, and the samples at them."""
        times = np.append(np.arange(0.0, self.duration - 1e-9, step), self.duration)
        return times, self.sample(times)

    @cached_property
    def segment_extrema(self) -> tuple[Array, Array]:
        """Exact extrema of each segment, shape (k, n, 4, 2), and when in its own time."""
        k = len(self.durations)
        values, times = np.empty((k, self.n, 4, 2)), np.empty((k, self.n, 4, 2))
        kernels.extrema(np.array(self.durations), np.array(self.coefficients), values, times)
        return values, times

    @cached_property
    def extrema(self) -> Extrema:
        """The exact extrema of the whole, by the roots of the derivatives: nothing is sampled."""
        values, times = self.segment_extrema
        least, greatest = values[..., 0].argmin(axis=0), values[..., 1].argmax(axis=0)  # (n, 4)
        best, when = np.empty((4, self.n, 2)), np.empty((4, self.n, 2))
        for side, which in enumerate((least, greatest)):
            n, order = np.indices(which.shape)
            best[order, n, side] = values[which, n, order, side]
            when[order, n, side] = self.knots[which] + times[which, n, order, side]
        return Extrema(best, when)

    @cached_property
    def steps(self) -> Array:
        """How far position, velocity, acceleration and jerk step at the inner knots. Shape (4, k - 1, n)."""
        c, T = self.coefficients, self.durations[:, None]
        powers = np.array([T**i for i in range(6)])  # (6, k, 1)
        factors = _DERIVATIVES
        ends = np.array([sum(factors[o, i] * c[:, :, i] * powers[i - o] for i in range(o, 6)) for o in range(4)])
        starts = np.array([factors[o, o] * c[:, :, o] for o in range(4)])
        return np.asarray(starts[:, 1:] - ends[:, :-1])

    @cached_property
    def digest(self) -> str:
        """A hash of all that moves: what is proven is bound to it."""
        data = hashlib.sha256(repr((self.joints, self.continuity)).encode())
        data.update(self.durations.tobytes())
        data.update(self.coefficients.tobytes())
        return data.hexdigest()

    def slowed(self, factor: float) -> "Trajectory":
        """The same path, each part lasting `factor` times as long: exact. Below 1 it is faster."""
        if not 0.0 < factor < np.inf:
            raise BadMotion(f"{factor} is no factor to slow a motion by; give a number above zero")
        return replace(
            self, durations=self.durations * factor, coefficients=self.coefficients / factor ** np.arange(6)
        )  # fmt: skip

    def backwards(self) -> "Trajectory":
        """The same path the other way: exact."""
        c, T = self.coefficients[::-1], self.durations[::-1, None, None]
        shifted = np.zeros_like(c)
        for i in range(6):  # c(T - t), expanded
            for power in range(i + 1):
                shifted[..., power] += c[..., i] * _BINOMIAL[i, power] * (T[..., 0] ** (i - power)) * (-1.0) ** power
        origins = self.origins[::-1]
        return replace(self, durations=self.durations[::-1].copy(), coefficients=shifted, origins=origins)

    def part(self, begin: float, end: float) -> "Trajectory":
        """What happens between two times, as a trajectory of its own: exact."""
        begin, end = max(0.0, begin), min(self.duration, end)
        if not begin < end:
            raise BadMotion(f"from {begin} to {end} s there is nothing; it lasts {self.duration:.6g} s")
        which, T, c = pieces_between(self.durations, self.coefficients, begin, end)
        return replace(self, durations=T, coefficients=c, origins=self.origins[which])

    def __repr__(self) -> str:
        what = f"{self.profile} " if self.profile else ""
        return f"Trajectory({what}{self.n} joints, {len(self.durations)} segments, {self.duration:.4g} s)"


_DERIVATIVES = np.zeros((4, 6))
for _o in range(4):
    for _i in range(_o, 6):
        _DERIVATIVES[_o, _i] = np.prod([float(_i - _k) for _k in range(_o)])
_BINOMIAL = np.array([[float(np.prod([(i - m) / (m + 1) for m in range(k)])) for k in range(6)] for i in range(6)])


def pieces_between(spans: Array, coefficients: Array, begin: float, end: float) -> tuple[slice, Array, Array]:
    """Of polynomials one after the other, each from its own start, those between two places: which, their spans, themselves."""
    knots = np.concatenate([[0.0], np.cumsum(spans)])
    first = int(np.clip(np.searchsorted(knots, begin, side="right") - 1, 0, len(spans) - 1))
    last = int(np.clip(np.searchsorted(knots, end, side="left") - 1, first, len(spans) - 1))
    which = slice(first, last + 1)
    spans, c = spans[which].copy(), coefficients[which].copy()
    spans[-1] = end - knots[last]
    offset = begin - knots[first]
    if offset > 0.0:
        c[0] = shifted(c[0], offset)
        spans[0] -= offset
    return which, spans, c


def shifted(c: Array, offset: float) -> Array:
    """Coefficients (..., 6) of the polynomial of t + offset."""
    out = np.zeros_like(c)
    for i in range(6):
        for power in range(i + 1):
            out[..., power] += c[..., i] * _BINOMIAL[i, power] * offset ** (i - power)
    return out


def hermite_coefficients(T: Array, start: tuple[Array, Array, Array], end: tuple[Array, Array, Array]) -> Array:
    """The quintic through position, velocity and acceleration at both ends, in segment-local time.

    Args:
        T: Durations, shape (k,).
        start, end: Positions, velocities and accelerations at the ends of each segment, shape (k, n) each.

    Returns:
        Shape (k, n, 6).
    """
    (p0, v0, a0), (p1, v1, a1) = start, end
    T = np.asarray(T, dtype=float)[:, None]
    d = p1 - p0
    c3 = (20.0 * d - (8.0 * v1 + 12.0 * v0) * T - (3.0 * a0 - a1) * T**2) / (2.0 * T**3)
    c4 = (-30.0 * d + (14.0 * v1 + 16.0 * v0) * T + (3.0 * a0 - 2.0 * a1) * T**2) / (2.0 * T**4)
    c5 = (12.0 * d - 6.0 * (v0 + v1) * T - (a0 - a1) * T**2) / (2.0 * T**5)
    return np.stack([p0, v0, 0.5 * a0, c3, c4, c5], axis=-1)


def quintic_through(
    joints: Sequence[str], times: Array, q: Array, v: Array, a: Array, *, profile: str = "quintic", continuity: int = 2,
    origins: tuple[str, ...] = (),
) -> Trajectory:  # fmt: skip
    """A trajectory through positions, velocities and accelerations at given times; C2, and through every one exactly.

    Args:
        times: Ascending, shape (N,) [s].
        q, v, a: Shape (N, n).
    """
    times = np.asarray(times, dtype=float)
    if len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise BadMotion("a motion needs two times at least, each later than the one before")
    T = np.diff(times)
    c = hermite_coefficients(T, (q[:-1], v[:-1], a[:-1]), (q[1:], v[1:], a[1:]))
    return Trajectory(tuple(joints), T, c, continuity=continuity, profile=profile, origins=origins)


def join(parts: Sequence[Trajectory], *, tolerance: float = 1e-9) -> Trajectory:
    """One trajectory after another, as one; each must begin where the one before ends.

    Raises:
        BadMotion: A part begins elsewhere, or at another speed.
    """
    if not parts:
        raise BadMotion("there is nothing to join")
    joints = parts[0].joints
    for before, after in itertools.pairwise(parts):
        if after.joints != joints:
            raise BadMotion(f"a part moves {', '.join(after.joints)}, the one before {', '.join(joints)}")
        one, two = before.end, after.start
        for what, x, y in (("position", one.q, two.q), ("velocity", one.v, two.v)):
            gap = np.abs(x - y)
            if gap.max() > tolerance:
                worst = int(gap.argmax())
                raise BadMotion(f"{joints[worst]} would jump by {gap[worst]:.3g} in {what} where two parts meet")
    origins = tuple(origin for part in parts for origin in (part.origins or ("",) * len(part.durations)))
    smooth = min(part.continuity for part in parts)
    for before, after in itertools.pairwise(parts):
        if smooth >= 2 and np.abs(before.end.a - after.start.a).max() > tolerance:
            smooth = 1
        if smooth >= 3 and np.abs(before.end.j - after.start.j).max() > tolerance:
            smooth = 2
    return Trajectory(
        joints, np.concatenate([part.durations for part in parts]), np.concatenate([part.coefficients for part in parts]),
        continuity=smooth, origins=origins if any(origins) else (),
        profile="+".join(dict.fromkeys(part.profile for part in parts if part.profile)),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )  # fmt: skip
