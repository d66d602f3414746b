"""docs/robot-commands.md: its examples are read, checked, and begin to run."""

import re
from pathlib import Path

import numpy as np
import pytest

from armillary.programs import Move, Point, Surroundings
from armillary.programs.script import ScriptRun, check, format_script, parse
from armillary.programs.script.words import FUNCTIONS, MOTIONS, PROFILES, STATEMENTS, UNITS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "robot-commands.md").read_text()
EXAMPLES = re.findall(r"^```robot\n(.*?)^```", PAGE, re.M | re.S)
AROUND = Surroundings(
    joints=("j1", "j2", "j3", "j4", "j5", "j6"), frames={"table": np.eye(4)}, tools=("gripper",),
    points={"home": Point("home", (0.0,) * 6, (0.5, 0.0, 0.4), (3.0, 0.0, 0.0))},
)  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_read_checked_printed_and_run(example: str) -> None:
    script = parse(example, "page")
    check(script, AROUND)
    assert parse(format_script(script)) == script
    commands = [command for command, _ in zip(ScriptRun(script, AROUND), range(10), strict=False)]
    assert commands and all(command.source.file == "page" for command in commands)


def test_the_example_in_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)[0], {})
    assert capsys.readouterr().out.count("MoveLine") == 3


def test_every_word_of_the_language_is_on_the_page() -> None:
    words = [*MOTIONS, *STATEMENTS, *FUNCTIONS, *UNITS, *(f"_{suffix}" for suffix in PROFILES)]
    assert not [word for word in words if not re.search(rf"(?<![A-Za-z]){re.escape(word)}\b", PAGE)]


def test_every_statement_is_in_an_example() -> None:
    text = "\n".join(EXAMPLES)
    assert not [word for word in (*MOTIONS, *STATEMENTS) if not re.search(rf"\b{word}(_[A-Z]+)?\b", text)]


def test_the_first_example_is_the_papers() -> None:
    first, second, _ = ScriptRun(parse(EXAMPLES[0]), AROUND)
    assert isinstance(first, Move) and isinstance(second, Move) and first.duration == second.duration == 20.0
