"""A robot that follows goals without a part of it ever meeting another.

From every frame that it makes it can brake to a stop without a collision: that is looked at before the frame is made. A frame
from which it could not is not made: the step is bent so that the parts slide along each other, and where that does not help
either, the limbs that would meet brake, as was found free the frame before.

Two parts that are some distance apart cannot meet before the joints between them have moved far enough, so that most frames need
no look at all.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.rate_kernels import allowed_speed, brake_to_look, limit_step, slide_step, unproven_pairs
from armillary.model import Model, Scene
from armillary.model.pairs import PairSearch
from armillary.motion.clearance import pair_levers

__all__ = ["SelfCollision"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_MARGIN = 0.002  # m that parts are kept apart
_GIVEN = 1e-4  # m more: so far apart are parts that have come apart, and that slide along each other
_SLOPE = 1e-4  # rad or m that joints are moved by to see how a distance changes
_SHARE = 0.5  # of what all joints together can brake with, that counts on for two parts
_NARROW = 1e-3  # rad or m: nearer than this to where two parts meet, the end of a joint's way is found
_ROUNDS = 4  # of sliding, each with the pairs that the one before has met


class SelfCollision:
    """Pairs of parts that can meet, and how far apart each was when it was last looked at.

    Attributes:
        levers: How much nearer each pair comes with each joint at most, shape (P, n).
        seen: Where each was looked at last, shape (P, n). distances: How far apart it was then, shape (P,) [m].
        margins: How far apart each has to be, shape (P,) [m].
        looks: How many distances have been measured.
    """

    def __init__(self, model: Model, scene: Scene | None = None) -> None:
        """Args:
        scene: With the pairs that count; those that can meet and do not always, without.
        """
        self.model, self.scene = model, scene or Scene(model, search=PairSearch())
        self.levers = np.ascontiguousarray(pair_levers(self.scene))
        count = len(self.levers)
        self.seen, self.distances = np.zeros((count, model.n)), np.full(count, np.inf)
        self.margins, self.looks = np.full(count, _MARGIN), 0
        self._stops, self._found = np.empty(model.n), np.empty(count, dtype=np.int64)

    def begin(self, q: Array) -> None:
        """The robot stands somewhere: parts that are too near there may move as they like until they have come apart."""
        self.margins[:] = _MARGIN
        self._look(q, np.arange(len(self.levers)))
        self.margins[self.distances <= _MARGIN] = -np.inf

    @property
    def entangled(self) -> bool:
        """Whether parts that were too near in the beginning still are."""
        return bool(np.isneginf(self.margins).any())

    def disentangle(self, q: Array, v: Array, dt: float, acceleration: Array) -> None:
        """Keep parts apart from now on that have come apart where the robot is, and stay so when it brakes."""
        near = np.flatnonzero(np.isneginf(self.margins))
        way = (self.levers[near] * np.abs(q - self.seen[near])).sum(axis=1)
        near = near[self.distances[near] + way > _MARGIN]  # the others cannot have come apart
        if not len(near):
            return
        self._look(q, near)
        self.margins[near[self.distances[near] > _MARGIN + _GIVEN]] = _MARGIN
        met = self._meets(q, v, dt, acceleration)
        self.margins[met[np.isin(met, near)]] = -np.inf

    def narrowed(self, q: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Ends of joints between which no pair meets that only one joint moves: a finger that closes onto its own hand.

        Those pairs need no look any more until the next `begin`, which comes before this.

        Args:
            q: Where the robot stands, inside the ends.
        """
        lower, upper = lower.copy(), upper.copy()
        for k in np.flatnonzero((self.levers > 0.0).sum(axis=1) == 1).tolist():
            column = int(np.flatnonzero(self.levers[k])[0])
            if self.margins[k] < _MARGIN or not np.isfinite([lower[column], upper[column]]).all():
                continue
            lower[column] = self._end(k, column, q, lower[column])
            upper[column] = self._end(k, column, q, upper[column])
            self.distances[k] = np.inf
        return lower, upper

    def _end(self, k: int, column: int, q: Array, end: float) -> float:
        """How far a joint can go from where it is towards an end before a pair that it alone moves comes too near."""
        at, apart = q.copy(), float(self.distances[k])
        while (room := (apart - self.margins[k]) / self.levers[k, column]) > _NARROW:
            if abs(end - at[column]) <= room:
                return end
            at[column] += room if end > at[column] else -room
            self.looks += 1
            apart = self.scene.distances(at, [k])[0]
        return float(at[column])

    def too_near(self, q: Array) -> int:
        """How many pairs are not as far apart as they have to be."""
        return sum(distance <= _MARGIN for distance in self.scene.distances(q, list(range(len(self.levers)))))

    def step(
        self, goal: Array, before: Array, q: Array, v: Array, dt: float, lower: Array, upper: Array, velocity: Array,
        acceleration: Array,
    ) -> tuple[Array, Array, str]:  # fmt: skip
        """One step from which the robot can still stop without a collision: where to, how fast, and which parts held it."""
        n = len(q)
        to, speed, braked = np.empty(n), np.empty(n), np.zeros(n, dtype=np.bool_)
        limits = (dt, lower, upper, velocity, acceleration)
        limit_step(goal, before, q, v, *limits, braked, to, speed)
        met = self._meets(to, speed, dt, acceleration)
        if not len(met):
            return to, speed, ""
        said = " and ".join(self.scene.pair_names(int(met[0])))
        pairs, wanted = met.tolist(), to.copy()
        for _ in range(_ROUNDS):
            slopes, rooms = self._slopes(q, pairs, dt, acceleration)
            slide_step(wanted, q, v, *limits, slopes, rooms, to, speed)
            met = self._meets(to, speed, dt, acceleration)
            if not len(met):
                return to, speed, said
            if set(met.tolist()) <= set(pairs):
                break
            pairs += [k for k in met.tolist() if k not in pairs]
        while len(met) and not braked.all():
            held = (self.levers[met] > 0.0).any(axis=0) & ~braked
            braked |= held if held.any() else True
            limit_step(goal, before, q, v, *limits, braked, to, speed)
            met = self._meets(to, speed, dt, acceleration) if not braked.all() else met
        return to, speed, said

    def _meets(self, q: Array, v: Array, dt: float, acceleration: Array) -> Numbers:
        """Pairs that come too near at a frame or while the robot brakes behind it."""
        near = self._unproven(q, v, dt, acceleration)
        if not len(near):
            return near
        self._look(q, near)
        near = self._unproven(q, v, dt, acceleration)
        met = [k for k in near.tolist() if self.distances[k] <= self.margins[k]]
        near = np.array([k for k in near.tolist() if k not in met], dtype=np.int64)
        # What a lever cannot rule out is looked at on the way to a stop, as often as needed.
        place, speed, rows = q.copy(), v.copy(), np.empty(len(near), dtype=np.int64)
        seen, apart = np.tile(q, (len(near), 1)), self.distances[near]
        while len(near):
            count = brake_to_look(place, speed, dt, acceleration, self.levers, near, seen, apart, self.margins, rows)
            if not count:
                break
            close = rows[:count]
            self.looks += count
            apart[close], seen[close] = self.scene.distances(place, near[close].tolist()), place
            hit = close[apart[close] <= self.margins[near[close]]]
            met += near[hit].tolist()
            near[hit] = -1
        return np.array(met, dtype=np.int64)

    def _unproven(self, q: Array, v: Array, dt: float, acceleration: Array) -> Numbers:
        count = unproven_pairs(
            q, v, dt, acceleration, self.levers, self.seen, self.distances, self.margins, self._stops, self._found
        )
        return self._found[:count].copy()

    def _look(self, q: Array, pairs: Numbers) -> None:
        self.looks += len(pairs)
        if len(pairs):
            self.distances[pairs] = self.scene.distances(q, pairs.tolist())
            self.seen[pairs] = q

    def _slopes(self, q: Array, pairs: list[int], dt: float, acceleration: Array) -> tuple[Array, Array]:
        """How distances change with each joint at q, shape (pairs, n), and how much nearer each may come in a step [m]."""
        slopes, rooms = np.zeros((len(pairs), len(q))), np.empty(len(pairs))
        for row, k in enumerate(pairs):
            here = self.scene.distances(q, [k])[0]
            columns = np.flatnonzero(self.levers[k])
            self.looks += 1 + len(columns)
            for column in columns:
                aside = q.copy()
                # Inwards, so that no end of a joint is passed.
                h = _SLOPE if aside[column] + _SLOPE <= self.model.upper[column] else -_SLOPE
                aside[column] += h
                slopes[row, column] = (self.scene.distances(aside, [k])[0] - here) / h
            brakes = _SHARE * float(np.abs(slopes[row][columns]) @ acceleration[columns])
            room = here - self.margins[k] - _GIVEN
            rooms[row] = allowed_speed(room, brakes, dt) * dt if room > 0.0 and brakes > 0.0 else min(room, 0.0)
        return slopes, rooms
