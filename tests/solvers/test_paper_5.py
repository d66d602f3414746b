"""Paper 5's inverse kinematics of the cobot: its printed formulas, put right, against ours; and its program.

What was wrong in print: the pose product has 3T4 twice and 5T6 not at all; q1's second atan2 has d3 * a_y - d4 for d3 - d4, and
d_y, d_x for p_y, p_x under its root. q5, q6 and q2 are right as printed. q3 and q4 are taken here from the two links that are
left, which is what the printed equations say with sin(3 - 4) and cos(3 - 4) written out.
"""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import Model, frame_pose, load_model
from armillary.solvers import chain_between, solve_ik, solve_path
from armillary.spatial import between, inverse, transform_from_xyz_rpy
from tests.solvers.arms import same

Array = NDArray[np.float64]
A2, A3, D1, D3, D4, D5, D6 = 0.436, 0.436, 0.1235, 0.0325, 0.1364, 0.1364, 0.0864
# X Y Z [mm], A B C [degrees], R = Rz(C) Ry(B) Rx(A): one round of the program.
PROGRAM = [
    (200, -450, -280, 10, 75, -75), (100, -450, -280, 10, 75, -75), (0, -450, -280, 10, 75, -75),
    (-100, -450, -280, 20, 75, -75), (-200, -450, -280, 30, 75, -75), (-100, -450, -280, 20, 75, -75),
    (100, -450, -280, 0, 75, -75), (200, -450, -180, 10, 75, -75),
]  # fmt: skip


def program_poses() -> list[Array]:
    return [transform_from_xyz_rpy(np.array(row[:3]) / 1e3, np.deg2rad(row[3:])) for row in PROGRAM]


def paper_solutions(T: Array) -> list[Array]:
    """The eight solutions by the paper's equations, corrected."""
    n, o, a, p = T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3]
    x, y = D6 * a[0] - p[0], D6 * a[1] - p[1]
    found = []
    for shoulder in (1, -1):
        root = np.sqrt(x * x + y * y - (D3 - D4) ** 2)
        q1 = np.arctan2(y, x) - np.arctan2(D3 - D4, shoulder * root)
        c1, s1 = np.cos(q1), np.sin(q1)
        for wrist in (1, -1):
            s5 = wrist * np.hypot(n[1] * c1 - n[0] * s1, o[1] * c1 - o[0] * s1)
            q5 = np.arctan2(s5, a[1] * c1 - a[0] * s1)
            q6 = np.arctan2((o[1] * c1 - o[0] * s1) / s5, (n[0] * s1 - n[1] * c1) / s5)
            c6, s6 = np.cos(q6), np.sin(q6)
            # d5 points along (o c6 + n s6): the second column of 5T6 seen from joint 4.
            across = c6 * o + s6 * n
            w = p - D6 * a - D5 * across
            pxx, pzz = w[0] * c1 + w[1] * s1, w[2] - D1
            d = (pxx**2 + pzz**2 + A2**2 - A3**2) / (2 * A2)
            for elbow in (1, -1):
                q2 = np.arctan2(pxx, -pzz) - np.arctan2(d, elbow * np.sqrt(pxx**2 + pzz**2 - d**2))
                q3 = np.arctan2(pzz - A2 * np.sin(q2), pxx - A2 * np.cos(q2)) - q2
                # s234 and c234 from the printed rotation's d5 column: (s234 c1, s234 s1, -c234).
                q234 = np.arctan2(across[0] * c1 + across[1] * s1, -across[2])
                found.append(np.array([q1, q2, q3, q2 + q3 - q234, q5, q6]))
    return found


@pytest.fixture(scope="module")
def cobot() -> Model:
    return load_model("cobot6")


def test_every_pose_of_the_program_has_exactly_eight(cobot: Model) -> None:
    for T in program_poses():
        result = solve_ik(cobot, T, base="base")
        assert len(result.solutions) == 8 and result.complete
        assert len({solution.branch for solution in result.solutions}) == 8
        for solution in result.solutions:
            there = inverse(frame_pose(cobot, solution.q, "base")) @ frame_pose(cobot, solution.q, "tool")
            assert np.abs(there - T).max() < 1e-9


def test_the_papers_formulas_put_right_give_the_same_eight(cobot: Model) -> None:
    chain = chain_between(cobot, "base", "tool")
    rng = np.random.default_rng(0)
    poses = program_poses()
    for _ in range(100):
        q = cobot.random(rng)
        poses.append(inverse(frame_pose(cobot, q, "base")) @ frame_pose(cobot, q, "tool"))
    tried = 0
    for T in poses:
        with np.errstate(invalid="ignore"):
            theirs = paper_solutions(T)
        if not all(np.isfinite(q).all() for q in theirs):
            continue  # a pose with fewer than eight: the paper's roots are of negative numbers
        for q in theirs:
            there = inverse(frame_pose(cobot, q, "base")) @ frame_pose(cobot, q, "tool")
            assert np.abs(there - T).max() < 1e-9
        ours = solve_ik(cobot, T, base="base").found
        for q in theirs:
            assert any(same(chain, q, other, 1e-6) for other in ours) or any(cobot.outside((q + np.pi) % (2 * np.pi) - np.pi))
        tried += 1
    assert tried > 60


def test_every_branch_is_followed_along_the_lines_between(cobot: Model) -> None:
    """From each of the eight of each pose, straight to the next pose, on its branch as long as limits allow."""
    chain = chain_between(cobot, "base", "tool")
    poses = program_poses()
    lines = 0
    for start, end in pairwise([*poses, poses[0]]):
        line = np.array([between(start, end, share) for share in np.linspace(0, 1, 41)])
        for solution in solve_ik(cobot, start, base="base").solutions:
            q = solution.q
            for T in line[1:]:
                result = solve_ik(cobot, T, seed=q, base="base", branch=solution.branch)
                assert result.reached, str(result)
                assert np.abs(result.q - q).max() < 0.15
                q = result.q
            assert solution.branch == result.solutions[0].branch
            lines += 1
    assert lines == 64
    assert chain.n == 6


def test_the_whole_program_is_one_path(cobot: Model) -> None:
    poses = program_poses()
    path = [between(a, b, share) for a, b in pairwise([*poses, poses[0]]) for share in np.linspace(0, 1, 21)[:-1]]
    result = solve_path(cobot, np.array(path), base="base")
    assert result.complete, str(result)
    assert np.abs(np.diff(result.q, axis=0)).max() < 0.1
    for q, T in zip(result.q, path, strict=True):
        assert np.abs(inverse(frame_pose(cobot, q, "base")) @ frame_pose(cobot, q, "tool") - T).max() < 1e-9
