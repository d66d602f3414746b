"""The nearest parts that are shown: not those which are close by the robot's build, unless they meet."""

import numpy as np
import pytest

from armillary.interfaces.http.nearest_parts import NearestParts
from armillary.model import Scene
from tests.model.robots import configurations, model_of


@pytest.mark.parametrize("name", ["cobot6", "industrial6"])
def test_pairs_that_are_close_by_build_are_left_out_until_they_meet(name: str) -> None:
    model = model_of(name)
    scene = Scene(model)
    parts = NearestParts(model, scene)
    built = {frozenset(scene.pair_names(pair)) for pair in parts.by_build}
    assert len(parts.by_build) < len(scene.numbered_pairs), "some pairs can part"
    said = set()
    for q in configurations(model, 60, seed=5):
        nearest = parts.at(q)
        assert nearest is not None
        assert frozenset((nearest.first, nearest.second)) not in built or nearest.distance <= 0.0
        others = [pair for pair in range(len(scene.numbered_pairs)) if pair not in parts.by_build]
        if nearest.distance > 1e-3:
            assert nearest.distance == pytest.approx(min(scene.distances(q, others)), abs=1e-5)
        said.add(frozenset((nearest.first, nearest.second)))
    assert len(said) > 1, "which pair is nearest depends on where the robot stands"


def test_cobot6_has_a_pair_that_is_close_by_build() -> None:
    model = model_of("cobot6")
    scene = Scene(model)
    assert {frozenset(scene.pair_names(pair)) for pair in NearestParts(model, scene).by_build}


def test_a_robot_that_stands_is_told_of_once() -> None:
    """Two faces that are parallel have no one nearest point: what is found trembles, and a page would be drawn for ever."""
    model = model_of("cobot6")
    parts = NearestParts(model, Scene(model))
    q = np.array(next(iter(configurations(model, 1, seed=5))))
    first = parts.at(q)
    q[1] += 1e-9  # as a command that is held may do
    assert all(parts.at(q.copy()) is first for _ in range(20))
    q[1] += 0.1
    assert parts.at(q) is not first
