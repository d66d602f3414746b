"""Jogging: limits always kept, the line kept, slow near singularities, and out of them in every direction that there is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import BadConfiguration, Model, frame_pose, frame_twist
from armillary.solvers import BadTarget, Jog, SolverError, solve_ik
from armillary.spatial import axis_angle_rotation, rotation_vector, transform
from tests.solvers.arms import BUNDLED, EXTRA, arm

Array = NDArray[np.float64]
TICK = 0.002  # twice the executor's: half the time of these tests
HOME = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])
FOUR = [*BUNDLED, *(pytest.param(name, marks=pytest.mark.slow) for name in EXTRA if name in ("ur5", "panda", "tiago"))]


@dataclass
class Drive:
    """A jog of some seconds, followed by an ideal robot."""

    q: Array
    along: float  # how far the tip went along the asked direction [m or rad]
    aside: float  # how far it left the line at most [m]
    turned_aside: float  # and the orientation [rad]
    shares: list[float]
    said: set[str]
    flips: int  # ticks in which a joint went from its full acceleration to the full opposite one


def drive(model: Model, q: Array, twist: tuple[float, ...] | Array, seconds: float, jog: Jog | None = None) -> Drive:
    """Every tick is held against the limits of position, velocity and acceleration."""
    jog = jog or Jog(model, dt=TICK)
    twist, q = np.array(twist, dtype=float), q.copy()
    start = frame_pose(model, q, model.tip)
    before, dt, pushed, flips = jog._before.copy(), jog.dt, np.zeros(model.n), 0
    aside = turned_aside = along = 0.0
    shares, said = [], set()
    linear, angular = np.linalg.norm(twist[:3]), np.linalg.norm(twist[3:])
    for _ in range(round(seconds / dt)):
        step = jog.step(q, twist)
        assert np.isfinite(step.dq).all() and 0.0 <= step.share <= 1.0
        assert (np.abs(step.dq) <= model.velocity * (1 + 1e-9)).all()
        assert (np.abs(step.dq - before) <= model.acceleration * dt * (1 + 1e-6) + 1e-12).all()
        push = (step.dq - before) / (model.acceleration * dt)
        flips += bool((np.minimum(np.abs(push), np.abs(pushed)) * np.sign(push * pushed) < -0.95).any())
        before, pushed = step.dq, push
        q = q + dt * step.dq
        assert not model.outside(q)
        shares.append(step.share)
        said.add(step.held_by)
        T = frame_pose(model, q, model.tip)
        gap, turn = T[:3, 3] - start[:3, 3], rotation_vector(T[:3, :3] @ start[:3, :3].T)
        if linear:
            along = float(gap @ twist[:3] / linear)
            gap = gap - along * twist[:3] / linear
        if angular:
            along = float(turn @ twist[3:] / angular)
            turn = turn - along * twist[3:] / angular
        aside, turned_aside = max(aside, float(np.linalg.norm(gap))), max(turned_aside, float(np.linalg.norm(turn)))
    return Drive(q, along, aside, turned_aside, shares, said, flips)


def directions(linear: float = 0.1, angular: float = 0.3) -> list[Array]:
    scaled = np.diag([linear] * 3 + [angular] * 3)
    return [*scaled, *-scaled]


def test_a_free_jog_has_the_asked_speed_and_keeps_its_line() -> None:
    model = arm("cobot6")
    for twist in directions():
        result = drive(model, HOME, twist, 0.6)
        assert result.shares[-1] == pytest.approx(1.0, abs=5e-3)
        assert result.aside < 5e-4 and result.turned_aside < 2e-3
        assert result.along > 0.45 * np.linalg.norm(twist)


def test_velocities_are_the_jacobians_where_there_is_no_singularity() -> None:
    model = arm("cobot6")
    jog, q = Jog(model), HOME.copy()
    twist = np.array([0.03, -0.05, 0.02, 0.1, 0.05, -0.1])
    for _ in range(300):
        step = jog.step(q, twist)
        q = q + jog.dt * step.dq
    assert frame_twist(model, q, step.dq, "tool") == pytest.approx(twist, abs=2e-3)


def test_along_the_tools_own_axes() -> None:
    model = arm("cobot6")
    jog, q = Jog(model), HOME.copy()
    R = frame_pose(model, q, "tool")[:3, :3]
    start = frame_pose(model, q, "tool")[:3, 3]
    for _ in range(500):
        q = q + jog.dt * jog.step(q, np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0]), in_tool=True).dq
    moved = frame_pose(model, q, "tool")[:3, 3] - start
    assert moved / np.linalg.norm(moved) == pytest.approx(R[:, 2], abs=1e-2)


@pytest.mark.parametrize("name", FOUR)
def test_to_the_edge_of_reach_and_back(name: str) -> None:
    """Outwards until it stops, and back along the same line without a jump."""
    model = arm(name)
    q = middle(model)
    T = frame_pose(model, q, model.tip)
    away = T[:3, 3] - frame_pose(model, q, model.spec.robot.joint(model.joints[0]).child)[:3, 3]
    away[2] = 0.0
    twist = np.concatenate([0.2 * away / np.linalg.norm(away), np.zeros(3)])
    jog = Jog(model, dt=TICK)
    out = drive(model, q, twist, 8.0, jog)
    assert out.shares[-1] < 0.02, "it has not come to the edge"
    assert out.aside < 5e-4 and out.turned_aside < 2e-3
    back = drive(model, out.q, -twist, 3.0, jog)
    assert back.along > 0.3 and back.aside < 5e-4 and back.turned_aside < 2e-3


def middle(model: Model) -> Array:
    """A bent posture well inside the limits."""
    low = np.maximum(model.lower, -np.pi)
    high = np.minimum(model.upper, np.pi)
    q = 0.5 * (low + high)
    named = {"cobot6": HOME, "industrial6": np.array([0.1, -0.35, 0.17, 0.2, -1.0, 0.1])}
    chosen = named.get(model.spec.robot.name)
    if chosen is not None:
        return chosen
    return np.clip(q + 0.35 * np.array([(-1) ** i for i in range(model.n)]), low + 0.1, high - 0.1)


def singular(model: Model, measure: Callable[[Array], float], q: Array, joint: int) -> Array:
    """The posture in which a joint's value makes a measure zero, by bisection."""
    low, high = max(model.lower[joint], -np.pi), min(model.upper[joint], np.pi)
    values = np.linspace(low, high, 721)
    signs = []
    for value in values:
        q[joint] = value
        signs.append(measure(q))
    change = np.flatnonzero(np.diff(np.sign(signs)))
    assert len(change), "no singular posture along this joint"
    a, b, at = values[change[0]], values[change[0] + 1], signs[change[0]]
    for _ in range(80):
        q[joint] = 0.5 * (a + b)
        a, b = (q[joint], b) if np.sign(measure(q)) == np.sign(at) else (a, q[joint])
    return q


def possible(model: Model, q: Array, twist: Array) -> bool:
    """Whether a pose a little further that way can be reached without leaving the neighbourhood, by trying many ways."""
    T = frame_pose(model, q, model.tip)
    step = 0.05
    angle = float(np.linalg.norm(twist[3:])) * step
    R = axis_angle_rotation(twist[3:] / np.linalg.norm(twist[3:]), angle) if angle else np.eye(3)
    ahead = transform(R @ T[:3, :3], T[:3, 3] + twist[:3] * step)
    rng = np.random.default_rng(0)
    for _ in range(40):
        start = np.clip(q + rng.normal(size=model.n) * 0.15, model.lower, model.upper)
        result = solve_ik(model, ahead, seed=start, method="numeric", budget=0.002)
        if result.reached and result.restarts == 0 and np.abs(result.q - q).max() < 0.8:
            return True
    return False


def axes(model: Model, q: Array) -> tuple[Array, Array]:
    """Directions and origins of the joints' axes in the world."""
    z, p = [], []
    for name in model.joints:
        joint = model.spec.robot.joint(name)
        T = frame_pose(model, q, joint.child)
        z.append(T[:3, :3] @ np.array(joint.axis))
        p.append(T[:3, 3])
    return np.array(z), np.array(p)


def elbow(model: Model, q: Array) -> Array:
    def bend(q: Array) -> float:
        z, p = axes(model, q)
        end = p[3] if np.abs(np.cross(z[2], z[3])).max() < 1e-6 else p[4]
        return float(np.dot(z[2], np.cross(p[2] - p[1], end - p[2])))

    return singular(model, bend, q.copy(), 2)


def wrist(model: Model, q: Array) -> Array:
    def bend(q: Array) -> float:
        z, _ = axes(model, q)
        return float(np.dot(z[4], np.cross(z[3], z[5])))

    return singular(model, bend, q.copy(), 4)


def shoulder(model: Model, q: Array) -> Array:
    def ahead(q: Array) -> float:
        z, p = axes(model, q)
        return float(np.dot(p[4] - p[0], np.cross(z[0], z[1])))

    return singular(model, ahead, q.copy(), 1)


PARTS = {"elbow": elbow, "wrist": wrist, "shoulder": shoulder}
SINGULAR = [
    pytest.param(name, marks=() if name == "cobot6" else pytest.mark.slow)
    for name in (*BUNDLED, *EXTRA)
    if name in (*BUNDLED, "ur5")
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("part", PARTS)
def test_into_singularities_and_back(name: str, part: str) -> None:
    """Out of a singular posture, and then towards it, through it or up to it, and back again: on the line, within limits."""
    model = arm(name)
    q = PARTS[part](model, middle(model))
    tried = 0
    for twist in directions(0.15, 0.4):
        jog = Jog(model, dt=TICK)
        out = drive(model, q, twist, 2.5, jog)
        if out.along < 0.1 * np.linalg.norm(twist):
            continue  # not a way that leads far from here
        stood = drive(model, out.q, np.zeros(6), 0.5, jog)
        into = drive(model, stood.q, -twist, 2.5, jog)
        assert into.aside < 5e-4 and into.turned_aside < 2e-3, f"{part} {twist}"
        back = drive(model, into.q, twist, 1.5, jog)
        assert back.aside < 5e-4 and back.turned_aside < 2e-3, f"{part} {twist}"
        assert back.along > 0.02 * np.linalg.norm(twist)
        tried += 1
    assert tried >= 3


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("part", PARTS)
def test_out_of_every_singularity_in_every_direction_that_there_is(name: str, part: str) -> None:
    model = arm(name)
    q = PARTS[part](model, middle(model))
    moved = 0
    for twist in directions():
        result = drive(model, q, twist, 2.5)
        goes = result.along > 0.02 * np.linalg.norm(twist)
        if possible(model, q, twist):
            assert goes, f"{part} {twist}: {result.said}"
        assert result.aside < 5e-4 and result.turned_aside < 2e-3, f"{part} {twist}"
        moved += int(goes)
    assert moved >= 6


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_out_of_a_posture_that_is_singular_twice_over(sign: float) -> None:
    """All joints at zero: elbow and wrist at once. About x there is a way only after joints 2, 3, 4 and 6 have turned far."""
    result = drive(arm("cobot6"), np.zeros(6), (0.0, 0.0, 0.0, sign * 0.3, 0.0, 0.0), 4.0)
    assert result.along > 0.3 and result.aside < 5e-4 and result.turned_aside < 2e-3
    assert "joints turn first, so that this direction becomes possible" in result.said


@pytest.mark.parametrize("name", FOUR)
def test_from_anywhere_near_singularities_it_keeps_its_line_and_does_not_chatter(name: str) -> None:
    model, rng = arm(name), np.random.default_rng(5)
    flips = 0
    for _ in range(12):
        q = np.clip(model.random(rng), -np.pi, np.pi)
        if model.n == 6:
            q[[2, 4]] = 0.05 * rng.normal(size=2)
        q = np.clip(q, model.lower, model.upper)
        twist = (
            rng.normal(size=6) * [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]
            if rng.random() < 0.5
            else rng.normal(size=6) * [0, 0, 0, 0.3, 0.3, 0.3]
        )
        result = drive(model, q, twist, 1.2)
        assert result.aside < 5e-4 and result.turned_aside < 2e-3, f"{q} {twist}"
        flips += result.flips
    assert flips <= 6


def test_a_stick_that_is_turned_is_followed() -> None:
    """Another direction in every tick: the tool goes round at the asked speed."""
    model = arm("cobot6")
    jog, q = Jog(model), HOME.copy()
    for i in range(2000):
        angle = 2.0 * np.pi * i / 4000
        step = jog.step(q, (0.1 * np.cos(angle), 0.1 * np.sin(angle), 0.0, 0.0, 0.0, 0.0))
        q = q + jog.dt * step.dq
        if i > 300:
            v = frame_twist(model, q, step.dq, "tool")
            assert np.linalg.norm(v[:3]) == pytest.approx(0.1, rel=0.06)
            assert v[0] * np.cos(angle) + v[1] * np.sin(angle) > 0.099 * np.linalg.norm(v[:3]) / 0.1


def test_a_robot_that_was_moved_by_something_else_brakes_and_begins_anew() -> None:
    model = arm("cobot6")
    jog, q = Jog(model), HOME.copy()
    for _ in range(300):
        q = q + jog.dt * jog.step(q, (0.1, 0, 0, 0, 0, 0)).dq
    q = q + 0.2
    before = jog._before.copy()
    for _ in range(600):
        step = jog.step(q, (0.1, 0, 0, 0, 0, 0))
        assert (np.abs(step.dq - before) <= model.acceleration * jog.dt * (1 + 1e-6)).all()
        before = step.dq
        q = q + jog.dt * step.dq
    assert frame_twist(model, q, step.dq, "tool")[0] == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("name", FOUR)
def test_random_jogs_keep_every_limit(name: str) -> None:
    """Directions thrown about from anywhere: what `drive` asserts of each tick is the test."""
    model, rng = arm(name), np.random.default_rng(0)
    for _ in range(3):
        q, jog = model.random(rng), Jog(model, dt=TICK)
        for _ in range(4):
            twist = rng.normal(size=6) * [0.2, 0.2, 0.2, 0.5, 0.5, 0.5]
            q = drive(model, q, twist, 0.3, jog).q
        result = drive(model, q, np.zeros(6), 1.0, jog)
        assert np.abs(jog._before).max() < 1e-9, "it stands when asked to"
        assert result.q == pytest.approx(drive(model, result.q, np.zeros(6), 0.05, jog).q)


def test_a_joint_at_its_end_stops_the_tool_on_its_line() -> None:
    model = arm("cobot6")
    q = HOME.copy()
    q[2] = model.lower[2] + 0.05
    jog = Jog(model)
    T = frame_pose(model, q, "tool")
    inwards = np.concatenate([-(T[:3, 3] - frame_pose(model, q, "link_1")[:3, 3]), np.zeros(3)])
    inwards *= 0.2 / np.linalg.norm(inwards)
    result = drive(model, q, inwards, 4.0, jog)
    assert result.aside < 5e-4


def test_bad_input() -> None:
    model = arm("cobot6")
    with pytest.raises(BadTarget, match="six finite numbers"):
        Jog(model).step(HOME, np.array([np.nan, 0, 0, 0, 0, 0]))
    with pytest.raises(BadTarget, match="six"):
        Jog(model).step(HOME, np.zeros(3))
    with pytest.raises(BadConfiguration):
        Jog(model).step(np.zeros(3), np.zeros(6))
    with pytest.raises(SolverError, match="ticks of"):
        Jog(model, dt=0.0)
