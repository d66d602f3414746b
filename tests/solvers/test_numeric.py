"""The numeric solver's own laws: its derivatives, its descent, its restarts."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import BadConfiguration, build_model, frame_jacobian, frame_pose, load_model
from armillary.solvers import (
    BadTarget,
    Hold,
    Jog,
    Target,
    chain_between,
    differential_kernels,
    kernels,
    solve_ik,
    solve_ik_batch,
    solve_path,
    warm_up,
)
from armillary.solvers.method import Problem
from armillary.solvers.numeric import solve_numeric
from armillary.spatial import axis_angle_rotation, inverse, transform
from tests.solvers.arms import ARMS, arm, chain_of, error_at, narrowed

Array = NDArray[np.float64]


@pytest.mark.parametrize("name", ARMS)
def test_its_forward_kinematics_and_jacobian_are_the_models(name: str) -> None:
    model, rng = arm(name), np.random.default_rng(0)
    chain = chain_of(model)
    m = len(chain.rows)
    R, at, turn, J = np.empty((3, 4)), np.empty((m, 6)), np.empty((3, m)), np.empty((6, chain.n))
    for _ in range(20):
        q = model.random(rng)
        kernels.forward(q[chain.columns], *chain.geometry, R, at, turn, J)
        assert pytest.approx(frame_pose(model, q, model.tip)[:3], abs=1e-12) == R
        assert pytest.approx(frame_jacobian(model, q, model.tip)[:, chain.columns], abs=1e-12) == J


@pytest.mark.parametrize("text", ["pose", "position", "axis=z", "x,y,rz", "z,rx@base", "x,y,z,rx"])
def test_its_errors_have_the_derivative_that_it_steps_by(text: str) -> None:
    """By central differences, far from the target too, where parts that do not count are large."""
    model, rng = arm("cobot6"), np.random.default_rng(1)
    chain = chain_of(model)
    hold = Hold.read(text)
    R, at, turn, J, e, size = np.empty((3, 4)), np.empty((6, 6)), np.empty((3, 6)), np.empty((6, 6)), np.empty(6), np.empty(2)

    def error(q: Array, target: Target) -> Array:
        kernels.forward(q, *chain.geometry, R, at, turn, J)
        kernels.error(*target.arrays, R, J, e, size)
        return e.copy()

    for _ in range(10):
        q, other = model.random(rng), model.random(rng)
        target = Target.of(
            frame_pose(model, q, "tool") @ offset(rng, 0.3) if text == "pose" else frame_pose(model, other, "tool"), hold
        )
        here = error(q, target)
        slopes = J.copy()
        step = 1e-6
        numeric = np.array(
            [(error(q + step * unit, target) - error(q - step * unit, target)) / (2 * step) for unit in np.eye(6)]
        ).T
        if text in ("pose", "axis=z"):  # these step by the angular velocity itself, right where the error is small
            shrink = Target.of(frame_pose(model, q, "tool") @ offset(rng, 1e-4), hold)
            error(q, shrink)
            slopes = J.copy()
            numeric = np.array(
                [(error(q + step * unit, shrink) - error(q - step * unit, shrink)) / (2 * step) for unit in np.eye(6)]
            ).T
            assert -numeric == pytest.approx(slopes, abs=2e-3)
        else:
            assert -numeric == pytest.approx(slopes, abs=1e-4 * (1 + np.abs(here).max()))


def offset(rng: np.random.Generator, size: float) -> Array:
    axis = rng.normal(size=3)
    return transform(axis_angle_rotation(axis / np.linalg.norm(axis), size), rng.normal(size=3) * size)


def test_cosines_are_those_of_the_library() -> None:
    angles = np.random.default_rng(0).uniform(-30, 30, 100_000)
    angles[:9] = np.arange(-4, 5) * np.pi / 2
    cos, sin = np.empty_like(angles), np.empty_like(angles)
    kernels.cosines(angles, cos, sin)
    assert np.abs(cos - np.cos(angles)).max() < 2e-15 and np.abs(sin - np.sin(angles)).max() < 2e-15


@pytest.mark.parametrize("axis", [(1e-3, 0, -1), (0, 1e-6, -1), (0, 0, -1), (0, 0, 1), (1, 0, 0), (0.6, -0.8, 0), (1e-9, 0, 1)])
def test_an_axis_that_points_almost_anywhere_is_taken_as_it_is(axis: tuple[float, float, float]) -> None:
    """Once an axis within a milliradian of -z was taken for -z, and answers were millimetres off."""
    robot = arm("cobot6").spec.robot
    direction = np.array(axis) / np.linalg.norm(axis)
    joints = tuple(
        replace(joint, axis=(float(direction[0]), float(direction[1]), float(direction[2]))) if joint.name == "joint_2" else joint
        for joint in robot.joints
    )
    model = build_model(replace(robot, joints=joints), tip="tool0")
    chain = chain_of(model)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = model.random(rng)
        assert chain.pose(q) == pytest.approx(frame_pose(model, q, "tool0"), abs=1e-12)


def test_limits_are_inside_the_iteration() -> None:
    """Where only a corner of the range is left, it is found."""
    model = arm("industrial6")
    rng = np.random.default_rng(0)
    for joint in model.joints[:3]:
        column = model.column(joint)
        tight = narrowed(model, joint, model.upper[column] - 0.05, model.upper[column])
        for _ in range(20):
            q = tight.random(rng)
            T = frame_pose(tight, q, "tool")
            result = solve_ik(tight, T, seed=tight.random(rng), method="numeric")
            assert result.reached and not tight.outside(result.q)


def test_a_solution_at_the_very_limit_is_found() -> None:
    model, rng = arm("industrial6"), np.random.default_rng(3)
    for _ in range(50):
        q = np.where(rng.random(6) < 0.3, model.upper, model.random(rng))
        T = frame_pose(model, q, "tool")
        assert solve_ik(model, T, seed=model.random(rng), method="numeric").reached


def test_half_a_turn_away_is_no_dead_end() -> None:
    """An orientation error of exactly pi has no direction of its own; the solver takes one."""
    model = arm("cobot6")
    q = np.array([0.3, 1.0, -1.4, -1.2, -1.3, 0.2])
    for axis in np.eye(3):
        turned = q.copy()
        T = frame_pose(model, q, "tool")
        half = 2 * np.outer(axis, axis) - np.eye(3)
        T[:3, :3] = T[:3, :3] @ half
        result = solve_ik(model, T, seed=turned, method="numeric")
        assert result.reached and max(error_at(model, result.q, T)) < 1e-5


def test_nothing_is_compiled_in_the_middle_of_a_motion() -> None:
    """After the first of each, no question makes numba compile: arrays always arrive in one layout."""
    warm_up()
    compiled = [
        thing for module in (kernels, differential_kernels) for thing in vars(module).values() if hasattr(thing, "signatures")
    ]
    before = [len(thing.signatures) for thing in compiled]
    assert sum(before) >= 15
    model, rng = load_model("industrial6"), np.random.default_rng(0)
    Q = model.random(rng, 4)
    T = np.array([frame_pose(model, q, "tool") for q in Q])
    fortran, single = np.asfortranarray(T[0]), T[0].astype(np.float32).tolist()
    for pose in (T[0], fortran, T[1:3].transpose(0, 2, 1)[0].T, single):
        for hold in (None, Hold.position(), Hold.axis("x"), Hold.mask((1, 0, 1, 0, 1, 0), axes="base")):
            solve_ik(model, pose, seed=Q[2], hold=hold, every=True)
    solve_ik(model, transform(np.eye(3), (5, 5, 5)), seed=Q[1][::-1])
    solve_ik_batch(model, T[::2], seeds=Q[::2])
    solve_path(model, T[:2], seed=Q[0])
    jog = Jog(model)
    for _ in range(5):
        jog.step(Q[0], [0.1, 0, 0, 0, 0, 0.1], in_tool=True)
    assert [len(thing.signatures) for thing in compiled] == before


class TestBatch:
    def test_many_at_once_reach_and_keep_limits(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(0)
        Q, seeds = model.random(rng, 500), model.random(rng, 500)
        T = np.array([frame_pose(model, q, "tool") for q in Q])
        result = solve_ik_batch(model, T, seeds=seeds)
        assert result.reached.all() and result.q.shape == (500, 6)
        for q, pose in zip(result.q, T, strict=True):
            assert max(error_at(model, q, pose)) < 1e-5 and not model.outside(q)

    def test_an_answer_does_not_depend_on_its_neighbours(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(0)
        Q, seeds = model.random(rng, 300), model.random(rng, 300)
        T = np.array([frame_pose(model, q, "tool") for q in Q])
        together = solve_ik_batch(model, T, seeds=seeds).q
        for i in (0, 17, 299):
            assert np.array_equal(solve_ik_batch(model, T[i : i + 1], seeds=seeds[i]).q[0], together[i])

    def test_what_is_not_reached_is_marked(self) -> None:
        model = arm("cobot6")
        T = np.array([frame_pose(model, model.zero() + 0.3, "tool"), transform(np.eye(3), (4, 0, 0))])
        result = solve_ik_batch(model, T)
        assert result.reached.tolist() == [True, False]
        assert result.error[1, 0] > 2.0 and np.isfinite(result.q).all()

    def test_holds_are_honoured(self) -> None:
        model, rng = load_model("inmoov", group="left_arm"), np.random.default_rng(0)
        T = np.array([frame_pose(model, q, "tool") for q in model.random(rng, 100)])
        result = solve_ik_batch(model, T, hold=Hold.axis("z"))
        assert result.reached.all()
        for q, pose in zip(result.q, T, strict=True):
            there = frame_pose(model, q, "tool")
            assert np.linalg.norm(there[:3, 3] - pose[:3, 3]) < 1e-5 and there[:3, 2] @ pose[:3, 2] > 1 - 1e-9

    def test_bad_input_says_which(self) -> None:
        model = arm("cobot6")
        good = np.tile(np.eye(4), (3, 1, 1))
        bad = good.copy()
        bad[1, 0, 0] = np.nan
        with pytest.raises(BadTarget, match="pose 1 is not finite"):
            solve_ik_batch(model, bad)
        with pytest.raises(BadTarget, match=r"\(N, 4, 4\)"):
            solve_ik_batch(model, np.eye(4))
        with pytest.raises(BadConfiguration, match="2 seeds for 3 poses"):
            solve_ik_batch(model, good, seeds=np.zeros((2, 6)))
        assert solve_ik_batch(model, np.empty((0, 4, 4))).q.shape == (0, 6)


def test_as_many_solutions_as_the_budget_finds() -> None:
    """Asked for all, the numeric solver finds the closed form's eight, and claims no more than that it found them."""
    model = arm("cobot6")
    q = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])
    T = frame_pose(model, q, "tool")
    every = solve_ik(model, T, seed=q, method="numeric", every=True, budget=2.0)
    assert len(every.found) == len(solve_ik(model, T).found) == 8 and not every.complete


def test_a_chain_through_a_moving_base_is_the_relative_pose() -> None:
    model, rng = load_model("mobile6"), np.random.default_rng(0)
    chain = chain_between(model, "link_2", "link_5")
    q = model.random(rng)
    expected = inverse(frame_pose(model, q, "link_2")) @ frame_pose(model, q, "link_5")
    assert chain.pose(q[chain.columns]) == pytest.approx(expected, abs=1e-12)
    back = chain_between(model, "link_5", "link_2")
    assert back.pose(q[back.columns]) == pytest.approx(inverse(expected), abs=1e-12)


def test_the_budget_ends_a_search_that_finds_nothing() -> None:
    model = arm("cobot6")
    chain = chain_of(model)
    target = Target.of(transform(np.eye(3), (9.0, 0.0, 0.0)))
    found = solve_numeric(Problem(model, chain, target, np.zeros(6), budget=0.003))
    assert not found.solutions and found.best is not None and found.restarts > 3
