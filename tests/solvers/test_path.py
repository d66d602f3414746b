"""Along a path: one branch for all of it, or where every branch ends and why."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import Box
from armillary.model import Model, Scene, frame_pose, load_model
from armillary.solvers import BadTarget, Hold, solve_path
from armillary.spatial import between, transform, transform_from_xyz_rpy
from tests.solvers.arms import EXTRA, arm, error_at, narrowed

Array = NDArray[np.float64]
HOME = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])


def line(model: Model, q: Array, offset: tuple[float, ...], count: int) -> Array:
    T = frame_pose(model, q, model.tip)
    poses = np.tile(T, (count, 1, 1))
    poses[:, :3, 3] += np.linspace(0, 1, count)[:, None] * np.array(offset)
    return poses


def check(model: Model, poses: Array, Q: Array, step: float) -> None:
    assert np.abs(np.diff(Q, axis=0)).max(initial=0) < step
    for q, T in zip(Q, poses, strict=False):
        assert max(error_at(model, q, T)) < 1e-5 and not model.outside(q)


def test_a_line_is_followed_without_a_jump() -> None:
    model = arm("cobot6")
    poses = line(model, HOME, (0.2, -0.4, -0.1), 60)
    result = solve_path(model, poses, seed=HOME)
    assert result.complete and len(result.q) == 60 and "60 poses without a jump" in str(result)
    assert result.q[0] == pytest.approx(HOME, abs=1e-6)
    check(model, poses, result.q, 0.1)


def test_a_branch_that_ends_is_left_for_one_that_does_not() -> None:
    """The branch nearest to the seed runs into joint 3's limit half way; another goes through."""
    free = arm("cobot6")
    poses = line(free, HOME, (0.35, 0.0, 0.0), 60)
    alone = solve_path(free, poses, seed=HOME)
    assert alone.complete
    bent = float(alone.q[30, 2])  # where joint 3 is half way becomes its end, and it may bend the other way instead
    model = narrowed(free, "joint_3", -2.9, bent) if alone.q[-1, 2] > bent else narrowed(free, "joint_3", bent, 2.9)
    result = solve_path(model, poses, seed=HOME)
    assert any("joint_3 would have to go to" in end.why for end in result.ends)
    assert all(end.point <= 31 for end in result.ends if end.branch == alone.branch)
    if result.complete:
        check(model, poses, result.q, 0.2)
        assert result.branch != alone.branch


def test_beyond_reach_every_branch_ends_and_says_where() -> None:
    model = arm("cobot6")
    poses = line(model, HOME, (0.9, 0.0, 0.0), 60)
    result = solve_path(model, poses, seed=HOME)
    assert not result.complete and 10 < len(result.q) < 60
    check(model, poses, result.q, 0.35)
    assert result.ends[0].point == len(result.q)
    assert "this orientation" in result.ends[0].why or "beyond reach" in result.ends[0].why
    assert "every branch has ended" in str(result)
    assert len({end.branch for end in result.ends}) == len(result.ends) >= 8


def test_a_path_whose_first_pose_is_out_of_reach() -> None:
    model = arm("cobot6")
    poses = np.tile(transform_from_xyz_rpy((3, 0, 0), (0, 0, 0)), (3, 1, 1))
    result = solve_path(model, poses)
    assert not result.complete and result.q.shape[0] == 0
    assert result.ends[0].point == 0 and "beyond reach" in result.ends[0].why


def test_full_turns_are_chosen_so_that_the_path_fits() -> None:
    """A tool that turns once and a half stays inside joint 6's range only from the right full turn."""
    model = arm("cobot6")
    T = frame_pose(model, HOME, "tool")
    angles = np.linspace(0, 3 * np.pi, 100)
    poses = np.array([T @ transform_from_xyz_rpy((0, 0, 0), (0, 0, angle)) for angle in angles])
    result = solve_path(model, poses, seed=HOME)
    assert result.complete, str(result)
    assert np.ptp(result.q[:, 5]) == pytest.approx(3 * np.pi, abs=1e-6)
    check(model, poses, result.q, 0.2)


def test_a_fast_wrist_is_no_jump() -> None:
    """Close by a wrist singularity joints 4 and 6 turn far between neighbours: it is followed in between."""
    model = arm("industrial6")
    q = np.array([0.2, -0.3, 0.2, 0.1, 0.04, -0.1])
    T = frame_pose(model, q, "tool")
    far = T @ transform_from_xyz_rpy((0, 0, 0), (-0.09, 0.0, 0.0))
    poses = np.array([between(T, far, share) for share in np.linspace(0, 1, 8)])
    result = solve_path(model, poses, seed=q)
    assert result.complete, str(result)
    for solution, pose in zip(result.q, poses, strict=True):
        assert max(error_at(model, solution, pose)) < 1e-5


def test_obstacles_are_kept_away_from() -> None:
    model = arm("cobot6")
    poses = line(model, HOME, (0.0, -0.3, 0.0), 30)
    assert solve_path(model, poses, seed=HOME, scene=Scene(model)).complete
    wall = Scene(model)
    wall.add("wall", Box((0.1, 0.1, 0.1)), transform(np.eye(3), poses[20][:3, 3]))
    result = solve_path(model, poses, seed=HOME, scene=wall)
    assert not result.complete and len(result.q) <= 20


def test_five_joints_along_a_path() -> None:
    model = load_model("inmoov", group="right_arm")
    q = np.array([-0.4, -0.6, -0.3, -0.8, -1.5])
    poses = line(model, q, (0.0, -0.02, 0.02), 20)
    result = solve_path(model, poses, seed=q, hold=Hold.axis("z"))
    assert result.complete, str(result)
    assert np.abs(np.diff(result.q, axis=0)).max() < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXTRA if name in ("panda", "tiago")])
def test_redundant_arms(name: str) -> None:
    model, rng = arm(name), np.random.default_rng(0)
    done = 0
    for _ in range(10):
        q = model.random(rng)
        poses = line(model, q, tuple(rng.normal(size=3) * 0.08), 40)
        result = solve_path(model, poses, seed=q)
        check(model, poses, result.q, 1.0)  # more than a step only where poses between were followed
        assert result.complete or result.ends
        done += result.complete
    assert done >= 5


def test_bad_input() -> None:
    model = arm("cobot6")
    assert solve_path(model, np.empty((0, 4, 4))).complete
    with pytest.raises(BadTarget, match="pose 0"):
        solve_path(model, np.zeros((2, 4, 4)))
