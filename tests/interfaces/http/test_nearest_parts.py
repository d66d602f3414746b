"""The nearest parts that are shown: not those which are as close by the robot's build, unless they meet; and all that touch."""

import numpy as np
import pytest

from armillary.description.geometry import Box
from armillary.interfaces.http.nearest_parts import NearestParts
from armillary.model import Scene
from armillary.spatial import transform_from_xyz_rpy
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
        nearest = parts.look(q).nearest
        assert nearest is not None
        assert frozenset((nearest.first, nearest.second)) not in built or nearest.distance <= 0.0
        others = [pair for pair in range(len(scene.numbered_pairs)) if pair not in parts.by_build]
        if nearest.distance > 1e-3:
            assert nearest.distance == pytest.approx(min(scene.distances(q, others)), abs=1e-5)
        said.add(frozenset((nearest.first, nearest.second)))
    assert len(said) > 1, "which pair is nearest depends on where the robot stands"


def test_what_is_close_by_build_is_told_by_how_little_it_varies_and_not_by_how_close_it_is() -> None:
    model = model_of("cobot6")
    scene = Scene(model)
    built = {frozenset(scene.pair_names(pair)) for pair in NearestParts(model, scene).by_build}
    assert {frozenset(("base", "link_2")), frozenset(("pedestal", "link_2"))} <= built
    assert frozenset(("link_1", "link_3")) not in built, "the elbow folds"


def test_something_that_stands_far_away_and_turns_with_nothing_is_left_out() -> None:
    model = model_of("cobot6")
    scene = Scene(model)
    scene.add("floor", Box((4.0, 4.0, 0.1)), transform_from_xyz_rpy((0.0, 0.0, -1.5), (0.0, 0.0, 0.0)))
    built = {frozenset(scene.pair_names(pair)) for pair in NearestParts(model, scene).by_build}
    assert frozenset(("link_1", "floor")) in built, "the first link only turns above it"
    assert frozenset(("link_6", "floor")) not in built


def test_a_robot_that_stands_is_told_of_once() -> None:
    """Two faces that are parallel have no one nearest point: what is found trembles, and a page would be drawn for ever."""
    model = model_of("cobot6")
    parts = NearestParts(model, Scene(model))
    q = np.array(next(iter(configurations(model, 1, seed=5))))
    first = parts.look(q)
    q[1] += 3e-5  # as a motor that holds may be measured
    assert all(parts.look(q.copy()) is first for _ in range(20))
    q[1] += 0.1
    assert parts.look(q) is not first


def test_every_pair_that_collides_is_named_and_no_other() -> None:
    model = model_of("cobot6")
    scene = Scene(model)
    parts, several = NearestParts(model, scene), 0
    for q in configurations(model, 80, seed=2):
        touching = {frozenset(pair) for pair in parts.look(q).touching}
        assert touching == {frozenset((each.first, each.second)) for each in scene.contacts(q)}
        assert bool(touching) == (not scene.free(q))
        several += len(touching) > 1
    assert several, "some of them are more than the one nearest pair"


def test_where_contacts_are_counted_what_all_but_touches_is_named() -> None:
    """The motor side's shapes are not to a hair ours."""
    model = model_of("cobot6")
    scene = Scene(model)
    q = np.zeros(model.n)
    nearest = NearestParts(model, scene).look(q).nearest
    assert nearest is not None
    top = float(np.max([nearest.p_world_first[2], nearest.p_world_second[2]])) + 5.0
    scene.add("plate", Box((0.1, 0.1, 0.1)), transform_from_xyz_rpy((0.0, 0.0, top), (0.0, 0.0, 0.0)))
    gap = min(scene.distances(q, [k for k in range(len(scene.numbered_pairs)) if "plate" in scene.pair_names(k)]))
    scene.move("plate", transform_from_xyz_rpy((0.0, 0.0, top - gap + 5e-4), (0.0, 0.0, 0.0)))
    near = min(scene.distances(q, [k for k in range(len(scene.numbered_pairs)) if "plate" in scene.pair_names(k)]))
    parts = NearestParts(model, scene)
    assert 0.0 < near < 9e-4, "it stands where the test means it"
    assert parts.look(q).touching == ()
    assert ["plate" in pair for pair in parts.look(q, contacts=True).touching] == [True]
