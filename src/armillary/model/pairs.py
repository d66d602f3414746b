"""Which pairs of links need a collision check: found once by trying many configurations, and kept.

Of all pairs that can move against each other most never meet (a head and an elbow, thanks to their joints' ranges), and some
always do (a motor sunk into its housing, by the shapes' coarseness). Both only cost time. A pair counts as never meeting when
it stayed further apart than a margin in every sample.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.model.cache import content_hash, load_arrays, store_arrays
from armillary.model.shapes import mesh_digest

if TYPE_CHECKING:
    from armillary.model.collision import Scene

__all__ = ["PairSearch", "matching_pairs"]


@dataclass(frozen=True)
class PairSearch:
    """How pairs are sampled."""

    samples: int = 3000
    margin: float = 0.01  # m; a pair that never came nearer than this never meets
    seed: int = 0
    keep: bool = True  # on disk, by the content of the model and its meshes


def matching_pairs(
    scene: "Scene", candidates: tuple[tuple[str, str], ...], search: PairSearch, progress: Callable[[str], None] | None
) -> tuple[tuple[str, str], ...]:
    """Those of the pairs that met, or nearly, in some samples and not in all.

    The same model, meshes and seed give the same pairs.
    """
    key = _key(scene, candidates, search)
    kept = load_arrays("pairs", key) if search.keep else None
    if kept is not None and all(0 <= int(i) < len(candidates) for i in kept["chosen"]):
        return tuple(candidates[int(i)] for i in kept["chosen"])
    near, met = scene.count_meetings(search, progress)
    # Those that meet most often first: a check that may stop at the first hit then stops early.
    order = sorted(range(len(candidates)), key=lambda i: -met[candidates[i]])
    chosen = [i for i in order if near[candidates[i]] > 0 and met[candidates[i]] < search.samples]
    if search.keep:
        store_arrays("pairs", key, {"chosen": np.array(chosen, dtype=np.int64)})
    return tuple(candidates[i] for i in chosen)


def _key(scene: "Scene", candidates: tuple[tuple[str, str], ...], search: PairSearch) -> str:
    meshes = [mesh_digest(path) for path in scene.mesh_paths()]
    return content_hash("pairs 2", scene.model.digest, repr(candidates), repr(search), *meshes)
