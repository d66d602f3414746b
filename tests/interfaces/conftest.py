"""What the tests of the command line share."""

import json
from pathlib import Path
from typing import Any

import pytest

from armillary.interfaces.cli.main import main


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache and a working folder of the test's own."""
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    """What a command answers with --json, after its exit status was the one expected."""
    assert main([*arguments, "--json"]) == status
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer
