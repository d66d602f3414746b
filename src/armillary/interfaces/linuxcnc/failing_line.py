"""Which line of a program LinuxCNC meant: it says so for moves, and not for what its interpreter could not read."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

__all__ = ["failing_line"]

_PATIENCE = 20.0  # s: a program may go round for ever


def failing_line(program: Path, problem: str, *, environment: Mapping[str, str]) -> int:
    """The number of the line, from 1 on; 0 where it cannot be told.

    A move's number is in the problem itself. Otherwise LinuxCNC's own interpreter goes through the file without a machine, and
    says the text of the line that it stops at with the same problem.

    Args:
        environment: In which the interpreter runs; it keeps state in its home.
    """
    if found := re.search(r"\bline (\d+)", problem):
        return int(found[1])
    interpreter = shutil.which("rs274")
    if interpreter is None:
        return 0
    try:
        done = subprocess.run(
            [interpreter, "-g", str(program.absolute())], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=dict(environment), cwd=environment.get("HOME"), timeout=_PATIENCE, check=False,
        )  # fmt: skip
        lines = program.read_text(errors="replace").splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return line_said(done.stderr.decode(errors="replace"), problem, lines)


def line_said(said: str, problem: str, lines: list[str]) -> int:
    """The number of the one line whose text the interpreter said behind a problem; 0 where there is none, or several are so."""
    words = [text.strip() for text in said.splitlines()]
    if problem not in words:
        return 0
    after = words[words.index(problem) + 1 :]
    same = [number for number, line in enumerate(lines, 1) if after and line.strip() == after[0]]
    return same[0] if len(same) == 1 else 0
