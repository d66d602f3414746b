"""The two parts of a cell that are nearest to each other, as people want to know it.

Some of a robot's parts are close by its build, wherever it stands: a link and the one after the next, for one. They would
always be the nearest, and say nothing; so they are left out until they meet.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene
from armillary.model.collision import Nearest

__all__ = ["NearestParts"]

Array = NDArray[np.float64]
_TRIES = 60  # configurations, at random, in which a pair must be close to be so by build
_CLOSE = 0.05  # m
_STANDS = 1e-6  # rad or m: less is no motion


class NearestParts:
    """Knows which pairs of a scene are close by build."""

    def __init__(self, model: Model, scene: Scene) -> None:
        self._scene = scene
        self._last: tuple[Array, Nearest | None] | None = None  # where it was asked for, and what was found
        self.by_build = _close_everywhere(model, scene)

    def at(self, q: Array) -> Nearest | None:
        """The nearest pair where the robot stands at q, shape (n,); None where there is nothing to be said.

        A robot that stands has one answer: faces that are parallel have no one nearest point, and what is found trembles.
        """
        if self._last is None or not np.abs(q - self._last[0]).max(initial=0.0) <= _STANDS:
            self._last = q.copy(), self._scene.nearest(q, but=self.by_build)
        return self._last[1]


def _close_everywhere(model: Model, scene: Scene) -> frozenset[int]:
    """Numbers of the pairs that no configuration parts."""
    random = np.random.default_rng(0)
    lower, upper = (np.nan_to_num(bound, posinf=np.pi, neginf=-np.pi) for bound in (model.lower, model.upper))
    close: dict[tuple[str, str], list[int]] = {}  # by whose they are: a part may have several shapes
    for pair in range(len(scene.numbered_pairs)):
        close.setdefault(scene.pair_names(pair), []).append(pair)
    for _ in range(_TRIES):
        q = random.uniform(lower, upper)
        close = {names: pairs for names, pairs in close.items() if min(scene.distances(q, pairs)) < _CLOSE}
    return frozenset(pair for pairs in close.values() for pair in pairs)
