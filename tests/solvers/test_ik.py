"""The front: what it finds, what it says when it does not, and how it chooses."""

import numpy as np
import pytest

from armillary.model import BadConfiguration, Scene, UnknownFrame, frame_pose, load_model, manipulability
from armillary.solvers import BadTarget, Branch, Hold, SolverError, UnknownMethod, chain_between, solve_ik
from armillary.spatial import inverse, rotation_vector, transform, transform_from_xyz_rpy
from tests.solvers.arms import ARMS, arm, chain_of, error_at, narrowed

HOME = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])


@pytest.mark.parametrize("method", ["auto", "numeric"])
@pytest.mark.parametrize("name", ARMS)
def test_every_reachable_pose_is_reached_inside_the_limits(name: str, method: str) -> None:
    model, rng = arm(name), np.random.default_rng(7)
    for _ in range(100):
        T, seed = frame_pose(model, model.random(rng), model.tip), model.random(rng)
        result = solve_ik(model, T, seed=seed, method=method)
        assert result.reached, str(result)
        metres, radians = error_at(model, result.q, T)
        assert metres < 1e-5 and radians < 1e-5
        assert result.error == pytest.approx((metres, radians), abs=1e-8)
        assert not model.outside(result.q)


def test_the_answer_follows_from_the_question_alone() -> None:
    model, rng = arm("cobot6"), np.random.default_rng(3)
    T, seed = frame_pose(model, model.random(rng), model.tip), model.random(rng)
    one, two = (solve_ik(model, T, seed=seed, method="numeric", random=5) for _ in range(2))
    assert np.array_equal(one.q, two.q) and one.iterations == two.iterations


def test_a_frame_that_cannot_be_written_to_is_taken() -> None:
    model = arm("cobot6")
    T, seed = frame_pose(model, HOME, model.tip), HOME.copy()
    T.setflags(write=False)
    seed.setflags(write=False)
    assert solve_ik(model, T, seed=seed).reached


class TestFrames:
    def test_a_pose_in_a_base_that_stands_elsewhere(self) -> None:
        model = arm("cobot6")
        T_base = inverse(frame_pose(model, HOME, "base")) @ frame_pose(model, HOME, "tool")
        assert model.reference == "base"
        result = solve_ik(model, T_base, seed=HOME, base="base")
        assert result.reached and result.q == pytest.approx(HOME, abs=1e-8)
        assert not np.allclose(frame_pose(model, HOME, "tool"), T_base)

    def test_a_base_that_moves_with_the_arm(self) -> None:
        """The upper arm as base: only the joints behind it are solved for, the others stay."""
        model, rng = arm("cobot6"), np.random.default_rng(0)
        q = model.random(rng)
        T = inverse(frame_pose(model, q, "link_2")) @ frame_pose(model, q, "link_6")
        seed = model.random(rng)
        result = solve_ik(model, T, seed=seed, base="link_2", tip="link_6")
        assert result.reached
        assert result.q[:2] == pytest.approx(seed[:2])
        assert max(error_at(model, result.q, T, tip="link_6", base="link_2")) < 1e-5

    def test_from_one_hand_to_the_other(self) -> None:
        """The way from tip to tip leads up one arm and down the other: each joint of the first is passed backwards."""
        model, rng = load_model("inmoov"), np.random.default_rng(4)
        q, seed = model.random(rng), model.random(rng)
        T = inverse(frame_pose(model, q, "l_palm")) @ frame_pose(model, q, "r_palm")
        result = solve_ik(model, T, seed=seed, base="l_palm", tip="r_palm")
        chain = chain_between(model, "l_palm", "r_palm")
        assert {"l_elbow_flex_joint", "r_elbow_flex_joint"} <= set(chain.joints)
        assert not any(joint.startswith("waist") for joint in chain.joints)
        assert result.reached and max(error_at(model, result.q, T, tip="r_palm", base="l_palm")) < 1e-5

    def test_a_tool_is_honoured(self) -> None:
        model = load_model("industrial6")
        T = transform_from_xyz_rpy((0, 1.1744, 1.176), (0, 0, 0))
        q = solve_ik(model, T).q
        assert frame_pose(model, q, "tool") == pytest.approx(T, abs=1e-9)

    def test_mimics_follow(self) -> None:
        """Fingers follow their first joint, so that its column of the Jacobian is the sum of theirs."""
        model, rng = load_model("inmoov"), np.random.default_rng(1)
        tip = next(frame for frame in model.frames if frame.startswith("r_index") and not chain_between(model, "", frame).plain)
        q = model.random(rng)
        T = frame_pose(model, q, tip)
        result = solve_ik(model, T, seed=q + 0.02, tip=tip, tolerance=(1e-6, 1e-5))
        assert result.reached and max(error_at(model, result.q, T, tip=tip)) < 1e-5


class TestHolds:
    @pytest.mark.parametrize(
        "text", ["pose", "position", "axis=z", "axis=0.6,0,0.8", "x,y,z,rx,ry", "x,y@base", "z,rx", "rx,ry,rz"]
    )
    def test_are_read_as_they_are_written(self, text: str) -> None:
        hold = Hold.read(text)
        assert Hold.read(str(hold)) == hold

    def test_position_only(self) -> None:
        model, rng = arm("industrial6"), np.random.default_rng(0)
        T = frame_pose(model, model.random(rng), "tool")
        turned = T @ transform_from_xyz_rpy((0, 0, 0), (1.0, -0.5, 2.0))
        result = solve_ik(model, turned, seed=model.random(rng), hold=Hold.position())
        assert result.reached and error_at(model, result.q, T)[0] < 1e-5

    @pytest.mark.parametrize("axis", ["x", "y", "z", (0.6, 0.0, 0.8)])
    def test_one_axis_with_free_spin(self, axis: str | tuple[float, ...]) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(2)
        direction = np.array({"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.get(axis, axis) if isinstance(axis, str) else axis)
        for _ in range(20):
            T = frame_pose(model, model.random(rng), "tool")
            result = solve_ik(model, T, seed=model.random(rng), hold=Hold.axis(axis))
            there = frame_pose(model, result.q, "tool")
            assert result.reached and np.linalg.norm(there[:3, 3] - T[:3, 3]) < 1e-5
            assert there[:3, :3] @ direction == pytest.approx(T[:3, :3] @ direction, abs=2e-5)

    @pytest.mark.parametrize("axes", ["tool", "base"])
    @pytest.mark.parametrize(
        "mask", [(1, 1, 0, 1, 1, 1), (1, 0, 1, 1, 0, 0), (0, 0, 1, 1, 1, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 1, 0)]
    )
    def test_any_mask(self, mask: tuple[int, ...], axes: str) -> None:
        """What counts is met; measured along the axes that were named."""
        model, rng = arm("cobot6"), np.random.default_rng(5)
        for _ in range(10):
            T = frame_pose(model, model.random(rng), "tool")
            result = solve_ik(model, T, seed=model.random(rng), hold=Hold.mask(mask, axes=axes))
            assert result.reached, str(result)
            there = frame_pose(model, result.q, "tool")
            W = T[:3, :3] if axes == "tool" else np.eye(3)
            left = np.concatenate([W.T @ (T[:3, 3] - there[:3, 3]), W.T @ rotation_vector(T[:3, :3] @ there[:3, :3].T)])
            assert np.abs(left[np.array(mask, dtype=bool)]).max() < 2e-5

    @pytest.mark.parametrize("group", ["right_arm", "left_arm"])
    def test_five_joints_hold_position_and_hand_axis(self, group: str) -> None:
        model, rng = load_model("inmoov", group=group), np.random.default_rng(0)
        for _ in range(200):
            T = frame_pose(model, model.random(rng), "tool")
            result = solve_ik(model, T, seed=model.random(rng), hold=Hold.axis("z"))
            assert result.reached and not model.outside(result.q)
            there = frame_pose(model, result.q, "tool")
            assert np.linalg.norm(there[:3, 3] - T[:3, 3]) < 1e-5
            assert np.arccos(np.clip(there[:3, 2] @ T[:3, 2], -1, 1)) < 2e-5


class TestNotReached:
    def test_beyond_reach_by_how_much(self) -> None:
        model = arm("industrial6")
        shoulder = np.array([0.0, 0.2, 0.679])
        furthest = 0.890 + np.hypot(0.195, 0.4369 + 0.1995)  # the wrist; the tool adds 0.238 whichever way it points
        T = transform(np.eye(3), shoulder + np.array([0.0, 5.0, 0.0]))
        result = solve_ik(model, T, hold=Hold.position())
        assert not result.reached and result.hindrance is not None
        assert result.hindrance.kind == "reach"
        assert result.hindrance.amount == pytest.approx(5.0 - furthest - 0.238, abs=2e-3)
        assert "beyond reach by" in str(result)
        assert result.nearest is not None and result.nearest[1, 3] == pytest.approx(frame_pose(model, result.q, "tool")[1, 3])

    def test_the_nearest_pose_can_be_reached(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(0)
        for _ in range(20):
            T = transform_from_xyz_rpy(rng.uniform(-2, 2, 3), rng.uniform(-3, 3, 3))
            result = solve_ik(model, T)
            if not result.reached:
                assert result.nearest is not None
                assert solve_ik(model, result.nearest, seed=result.q).reached
                assert not model.outside(result.q)

    def test_a_joint_at_its_limit_is_named(self) -> None:
        """The pose is turned about the base, and joint 1 alone may not follow."""
        model = arm("mobile6")
        q = model.zero()
        q[model.column("joint_5")] = 0.9
        T = frame_pose(model, q, "tool")
        narrow = narrowed(model, "joint_1", -0.05, 0.05)
        turned = transform_from_xyz_rpy((0, 0, 0), (0, 0, 2.0)) @ T
        result = solve_ik(narrow, turned, seed=q)
        assert not result.reached and result.hindrance is not None
        assert result.hindrance.kind == "limit" and "joint_1" in result.hindrance.joints
        assert "joint_1" in str(result)

    def test_five_joints_are_told_apart_from_a_bad_orientation(self) -> None:
        model, rng = load_model("inmoov", group="right_arm"), np.random.default_rng(0)
        T = frame_pose(model, model.random(rng), "tool") @ transform_from_xyz_rpy((0, 0, 0), (0, 0, 0.4))
        result = solve_ik(model, T)
        assert not result.reached and result.hindrance is not None
        assert "5 joints cannot hold 6 directions" in result.hindrance.text

    def test_a_longer_budget_is_searched_for_longer(self) -> None:
        model = arm("cobot6")
        T = transform(np.eye(3), (3.0, 0.0, 0.0))
        short, long = (solve_ik(model, T, method="numeric", budget=budget) for budget in (0.002, 0.2))
        assert not short.reached and not long.reached
        assert 0 < short.iterations < long.iterations / 3


class TestChoice:
    def test_nearest_to_the_seed_by_the_rule(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(0)
        weights = np.array([1.0, 0.5, 0.5, 0.1, 0.1, 0.1])
        for _ in range(20):
            T, seed = frame_pose(model, model.random(rng), "tool"), model.random(rng)
            result = solve_ik(model, T, seed=seed)
            best = min(
                float((((q - seed) * weights) ** 2).sum()) for solution in result.solutions for q in solution.configurations()
            )
            assert float((((result.q - seed) * weights) ** 2).sum()) == pytest.approx(best, rel=1e-9)

    def test_full_turns_are_listed_and_chosen_among(self) -> None:
        model = arm("cobot6")
        far = HOME + np.array([2 * np.pi, 0, 0, 2 * np.pi, 0, 0])
        seed = np.clip(far, model.lower, model.upper)
        result = solve_ik(model, frame_pose(model, HOME, "tool"), seed=seed)
        assert result.reached
        first = result.solutions[0]
        assert first.count == len(list(first.configurations())) >= 16
        for q in first.configurations():
            assert not model.outside(q)
            assert max(error_at(model, q, frame_pose(model, HOME, "tool"))) < 1e-9
        assert result.q[0] > np.pi

    def test_most_central(self) -> None:
        model, rng = arm("industrial6"), np.random.default_rng(1)
        T = frame_pose(model, model.random(rng), "tool")
        middle, half = 0.5 * (model.upper + model.lower), 0.5 * (model.upper - model.lower)
        result = solve_ik(model, T, choose="central")
        off = [np.abs((q - middle) / half).max() for solution in result.solutions for q in solution.configurations()]
        assert np.abs((result.q - middle) / half).max() == pytest.approx(min(off))

    def test_best_manipulability(self) -> None:
        model = arm("cobot6")
        T = frame_pose(model, HOME, "tool")
        result = solve_ik(model, T, choose="manipulability")
        measures = [manipulability(model, solution.q, "tool") for solution in result.solutions]
        assert measures[0] == pytest.approx(max(measures))

    def test_the_same_branch(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(2)
        T = frame_pose(model, HOME, "tool")
        branches = [solution.branch for solution in solve_ik(model, T).solutions]
        assert len(set(branches)) == 8
        for branch in branches:
            assert isinstance(branch, Branch)
            q = solve_ik(model, T, branch=branch).solutions[0].q
            assert solve_ik(model, T, seed=q, branch="same").solutions[0].branch == branch
            assert solve_ik(model, T, seed=model.random(rng), branch=str(branch)).solutions[0].branch == branch

    def test_a_branch_that_has_no_solution_is_said(self) -> None:
        """Joint 3 may bend one way only, so that half of the branches are gone."""
        model = narrowed(arm("cobot6"), "joint_3", -2.9, -0.1)
        T = frame_pose(model, HOME, "tool")
        there = {str(solution.branch) for solution in solve_ik(model, T).solutions}
        gone = [branch for branch in every_branch() if str(branch) not in there]
        assert len(there) == len(gone) == 4
        for branch in gone:
            result = solve_ik(model, T, branch=branch)
            assert not result.reached and result.hindrance is not None and result.hindrance.kind == "branch"
            assert all(name in result.hindrance.text for name in there)

    def test_free_of_collisions(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(0)
        scene = Scene(model)
        told = 0
        for _ in range(30):
            T, seed = frame_pose(model, model.random(rng), "tool"), model.random(rng)
            every = solve_ik(model, T, seed=seed)
            result = solve_ik(model, T, seed=seed, scene=scene)
            free = [q for q in every.found if scene.free(q)]
            assert result.reached == bool(free)
            if free:
                assert np.array_equal(result.q, free[0])
            else:
                assert result.hindrance is not None and result.hindrance.kind == "collision"
            told += len(free) < len(every.found)
        assert told > 5

    def test_unknown_rules_are_refused(self) -> None:
        with pytest.raises(SolverError, match="nearest, central, manipulability"):
            solve_ik(arm("cobot6"), np.eye(4), choose="best")
        with pytest.raises(SolverError, match="front or back"):
            solve_ik(arm("cobot6"), frame_pose(arm("cobot6"), HOME, "tool"), branch="left")


def every_branch() -> list[Branch]:
    return [Branch(s, e, w) for s in ("front", "back") for e in ("up", "down") for w in ("plain", "flipped")]


class TestBadInput:
    @pytest.mark.parametrize(
        ("T", "said"),
        [
            (np.full((4, 4), np.nan), "row 0, column 0 is nan"),
            (np.diag([1.0, 1.0, -1.0, 1.0]), "mirror image"),
            (np.diag([2.0, 1.0, 1.0, 1.0]), r"R\^T R differs from I by 3"),
            (np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]), "last row"),
            (np.eye(3), r"has shape \(3, 3\)"),
            (transform(np.eye(3), (np.inf, 0, 0)), "row 0, column 3 is inf"),
            (transform(np.eye(3), (1e12, 0, 0)), "give metres"),
            ("here", "not an array of numbers"),
        ],
    )
    def test_what_is_no_pose(self, T: np.ndarray, said: str) -> None:
        with pytest.raises(BadTarget, match=said):
            solve_ik(arm("cobot6"), T)

    def test_a_rounded_rotation_is_mended(self) -> None:
        model = arm("cobot6")
        T = frame_pose(model, HOME, "tool").round(7)
        assert solve_ik(model, T, seed=HOME).error[1] < 1e-9

    def test_a_frame_that_is_not_there(self) -> None:
        for tip, base in (("tol0", ""), ("tool0", "tol0")):
            with pytest.raises(UnknownFrame, match="nearest first, there are: tool0"):
                solve_ik(arm("cobot6"), np.eye(4), tip=tip, base=base)
        with pytest.raises(UnknownFrame, match="no commanded joint moves the frame 'base'"):
            solve_ik(arm("cobot6"), np.eye(4), tip="base")

    def test_a_seed_of_the_wrong_length_or_not_finite(self) -> None:
        with pytest.raises(BadConfiguration, match="seed has shape"):
            solve_ik(arm("cobot6"), np.eye(4), seed=np.zeros(5))
        with pytest.raises(BadConfiguration, match="joint_2 = nan"):
            solve_ik(arm("cobot6"), np.eye(4), seed=np.array([0, np.nan, 0, 0, 0, 0]))

    def test_a_seed_outside_the_limits_is_used_and_said(self) -> None:
        model = arm("industrial6")
        seed = model.zero()
        seed[1] = 9.0
        result = solve_ik(model, frame_pose(model, model.zero() + 0.2, "tool"), seed=seed)
        assert result.reached and "the seed's joint_2 at 9 is outside" in result.notes[0]

    def test_a_method_that_is_not_there(self) -> None:
        with pytest.raises(UnknownMethod, match="there are: auto, closed_form, numeric, swarm"):
            solve_ik(arm("cobot6"), np.eye(4), method="magic")

    @pytest.mark.parametrize("text", ["", "axis=w", "axis=0,0,0", "x,y,q", "axis=1,2"])
    def test_a_hold_that_says_nothing(self, text: str) -> None:
        with pytest.raises(BadTarget):
            Hold.read(text)

    def test_a_tolerance_that_cannot_be_met(self) -> None:
        with pytest.raises(SolverError, match="above zero"):
            solve_ik(arm("cobot6"), np.eye(4), tolerance=(0.0, 1e-5))


def test_chains_know_their_joints() -> None:
    assert chain_of(arm("cobot6")).joints == tuple(f"joint_{i}" for i in range(1, 7))
