"""How fast a path is driven: a law of time along it, averaged over a window so that acceleration has no steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.motion import law_kernels as kernels
from armillary.motion.errors import MotionError
from armillary.motion.joint_path import JointPath
from armillary.motion.limits import MotionLimits
from armillary.motion.timing_kernels import braking, fastest

__all__ = ["Law", "Road"]

Array = NDArray[np.float64]
_LITTLE = 1.003  # over a limit by so little, slowing the whole costs less than another round
_ROUNDS = 60
_GRID = 120  # points of the law at least


@dataclass(frozen=True, eq=False)
class Law:
    """s(t) with constant acceleration between grid points, and its mean over the window before each time.

    Attributes:
        grid, x: Where along the path, and the square of ds/dt there, shape (N,).
        t: When, shape (N,) [s].
        u: d2s/dt2 between grid points, shape (N - 1,).
        area: Integral of s over time up to each grid point, shape (N,).
        window: [s].
    """

    grid: Array
    x: Array
    t: Array
    u: Array
    area: Array
    window: float

    @classmethod
    def of(cls, grid: Array, x: Array, window: float) -> "Law":
        N = len(grid)
        t, u, area = np.empty(N), np.empty(N - 1), np.empty(N)
        if not kernels.law_of(grid, x, t, u, area):
            raise MotionError("the path cannot be driven: it stands still on the way")
        return cls(grid, x, t, u, area, window)

    @property
    def duration(self) -> float:
        """Until the mean stands too [s]."""
        return float(self.t[-1]) + self.window

    def before(self, since: float, until: float) -> tuple[Array, Array, int]:
        """Grid and x of what a mean from a time on needs of the past, a window of it, up to where the law is at a later time.

        Also which of them is where the law is at the first of the two times.
        """
        first = max(int(np.searchsorted(self.t, since - self.window - 1e-9)) - 1, 0)
        times = self.t[first : int(np.searchsorted(self.t, until - 1e-12))]
        times = np.unique(np.concatenate([times[np.abs(times - since) > 1e-12], [since, until]]))
        i = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.u) - 1)
        d, v = np.minimum(times, self.t[-1]) - self.t[i], np.sqrt(self.x[i])
        return (
            self.grid[i] + d * (v + 0.5 * d * self.u[i]),
            np.maximum(v + d * self.u[i], 0.0) ** 2,
            int(np.searchsorted(times, since)),
        )

    def place(self, time: float) -> float:
        """s where the law itself is; its mean comes there later."""
        return float(self.before(time, time)[0][-1])

    def averaged(self, times: Array) -> Array:
        """s and its first two derivatives, averaged, at ascending times. Shape (M, 3)."""
        out = np.empty((len(times), 3))
        kernels.averaged_at(self.grid, self.x, self.t, self.u, self.area, self.window, np.ascontiguousarray(times), out)
        return out


class Road:
    """A path with the limits it is driven under: what laws are made from.

    Attributes:
        grid: Where a law is held to the limits, shape (N,).
        ceiling: The largest (ds/dt)^2 there by speeds, shape (N,); lowered where a law was too fast.
        window: Over how long laws are averaged: from nothing to the limit of acceleration, that is the limit of jerk [s].
    """

    def __init__(
        self, path: JointPath, limits: MotionLimits, feed: float | None = None, *, past: tuple[Array, Array] | None = None
    ) -> None:
        """Args:
        past: Grid and x of the law that is driven already, from a window ago to where it is; see `Law.before`. It goes on from
            there.
        """
        self.path, self.limits, self.feed = path, limits, feed or 0.0
        self.grid, self._settled, self._past = _grid(path), 0, np.zeros(1)
        if past is not None:
            ahead = self.grid[self.grid > past[0][-1] + 1e-9 * path.length]
            self.grid, self._past = np.concatenate([past[0], ahead]), past[1]
            self._settled = len(past[0]) - 1
        at = path.sample(np.clip(self.grid, 0.0, path.length))
        self._dq, self._ddq = np.ascontiguousarray(at[:, 1]), np.ascontiguousarray(at[:, 2])
        self._c, self._limits = (
            np.ascontiguousarray(path.coefficients), np.array([limits.velocity, limits.acceleration, limits.jerk])
        )  # fmt: skip
        self.window = float(np.clip(np.max(limits.acceleration / limits.jerk), 1e-4, 5.0))
        with np.errstate(divide="ignore"):
            x = np.min((limits.velocity / np.abs(at[:, 1])) ** 2, axis=1)
            bends = np.min((limits.jerk / np.abs(at[:, 3])) ** (2 / 3), axis=1)
            self.speed = np.zeros(len(self.grid))
            if feed is not None and len(path.speed):
                self.speed = np.interp(self.grid, path.speed[:, 0], path.speed[:, 1])
                x = np.minimum(x, (0.9995 * feed / self.speed) ** 2)
            else:
                self.feed = 0.0
        self.ceiling = np.minimum(x, 1e12)
        self._bends = np.minimum(bends, 1e12)
        self.worst = 1.0
        self._seen = np.full(len(self.grid), -1.0)  # the law that was looked at last

    def stepping(self) -> Law:
        """The fastest law under velocity and acceleration limits, with steps of acceleration; its window is not used."""
        return Law.of(self.grid, self._fastest(self.ceiling), self.window)

    def smooth(self, enough: float = _LITTLE) -> Law:
        """A fast law whose mean keeps the limits of jerk too, but for a fraction of a percent.

        The fastest one, lowered where its mean is over a limit: for as long as the window, so that two steps of acceleration
        are never nearer to each other than that. By what factor it is still too fast, where it
        goes on from a past, is in `worst`.

        Args:
            enough: The factor by which it may be too fast.
        """
        self.ceiling = np.minimum(self.ceiling, self._bends)
        need = np.empty(len(self.grid))
        long = len(self.grid) > 1500
        gain, most = (1.0, 1.3) if long else (0.5, 1.12)
        for _ in range(_ROUNDS):
            law = Law.of(self.grid, self._fastest(self.ceiling), self.window)
            worst = self._examine(law, law.x != self._seen, need)
            self._seen = law.x
            if worst <= enough:
                break
            self.lower(law, need, gain=gain, most=most)
        if self._settled:  # what is settled does not change, and may be what is over
            self.worst = self._examine(law, np.ones(len(self.grid), dtype=bool), need)
        return law

    def _examine(self, law: Law, changed: NDArray[np.bool_], need: Array) -> float:
        return float(
            kernels.examine(
                law.grid, law.x, law.t, law.u, law.area, law.window, self._settled, self.path.knots, self._c, self._limits,
                self.speed, self.feed, np.concatenate([[0.0], np.cumsum(changed)]), need,
            )
        )  # fmt: skip

    def lower(self, law: Law, need: Array, *, gain: float = 1.0, most: float = 1.3) -> None:
        """Lower the ceiling to below a law where it is too fast by a factor: by `gain` of what is needed, by `most` at most."""
        share = np.where(need > 1.0005, np.minimum(1.002 + gain * (need**2 - 1.0), most), 1.0)
        share[: self._settled + 1] = share[-1] = 1.0
        self.ceiling = np.where(share > 1.0, np.minimum(self.ceiling, law.x / share), self.ceiling)

    def _fastest(self, ceiling: Array) -> Array:
        k, begin = self._settled, float(self._past[-1])
        x = np.concatenate([self._past[:-1], np.empty(len(self.grid) - k)])
        grid, dq, ddq = self.grid[k:], self._dq[k:], self._ddq[k:]
        ceiling = ceiling[k:].copy()
        ceiling[0] = max(ceiling[0], begin)
        if fastest(grid, dq, ddq, self.limits.acceleration, ceiling, begin, 0.0, x[k:]):
            return x
        if k:  # too fast for the ceilings ahead, which are drawn with a broad pen: it brakes as hard as it can until it is below
            hardest = np.empty(len(grid))
            braking(grid, dq, ddq, self.limits.acceleration, begin, hardest)
            if fastest(grid, dq, ddq, self.limits.acceleration, np.maximum(ceiling, 1.001 * hardest), begin, 0.0, x[k:]):
                return x
        raise MotionError("no law of time keeps the limits on this path")


def _grid(path: JointPath) -> Array:
    """Where the law is held to the limits: knots of the path, as dense as is needed, denser at both ends."""
    count = max(1, int(np.ceil(_GRID / len(path.spans))))
    inner = (path.knots[:-1, None] + path.spans[:, None] * (np.arange(count) / count)).ravel()
    # From rest x grows with s: a few short steps at both ends keep the first of them from being coarse.
    first, last = inner[1] if len(inner) > 1 else path.length, path.length - inner[-1]
    ends = np.array([0.02, 0.1, 0.3, 0.6])
    return np.unique(np.concatenate([inner, ends * first, path.length - ends * last, [path.length]]))
