"""The parts of a cell that are nearest to each other, and those that touch, as people want to know it.

Some of a robot's parts are as close as they are by its build, wherever it stands: a link and the one after the next, for one.
They would always be the nearest, and say nothing; so they are left out until they meet.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene
from armillary.model.collision import Nearest

__all__ = ["NearestParts", "PartsFound"]

Array = NDArray[np.float64]
_TRIES = 60  # configurations, at random, over which distances are compared
_HARDLY = 0.1  # of what the distance that varies most does: one that varies less is the robot's build
_STANDS = 1e-4  # rad or m: less is no motion, but a motor side that holds
_TOUCH = 1e-3  # m between parts that touch where a motor side counts contacts: its shapes are a little other than ours


@dataclass(frozen=True, eq=False)
class PartsFound:
    """What is near and what touches where the robot stands."""

    nearest: Nearest | None  # None where there is nothing to be said
    touching: tuple[tuple[str, str], ...]  # pairs that collide, deepest first


class NearestParts:
    """Looks for them in a scene, which is its own: a scene is for one thread."""

    def __init__(self, model: Model, scene: Scene) -> None:
        self.model, self._scene = model, scene
        self._last: tuple[Array, bool, PartsFound] | None = None  # where it was asked for, and what was found

    @cached_property
    def by_build(self) -> frozenset[int]:
        """Numbers of the pairs whose distance hardly depends on where the robot stands."""
        model, scene = self.model, self._scene
        random = np.random.default_rng(0)
        lower, upper = (np.nan_to_num(bound, posinf=np.pi, neginf=-np.pi) for bound in (model.lower, model.upper))
        pairs: dict[tuple[str, str], list[int]] = {}  # by whose they are: a part may have several shapes
        for pair in range(len(scene.numbered_pairs)):
            pairs.setdefault(scene.pair_names(pair), []).append(pair)
        if not pairs:
            return frozenset()
        distances = [
            [max(min(scene.distances(q, numbers)), 0.0) for numbers in pairs.values()]
            for q in (random.uniform(lower, upper) for _ in range(_TRIES))
        ]
        spread = np.ptp(np.array(distances), axis=0)
        hardly = spread < _HARDLY * spread.max()
        return frozenset(number for numbers, still in zip(pairs.values(), hardly, strict=True) if still for number in numbers)

    def look(self, q: Array, *, contacts: bool = False) -> PartsFound:
        """What is found where the robot stands at q, shape (n,) [rad or m].

        A robot that stands has one answer: faces that are parallel have no one nearest point, and what is found trembles.

        Args:
            contacts: Whether the motor side says that something touches.
        """
        last = self._last
        if last is None or last[1] != contacts or not np.abs(q - last[0]).max(initial=0.0) <= _STANDS:
            touching = self._scene.contacts(q, inflation=_TOUCH if contacts else 0.0)
            pairs = tuple((each.first, each.second) for each in touching)
            last = self._last = q.copy(), contacts, PartsFound(self._scene.nearest(q, but=self.by_build), pairs)
        return last[2]
