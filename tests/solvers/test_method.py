"""Methods are found by name, and another package can bring its own."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.model import frame_pose
from armillary.solvers import Hold, SolverError, UnknownMethod, find_method, known_methods, solve_ik
from tests.solvers.arms import arm, error_at

# All that another package needs: a function of a Problem that returns what it Found, and an entry point that names it.
METHOD = '''
"""Cyclic coordinate descent, for the position alone: each joint in turn brings the tip as near as it can."""

import numpy as np

from armillary.solvers import Found, Problem


def solve(problem: Problem) -> Found:
    chain, wanted = problem.chain, problem.target.T[:3, 3]
    q = problem.seed.copy()
    for sweep in range(200):
        for joint in range(chain.n):
            grid = np.linspace(chain.limits[2, joint], chain.limits[3, joint], 5)
            width = grid[1] - grid[0]
            grid = np.concatenate([grid, q[joint] + width * np.linspace(-1, 1, 9) * 0.7**sweep])
            trials = np.tile(q, (len(grid), 1))
            trials[:, joint] = np.clip(grid, *chain.limits[:2, joint])
            gaps = [np.linalg.norm(chain.pose(trial)[:3, 3] - wanted) for trial in [*trials, q]]
            q = [*trials, q][int(np.argmin(gaps))]
        if min(gaps) < problem.tolerance[0]:
            return Found([q], iterations=sweep)
    return Found([], best=q, iterations=200)


def lie(problem: Problem) -> Found:
    return Found([problem.seed, np.full(problem.chain.n, np.nan)])


def wrong_shape(problem: Problem) -> Found:
    return Found([np.zeros(3)])
'''


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "coordinate_descent.py").write_text(METHOD)
    info = tmp_path / "coordinate_descent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coordinate-descent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[armillary.ik_methods]\nccd = coordinate_descent:solve\nliar = coordinate_descent:lie\n"
        "crooked = coordinate_descent:wrong_shape\nbroken = no_such_module:solve\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("coordinate_descent", None)


def test_a_method_of_another_package_is_used_by_name(other_package: None) -> None:
    assert known_methods()[:3] == ["closed_form", "numeric", "swarm"] and "ccd" in known_methods()
    model = arm("cobot6")
    q = np.array([0.2, 1.0, -1.4, -1.2, -1.3, 0.2])
    T = frame_pose(model, q + 0.1, "tool")
    result = solve_ik(model, T, seed=q, method="ccd", hold=Hold.position(), tolerance=(1e-4, 1e-4))
    assert result.method == "ccd" and result.reached, str(result)
    assert error_at(model, result.q, T)[0] < 1e-4


def test_what_a_method_says_is_checked(other_package: None) -> None:
    """Solutions that are none are left out and said; the front looks for what holds the pose itself."""
    model = arm("cobot6")
    T = frame_pose(model, np.array([0.2, 1.0, -1.4, -1.2, -1.3, 0.2]), "tool")
    result = solve_ik(model, T, seed=np.full(6, 0.5), method="liar")
    assert "2 of the method's 2 solutions are none" in result.notes[0]
    assert result.reached == (max(error_at(model, result.q, T)) < 1e-5)
    with pytest.raises(SolverError, match="solutions of shape"):
        solve_ik(model, T, method="crooked")


def test_a_method_that_cannot_be_loaded_says_so(other_package: None) -> None:
    with pytest.raises(SolverError, match=r"'broken' .* cannot be loaded"):
        find_method("broken")
    with pytest.raises(UnknownMethod):
        find_method("none")


def test_asked_for_by_name_the_closed_form_does_not_turn_into_another() -> None:
    model = arm("cobot6")
    result = solve_ik(model, frame_pose(model, model.zero() + 0.3, "tool"), seed=model.zero(), method="closed_form")
    assert result.method == "closed_form" and result.reached
