"""A second scene of a station's: a scene is for one thread, and those who look ahead must not hold up the one who drives."""

from armillary.model import Scene
from armillary.motion import scene_of
from armillary.runtime.prepared import Prepared

__all__ = ["own_scene"]


def own_scene(prepared: Prepared) -> Scene:
    """The robot among what stands in its cell, apart from the scene that others look at, with the same pairs."""
    known = {frozenset(pair) for pair in prepared.scene.pairs}
    scene = scene_of(prepared.description, prepared.model)
    left_out = tuple(pair for pair in scene.pairs if frozenset(pair) not in known)
    return scene_of(prepared.description, prepared.model, ignored=left_out) if left_out else scene
