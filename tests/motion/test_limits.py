"""Twenty thousand random motions of every profile: no limit broken, no NaN, arrived. (A million: benchmarks/limits.py --full.)"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

# How many of each; those that take longer fewer. Together 20 000.
COUNTS = {"quintic": 8000, "lspb": 5000, "jerk": 4500, "line": 1250, "time_optimal": 1000, "spline": 110, "polyline": 140}
assert sum(COUNTS.values()) == 20_000
PARTS = [(profile, part) for profile in COUNTS for part in range(2)]


@pytest.fixture(scope="module")
def random_motions() -> ModuleType:
    """The benchmark's own problems."""
    path = Path(__file__).parents[2] / "benchmarks" / "support" / "random_motions.py"
    spec = importlib.util.spec_from_file_location("random_motions", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["random_motions"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "part"), PARTS)
def test_no_limit_is_broken(random_motions: ModuleType, profile: str, part: int) -> None:
    half = COUNTS[profile] // 2
    for seed in range(part * half, (part + 1) * half):
        motion = random_motions.solve(seed, profile)
        assert motion.over <= 1e-9, f"{profile}, seed {seed}: over by {motion.over}"
        assert motion.missed < 1e-6, f"{profile}, seed {seed}: missed by {motion.missed}"


@pytest.mark.parametrize("profile", COUNTS)
def test_some_of_each(random_motions: ModuleType, profile: str) -> None:
    for seed in range(900_000, 900_005):
        motion = random_motions.solve(seed, profile)
        assert motion.over <= 1e-9 and motion.missed < 1e-6
