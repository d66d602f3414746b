"""The page docs/teach.md: its examples run."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "teach.md"


@pytest.mark.slow
def test_the_examples_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    said = capsys.readouterr().out
    for text in (
        "touched up",
        "P0001 MOVEJ",
        "G1 X",
        "keeps its limits",
        "xyz_mm = [10.0, -20.0, 150.0]",
        "Following(engaged=False",
    ):
        assert text in said
