"""What a reader of the solvers found wrong, each put right and held by a test."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import Box, read_robot
from armillary.model import BadConfiguration, Model, Scene, build_model, frame_pose, frame_pose_batch, load_model
from armillary.solvers import Hold, Jog, SolverError, chain_between, solve_ik, solve_ik_batch, solve_path
from armillary.spatial import transform, transform_from_xyz_rpy
from tests.solvers.arms import arm, narrowed
from tests.solvers.test_differential import HOME, PARTS, drive, middle

Array = NDArray[np.float64]

GANTRY = """<robot name="gantry"><link name="base"/><link name="x"/><link name="y"/><link name="z"/><link name="tip"/>
<joint name="jx" type="prismatic"><parent link="base"/><child link="x"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="jy" type="prismatic"><parent link="x"/><child link="y"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="jz" type="prismatic"><parent link="y"/><child link="z"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.5" velocity="1" effort="1"/></joint>
<joint name="turn" type="continuous"><parent link="z"/><child link="tip"/><axis xyz="0 0 1"/>
<limit velocity="2" effort="1"/></joint></robot>"""


@pytest.fixture
def gantry(tmp_path: Path) -> Model:
    (tmp_path / "gantry.urdf").write_text(GANTRY)
    return build_model(read_robot(tmp_path / "gantry.urdf"))


class TestSlidingJoints:
    def test_they_are_solved_jogged_and_followed(self, gantry: Model) -> None:
        rng = np.random.default_rng(0)
        mask = Hold.mask((1, 1, 1, 0, 0, 1))
        for _ in range(30):
            q = gantry.random(rng)
            result = solve_ik(gantry, frame_pose(gantry, q, "tip"), seed=gantry.random(rng), hold=mask)
            assert result.reached
            assert result.q[:3] == pytest.approx(q[:3], abs=1e-5), "what slides has no full turns"
            assert all(len(turns) == 1 for turns in result.solutions[0].turns[:3])
        poses = np.tile(frame_pose(gantry, np.zeros(4), "tip"), (20, 1, 1))
        poses[:, 0, 3] = np.linspace(0, 0.5, 20)
        path = solve_path(gantry, poses, seed=np.zeros(4), hold=mask)
        assert path.complete and path.q[-1, 0] == pytest.approx(0.5, abs=1e-5)
        jog, q = Jog(gantry), np.array([0.0, 0.0, 0.2, 0.0])
        for _ in range(500):
            q = q + jog.dt * jog.step(q, (0.2, 0, 0, 0, 0, 0)).dq
        assert q[0] > 0.05 and abs(q[1]) < 1e-6

    def test_their_ends_are_named(self, gantry: Model) -> None:
        result = solve_ik(gantry, transform(np.eye(3), (1.5, 0.0, 0.2)), hold=Hold.position())
        assert result.hindrance is not None and result.hindrance.kind == "limit"
        assert result.hindrance.joints == ("jx",) and result.hindrance.amount == pytest.approx(0.5, abs=1e-4)


class TestJog:
    @pytest.mark.slow
    @pytest.mark.parametrize("part", ["wrist", "elbow"])
    def test_a_stick_that_is_never_still_leaves_a_singularity_too(self, part: str) -> None:
        """Speed that varies by a little every tick, as a hand's does, keeps the line and what is known of it."""
        model = arm("cobot6")
        q = PARTS[part](model, middle(model))
        for twist in np.diag([0.1, 0.1, 0.1, 0.3, 0.3, 0.3]):
            steady = drive(model, q, twist, 2.5).along
            jog, at = Jog(model, dt=0.002), q.copy()
            start = frame_pose(model, q, "tool")
            for tick in range(1250):
                at = at + jog.dt * jog.step(at, twist * (1 + 1e-3 * np.sin(tick))).dq
            moved = frame_pose(model, at, "tool")
            far = np.linalg.norm(moved[:3, 3] - start[:3, 3]) + np.linalg.norm(moved[:3, :3] - start[:3, :3])
            assert far > 1e-3 or steady < 0.02 * np.linalg.norm(twist)

    def test_a_joint_a_little_outside_its_limit_does_not_lock_the_arm(self) -> None:
        model = arm("industrial6")
        q = middle(model)
        q[3] = model.upper[3] + 0.02
        jog, at = Jog(model), q.copy()
        for _ in range(600):
            step = jog.step(at, (0.0, 0.0, -0.1, 0.0, 0.0, 0.0))
            assert step.dq[3] <= 1e-12, "outside it may only come in"
            at = at + jog.dt * step.dq
        assert frame_pose(model, at, "tool")[2, 3] < frame_pose(model, q, "tool")[2, 3] - 0.02

    def test_five_joints_are_jogged(self) -> None:
        model = load_model("inmoov", group="right_arm")
        begin = np.array([-0.4, -0.6, -0.3, -0.8, -1.5])
        start = frame_pose(model, begin, "tool")
        far = 0
        for way in (*np.eye(3), *-np.eye(3)):
            jog, q = Jog(model), begin.copy()
            assert str(jog.hold) == "axis=z"
            for _ in range(800):
                q = q + jog.dt * jog.step(q, np.array([*(0.03 * way), 0.0, 0.0, 0.0])).dq
            moved = frame_pose(model, q, "tool")
            gap = moved[:3, 3] - start[:3, 3]
            assert np.linalg.norm(gap - (gap @ way) * way) < 1e-3 and moved[:3, 2] == pytest.approx(start[:3, 2], abs=5e-3)
            far += gap @ way > 0.01
        assert far >= 3

    def test_more_than_the_joints_can_give_keeps_its_line(self) -> None:
        result = drive(arm("cobot6"), HOME, (0.0, -10.0, 0.0, 0.0, 0.0, 0.0), 0.5)
        assert result.aside < 5e-3 and max(result.shares) < 0.5

    def test_another_direction_is_braked_for_or_turned_into(self) -> None:
        """Back: it stops on its line and returns on it. A little aside: it does not stop."""
        model = arm("cobot6")
        jog = Jog(model, dt=0.002)
        out = drive(model, HOME, (0.15, 0, 0, 0, 0, 0), 1.0, jog)
        back = drive(model, out.q, (-0.15, 0, 0, 0, 0, 0), 0.5, jog)
        assert back.aside < 2e-4
        jog.reset()
        along = drive(model, HOME, (0.15, 0, 0, 0, 0, 0), 1.0, jog)
        speeds = []
        q = along.q
        for _ in range(100):
            step = jog.step(q, (0.14, 0.05, 0, 0, 0, 0))
            q = q + jog.dt * step.dq
            speeds.append(np.abs(step.dq).max())
        assert min(speeds) > 0.5 * max(speeds)

    def test_what_holds_it_is_said(self) -> None:
        model = arm("cobot6")
        out = drive(model, HOME, (0.25, 0, 0, 0, 0, 0), 4.0)
        assert "the edge of what can be reached is near" in out.said
        assert out.said & {"nothing further in this direction can be reached"}
        assert any("can do no more" in text for text in out.said)

    def test_a_frame_on_its_own_axes_is_turned(self, tmp_path: Path) -> None:
        (tmp_path / "pan.urdf").write_text(
            '<robot name="pan"><link name="a"/><link name="b"/><link name="c"/>'
            '<joint name="pan" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
            '<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
            '<joint name="tilt" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>'
            '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'
        )
        model = build_model(read_robot(tmp_path / "pan.urdf"))
        jog, q = Jog(model, hold=Hold.mask((0, 0, 0, 1, 1, 1))), np.zeros(2)
        for _ in range(500):
            q = q + jog.dt * jog.step(q, (0, 0, 0, 0, 0, 0.3)).dq
        assert q[0] > 0.05


class TestPath:
    def test_an_elbow_that_flips_between_two_poses_is_no_step(self) -> None:
        """Out to the edge of reach and back: every branch meets its mirror there, and none may be changed for it by a jump."""
        model = arm("cobot6")
        T = frame_pose(model, HOME, "tool")
        out = np.linspace(0.0, 0.5315, 200)
        poses = np.tile(T, (400, 1, 1))
        poses[:, 0, 3] += np.concatenate([out, out[::-1]])
        result = solve_path(model, poses, seed=HOME)
        Q = result.q
        for a, b, one, two in zip(Q[:-1], Q[1:], poses[:-1], poses[1:], strict=False):
            half = frame_pose(model, 0.5 * (a + b), "tool")[:3, 3]
            way = np.linalg.norm(two[:3, 3] - one[:3, 3])
            assert np.linalg.norm(half - 0.5 * (one + two)[:3, 3]) < 0.35 * way + 1e-4

    def test_an_obstacle_is_what_ends_it(self) -> None:
        model = arm("cobot6")
        poses = np.tile(frame_pose(model, HOME, "tool"), (30, 1, 1))
        poses[:, 1, 3] += np.linspace(0, -0.3, 30)
        scene = Scene(model)
        scene.add("wall", Box((0.1, 0.1, 0.1)), transform(np.eye(3), poses[20][:3, 3]))
        result = solve_path(model, poses, seed=HOME, scene=scene)
        assert not result.complete and 5 < len(result.q) <= 20
        assert "would touch wall" in result.ends[0].why or "wall would touch" in result.ends[0].why

    def test_the_way_that_moves_least_is_taken(self) -> None:
        """Of all ways through, none is cheaper; and weights change which one it is."""
        model = arm("cobot6")
        poses = np.tile(frame_pose(model, HOME, "tool"), (20, 1, 1))
        poses[:, 1, 3] += np.linspace(0, -0.2, 20)
        best = solve_path(model, poses, seed=HOME)
        rule = np.array([1.0, 0.5, 0.5, 0.1, 0.1, 0.1])
        for solution in solve_ik(model, poses[0], seed=HOME).solutions:
            other = solve_path(model, poses, seed=solution.q)
            cost = (((np.diff(other.q, axis=0)) * rule) ** 2).sum() + (((other.q[0] - HOME) * rule) ** 2).sum()
            if other.complete:
                assert best.cost <= cost + 1e-9
        far = solve_path(model, poses, seed=HOME, weights=np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0]))
        assert far.complete and far.cost <= best.cost + 10

    def test_arguments_are_checked(self) -> None:
        model = arm("cobot6")
        poses = np.tile(frame_pose(model, HOME, "tool"), (2, 1, 1))
        with pytest.raises(BadConfiguration, match="weights"):
            solve_path(model, poses, weights=np.full(6, np.nan))
        with pytest.raises(BadConfiguration, match="weights"):
            solve_ik(model, poses[0], weights=np.ones(7))
        for step in (-1.0, np.nan):
            with pytest.raises(SolverError, match="max_step"):
                solve_path(model, poses, max_step=step)


class TestFront:
    @pytest.mark.parametrize("tolerance", [(np.nan, np.nan), (1e-5,), "ab", (0.0, 1.0), (1e-5, -1.0)])
    def test_a_tolerance_that_is_none(self, tolerance: object) -> None:
        model = arm("cobot6")
        T = frame_pose(model, HOME, "tool")
        with pytest.raises(SolverError, match="tolerance"):
            solve_ik(model, T, tolerance=tolerance, seed=HOME)  # type: ignore[arg-type]
        with pytest.raises(SolverError, match="tolerance"):
            solve_ik_batch(model, T[None], tolerance=tolerance)  # type: ignore[arg-type]

    @pytest.mark.parametrize("budget", [np.nan, np.inf, 0.0, -1.0, "soon"])
    def test_a_budget_that_is_none(self, budget: object) -> None:
        for method in ("auto", "numeric"):
            with pytest.raises(SolverError, match="budget"):
                solve_ik(arm("cobot6"), transform(np.eye(3), (9, 0, 0)), method=method, budget=budget)  # type: ignore[arg-type]

    @pytest.mark.parametrize("random", [-1, 2**63, 1.5, "a"])
    def test_a_random_number_that_is_none(self, random: object) -> None:
        with pytest.raises(SolverError, match="whole number"):
            solve_ik(arm("cobot6"), frame_pose(arm("cobot6"), HOME, "tool"), random=random, every=True)  # type: ignore[arg-type]

    @pytest.mark.parametrize("seeds", ["abc", 0.0, np.zeros((1, 5))])
    def test_seeds_that_are_none(self, seeds: object) -> None:
        model = arm("cobot6")
        with pytest.raises(BadConfiguration):
            solve_ik_batch(model, frame_pose(model, HOME, "tool")[None], seeds=seeds)  # type: ignore[arg-type]

    def test_weights_count(self) -> None:
        model = arm("cobot6")
        T, rng = frame_pose(model, HOME, "tool"), np.random.default_rng(0)
        differ = 0
        for _ in range(20):
            seed = model.random(rng)
            differ += not np.allclose(
                solve_ik(model, T, seed=seed).q, solve_ik(model, T, seed=seed, weights=np.array([0, 0, 0, 0, 1, 1])).q
            )
        assert differ > 3

    def test_filters_hold_whoever_found_the_solution(self) -> None:
        """A method that finds nothing leaves it to the front, which must not forget scene and branch."""
        model = arm("cobot6")
        scene = Scene(model)
        scene.add("all", Box((3.0, 3.0, 3.0)), transform(np.eye(3), (0, 0, 1.0)))
        T = frame_pose(model, HOME, "tool")
        result = solve_ik(model, T, seed=HOME, method="closed_form", hold=Hold.axis("z"), scene=scene)
        assert not result.reached and result.hindrance is not None and result.hindrance.kind == "collision"

    def test_an_orientation_that_cannot_be_reached_says_so(self) -> None:
        model = narrowed(narrowed(load_model("mobile6", group="arm"), "joint_5", -0.1, 0.1), "joint_1", -0.1, 0.1)
        T = transform_from_xyz_rpy((0, 0, 0), (0.0, 0.0, 2.5))
        result = solve_ik(model, T, hold=Hold.mask((0, 0, 0, 1, 1, 1)))
        if not result.reached:
            assert result.hindrance is not None and "position" not in result.hindrance.text.split(":")[0]

    def test_a_singular_pose_has_more_solutions_than_can_be_listed(self) -> None:
        model = arm("industrial6")
        q = np.array([0.2, -0.3, 0.2, 0.4, 0.0, -0.1])
        assert not solve_ik(model, frame_pose(model, q, "tool"), seed=q).complete
        q[4] = 0.6
        assert solve_ik(model, frame_pose(model, q, "tool"), seed=q).complete

    def test_what_is_returned_is_ones_own(self) -> None:
        model = arm("cobot6")
        for method in ("auto", "numeric"):
            result = solve_ik(model, frame_pose(model, HOME, "tool"), seed=HOME, method=method)
            before = result.solutions[0].q.copy() if method == "auto" else None
            result.q[:] = 99.0
            assert np.abs(result.solutions[0].q).max() < 7
            assert before is None or np.array_equal(result.solutions[0].q, before)

    def test_room_to_the_limits_is_that_of_the_tightest_joint(self) -> None:
        model = arm("industrial6")
        for solution in solve_ik(model, frame_pose(model, np.full(6, 0.3), "tool"), seed=np.full(6, 0.3)).solutions:
            room = np.minimum(solution.q - model.lower, model.upper - solution.q)
            assert solution.margin == pytest.approx(room.min()) and solution.tightest == model.joints[int(room.argmin())]

    def test_zero_is_inside_narrowed_limits(self) -> None:
        model = narrowed(arm("cobot6"), "joint_1", 0.5, 1.0)
        assert model.zero()[0] == 0.5
        T = frame_pose(model, np.array([0.7, 1.0, -1.0, 0.2, 0.5, 0.1]), "tool")
        assert not [note for note in solve_ik(model, T).notes if "seed" in note]

    def test_a_joint_without_range_is_held(self) -> None:
        model = narrowed(arm("cobot6"), "joint_6", 0.3, 0.3)
        q = HOME.copy()
        q[5] = 0.3
        for choose in ("nearest", "central", "manipulability"):
            result = solve_ik(model, frame_pose(model, q, "tool"), seed=q, choose=choose)
            assert result.reached and result.q[5] == pytest.approx(0.3, abs=1e-9)

    def test_choosing_looks_for_more_where_only_a_numeric_method_serves(self) -> None:
        model = load_model("inmoov", group="right_arm")
        rng = np.random.default_rng(0)
        better = 0
        for _ in range(10):
            T, seed = frame_pose(model, model.random(rng), "tool"), model.random(rng)
            near, far = (solve_ik(model, T, seed=seed, hold=Hold.position(), choose=choose) for choose in ("nearest", "central"))
            better += far.solutions[0].margin > near.solutions[0].margin + 1e-3
        assert better >= 7


class TestBatch:
    def test_it_takes_the_turns_that_the_front_takes(self) -> None:
        model, rng = arm("cobot6"), np.random.default_rng(0)
        Q, seeds = model.random(rng, 60), model.random(rng, 60)
        T = frame_pose_batch(model, Q, "tool")
        batch = solve_ik_batch(model, T, seeds=seeds)
        for i in range(60):
            assert batch.q[i] == pytest.approx(solve_ik(model, T[i], seed=seeds[i], method="numeric").q, abs=1e-9)

    def test_bases_and_their_axes_count(self) -> None:
        model = arm("cobot6")
        chain = chain_between(model, "base", "tool")
        rng = np.random.default_rng(1)
        T = np.array([chain.pose(q) for q in model.random(rng, 20)])
        for i, q in enumerate(solve_ik_batch(model, T, base="base").q):
            assert chain.pose(q) == pytest.approx(T[i], abs=2e-5)
        hold = Hold.mask((1, 1, 0, 0, 0, 0), axes="base")
        for i, q in enumerate(solve_ik_batch(model, T, base="base", hold=hold).q):
            assert chain.pose(q)[:2, 3] == pytest.approx(T[i, :2, 3], abs=2e-5)

    def test_a_forked_process_can_ask_too(self) -> None:
        """Threads do not come along into a child: their pool is made anew there."""
        code = (
            "import os, numpy as np\n"
            "from armillary.model import load_model, frame_pose_batch\n"
            "m = load_model('cobot6'); Q = np.zeros((3000, 6)); frame_pose_batch(m, Q, 'tool')\n"
            "pid = os.fork()\n"
            "if pid == 0:\n    frame_pose_batch(m, Q, 'tool'); os._exit(7)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.stdout.strip() == "7", done.stderr


def test_compiled_code_is_kept_by_the_content_of_all_that_is_compiled(tmp_path: Path) -> None:
    """Two files of kernels call each other: a change of one must not leave the other's old code in use."""
    import numba

    from armillary.model import compiled

    folder = Path(numba.config.CACHE_DIR)
    assert folder.name.startswith("compiled-") or os.environ.get("NUMBA_CACHE_DIR")
    assert compiled.__doc__ is not None


def test_equal_models_share_what_is_equal_and_each_has_its_own() -> None:
    one = arm("cobot6")
    two = Model(replace(one.spec))
    assert one == two and chain_between(one, "", "tool") is chain_between(one, "", "tool")
    assert chain_between(two, "", "tool").joints == chain_between(one, "", "tool").joints


class TestFoundByANewcomer:
    def test_a_robot_that_is_asked_to_stay_stays(self) -> None:
        """At singular poses, where solutions form curves, the robot's own configuration is one of them."""
        rng = np.random.default_rng(0)
        for name in ("cobot6", "industrial6", "mobile6"):
            model = arm(name)
            for _ in range(60):
                q = np.clip(np.round(model.random(rng) / (np.pi / 4)) * np.pi / 4, model.lower, model.upper)
                result = solve_ik(model, frame_pose(model, q, model.tip), seed=q)
                assert result.q == pytest.approx(q, abs=1e-6), f"{name} {q}"

    def test_turns_near_the_seed_are_taken_however_many_there_are(self) -> None:
        wide = arm("cobot6")
        for joint in wide.joints:
            wide = narrowed(wide, joint, -20.0, 20.0)
        q = np.array([0.1, 1.2, -1.6, -1.1, -1.2, 0.3])
        poses = np.tile(frame_pose(wide, q, "tool"), (5, 1, 1))
        poses[:, 1, 3] += np.linspace(0, 0.02, 5)
        assert solve_path(wide, poses, seed=q).q[0] == pytest.approx(q, abs=1e-6)

    def test_very_wide_limits_do_not_blow_up(self) -> None:
        wide = arm("cobot6")
        for joint in wide.joints:
            wide = narrowed(wide, joint, -1e9, 1e9)
        solution = solve_ik(wide, frame_pose(wide, HOME, "tool"), seed=HOME).solutions[0]
        assert solution.count == 9**6 and all(len(values) == 9 for values in solution.turns)

    def test_jog_does_not_wait_for_ever_for_joints_that_do_not_turn(self) -> None:
        model = arm("cobot6")
        jog, q = Jog(model, dt=0.002), np.zeros(6)
        said = [jog.step(q, (0, 0, 0, 0.3, 0, 0)).held_by for _ in range(1500)]  # an arm that does not follow
        assert "nothing further in this direction can be reached" in said[-600:]

    def test_followers_keep_their_own_limits(self, tmp_path: Path) -> None:
        (tmp_path / "pair.urdf").write_text(
            '<robot name="pair"><link name="a"/><link name="b"/><link name="c"/>'
            '<joint name="one" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
            '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
            '<joint name="two" type="revolute"><parent link="b"/><child link="c"/>'
            '<origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>'
            '<mimic joint="one" multiplier="2" offset="0.1"/>'
            '<limit lower="-1" upper="1" velocity="2" effort="1"/></joint></robot>'
        )
        model = build_model(read_robot(tmp_path / "pair.urdf"))
        chain = chain_between(model, "", "c")
        assert chain.limits[:2, 0] == pytest.approx([-0.55, 0.45])

    def test_a_hold_may_be_written(self) -> None:
        model = arm("cobot6")
        T = frame_pose(model, HOME, "tool")
        assert solve_ik(model, T, seed=HOME + 0.2, hold="axis=z").reached
        assert solve_ik_batch(model, T[None], hold="position").reached.all()
        assert (
            solve_path(model, T[None], hold="position", seed=HOME).complete
            and str(Jog(model, hold="position").hold) == "position"
        )

    def test_the_world_may_be_named(self) -> None:
        model = arm("cobot6")
        assert solve_ik(model, frame_pose(model, HOME, "tool"), seed=HOME, base="world").reached

    @pytest.mark.parametrize("hold", ["rx,ry,rz", "rx,ry", "rz@base"])
    def test_an_orientation_alone_gets_an_answer(self, hold: str) -> None:
        model = load_model("inmoov", group="head")
        result = solve_ik(model, transform_from_xyz_rpy((0.1, 0.1, 0.1), (2.5, 1.0, 2.5)), hold=hold)
        assert result.reached or result.hindrance is not None

    def test_a_limit_is_named_where_there_are_few_joints_too(self, tmp_path: Path) -> None:
        (tmp_path / "pan.urdf").write_text(
            '<robot name="pan"><link name="a"/><link name="b"/>'
            '<joint name="pan" type="revolute"><parent link="a"/><child link="b"/>'
            '<origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'
        )
        model = build_model(read_robot(tmp_path / "pan.urdf"))
        result = solve_ik(model, transform_from_xyz_rpy((0, 0, 1), (0, 0, 1.5)))
        assert result.hindrance is not None and result.hindrance.kind == "limit" and "pan" in result.hindrance.text
