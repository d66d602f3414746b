"""Every example runs to its end, quickly, and prints something."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))


def marked(path: Path) -> object:
    """Those that move a robot do it in real time, as users do: not beside others."""
    marks = [pytest.mark.alone] if "Cell.open" in path.read_text() else []
    return pytest.param(path, id=str(path.relative_to(ROOT)), marks=marks)


@pytest.mark.parametrize("path", [marked(path) for path in EXAMPLES])
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert len(path.read_text().splitlines()) < 100


def test_there_are_examples_and_they_are_numbered() -> None:
    assert EXAMPLES
    assert all(path.name[:2].isdigit() and path.parent.name[:2].isdigit() for path in EXAMPLES)
