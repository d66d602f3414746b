"""Paper 1's mapping: joint by joint, exact where the joints' ranges allow it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.imitation import ImitationError, Imitator, PaperMapping, Person, Retarget, match
from armillary.imitation.paper_kernels import three_turns, two_turns
from armillary.model import Model, load_model
from armillary.motion import limits_of
from armillary.spatial import axis_angle_rotation
from tests.imitation.bodies import FAMILIES, body, motion

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)  # of the room of the capture: left, up, forward
WIDE = np.full(3, 10.0)
HANGS = {"left_upper_arm": axis_angle_rotation(Z, -np.pi / 2), "right_upper_arm": axis_angle_rotation(Z, np.pi / 2)}


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))


vectors = st.tuples(*[st.floats(-1, 1)] * 3).map(np.array).filter(lambda v: np.linalg.norm(v) > 0.2).map(unit)
angles = st.floats(-3.0, 3.0)


@pytest.fixture(scope="module")
def inmoov() -> Model:
    return load_model("inmoov", group="controlled")


@settings(deadline=None)
@given(st.tuples(vectors, vectors, vectors), st.tuples(angles, angles, angles))
def test_three_turns_make_any_rotation_that_they_made(axes: tuple[Array, ...], turns: tuple[float, ...]) -> None:
    w = np.array(axes)
    if min(np.linalg.norm(np.cross(w[0], w[1])), np.linalg.norm(np.cross(w[1], w[2]))) < 0.1:
        return
    product = np.linalg.multi_dot([axis_angle_rotation(*each) for each in zip(w, turns, strict=True)])
    q = np.zeros(3)
    three_turns(w, product, -WIDE, WIDE, q)
    again = np.linalg.multi_dot([axis_angle_rotation(*each) for each in zip(w, q, strict=True)])
    assert np.abs(again - product).max() < 1e-6


@settings(deadline=None)
@given(st.tuples(vectors, vectors), vectors, st.tuples(angles, angles))
def test_two_turns_point_where_they_pointed(axes: tuple[Array, ...], v: Array, turns: tuple[float, ...]) -> None:
    w = np.array(axes)
    if np.linalg.norm(np.cross(w[0], w[1])) < 0.1:
        return
    goal = axis_angle_rotation(w[0], turns[0]) @ axis_angle_rotation(w[1], turns[1]) @ v
    q = np.zeros(2)
    two_turns(w, v, goal, -WIDE[:2], WIDE[:2], q)
    assert np.abs(axis_angle_rotation(w[0], q[0]) @ axis_angle_rotation(w[1], q[1]) @ v - goal).max() < 1e-6


def person_of(frames: list[dict[str, Array]]) -> tuple[Person, Array]:
    capture = motion(body(FAMILIES["noitom"]), frames)
    return Person.of_capture(capture, match(capture.skeleton)), capture.values


def some_frames(seed: int, count: int = 60) -> list[dict[str, Array]]:
    """Arms that hang, turned by up to half a radian about anything, elbows bent forward."""
    random = np.random.default_rng(seed)

    def turned(R: Array, most: float) -> Array:
        return np.asarray(axis_angle_rotation(unit(random.normal(size=3)), random.uniform(0.0, most)) @ R)

    return [
        {
            **{part: turned(R, 0.5) for part, R in HANGS.items()},
            "left_forearm": axis_angle_rotation(Y, -random.uniform(0.4, 1.4)),
            "right_forearm": axis_angle_rotation(Y, random.uniform(0.4, 1.4)),
            "head": turned(np.eye(3), 0.3),
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("mirrored", [False, True])
def test_where_no_joint_is_at_its_end_a_limb_points_as_the_persons(inmoov: Model, mirrored: bool) -> None:
    person, values = person_of(some_frames(3))
    Q = PaperMapping(inmoov, person, mirrored=mirrored).follow(values)
    capture = motion(body(FAMILIES["noitom"]), some_frames(3))
    postures = person.postures(capture.poses)
    postures = postures.mirrored() if mirrored else postures
    retarget = Retarget(inmoov)
    free = np.minimum(Q - inmoov.lower, inmoov.upper - Q) > 1e-9
    looked_at = 0
    for name, limb in retarget.limbs():
        if name not in ("left", "right"):
            continue
        off = limb.errors(retarget.goals(name, limb, postures), Q[:, limb.columns])
        inside = free[:, limb.columns].all(axis=1)
        looked_at += int(inside.sum())
        tasks = [task.name for task in limb.tasks]
        for part in ("upper_arm", "forearm"):
            assert off[inside, tasks.index(f"{name}_{part}")].max() < 1e-3, "rad"
    assert looked_at > 30


def test_a_neck_of_three_turns_faces_the_same_way_with_two(inmoov: Model) -> None:
    frames = some_frames(5)
    person, values = person_of(frames)
    Q = PaperMapping(inmoov, person).follow(values)
    retarget = Retarget(inmoov)
    name, limb = next(each for each in retarget.limbs() if each[0] == "head")
    postures = person.postures(motion(body(FAMILIES["noitom"]), frames).poses)
    off = limb.errors(retarget.goals(name, limb, postures), Q[:, limb.columns])
    assert off[:, 0].max() < 1e-6


@given(st.floats(-1.2, 1.2), st.floats(-1.2, 1.2), st.floats(-1.5, 1.5))
@settings(max_examples=30, deadline=None)
def test_an_elbow_is_the_angle_between_arm_and_forearm(psi: float, theta: float, phi: float) -> None:
    """Rz(phi) Ry(theta) Rx(psi), the forearm along x: cos(bend) = cos(theta) cos(phi), whatever psi is (the paper prints psi)."""
    model = load_model("inmoov", group="controlled")
    turn = axis_angle_rotation(Z, phi) @ axis_angle_rotation(Y, theta) @ axis_angle_rotation(X, psi)
    person, values = person_of([{"left_forearm": turn}])
    column = list(model.joints).index("l_elbow_flex_joint")
    bend = float(np.arccos(np.cos(theta) * np.cos(phi)))
    found = PaperMapping(model, person).follow(values)[0, column]
    straight = PaperMapping(model, person)._robot.elbows[0]
    expected = straight[0] + straight[1] * np.arccos(np.clip((np.cos(bend) - straight[2]) / straight[3], -1.0, 1.0))
    assert abs(found - np.clip(expected, model.lower[column], model.upper[column])) < 1e-9


def test_nothing_jumps_where_an_angle_of_the_file_does(inmoov: Model) -> None:
    """A head that turns round, told as 179 and then -179 degrees, and an arm that goes straight through its gimbal."""
    ways = np.linspace(-0.6, 0.6, 241)
    frames = [HANGS | {"left_upper_arm": axis_angle_rotation(X, way) @ HANGS["left_upper_arm"]} for way in ways]
    person, values = person_of(frames)
    Q = PaperMapping(inmoov, person).follow(values)
    assert np.abs(np.diff(Q, axis=0)).max() < 0.02
    wrapped = np.where(values > 0.0, values - 360.0, values)
    assert np.allclose(PaperMapping(inmoov, person).follow(wrapped), Q, atol=1e-9)


def test_a_frame_after_the_other_is_the_same_as_all_at_once(inmoov: Model) -> None:
    person, values = person_of(some_frames(9))
    mapping = PaperMapping(inmoov, person)
    q, rows = None, []
    for row in values:
        q = mapping.follow(row[None], q)[0]
        rows.append(q)
    assert np.array_equal(rows, mapping.follow(values))


def test_a_robot_that_is_not_built_as_a_person_is_refused() -> None:
    person, _ = person_of(some_frames(1))
    with pytest.raises(ImitationError, match="use the general one"):
        PaperMapping(load_model("cobot6"), person)


def test_an_imitator_follows_by_it_inside_its_limits(inmoov: Model) -> None:
    frames = some_frames(4)
    person, values = person_of([frames[0]] * 30 + frames)
    values = values.copy()
    imitator = Imitator(inmoov, person, 1 / 60, mapping="paper", collision=False, smoothing=None)
    spoilt = values.copy()
    spoilt[40] = np.nan
    made = imitator.run(spoilt)
    goals = PaperMapping(inmoov, person).follow(np.delete(values, 40, axis=0))
    assert np.allclose(np.delete(made.goals, 40, axis=0), goals) and np.array_equal(made.goals[40], made.goals[39])
    limits = limits_of(inmoov)
    assert (np.abs(np.diff(made.q, axis=0)) * 60 <= limits.velocity * (1 + 1e-9)).all()
    again = Imitator(inmoov, person, 1 / 60, mapping="paper", collision=False, smoothing=None)
    assert np.array_equal([again.step(row).q for row in spoilt], made.q)
