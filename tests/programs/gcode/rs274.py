"""LinuxCNC's own interpreter, `rs274 -g`, as something to compare with: each run has its own home and parameter file."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["RS274", "Told", "plain", "rs274"]

RS274 = shutil.which("rs274")
_NUMBER = re.compile(r"^\s*\d+\s+N\S+\s+")
_NOISE = re.compile(r"ON_RESET\(\)|^\s*executing\s*$")


@dataclass(frozen=True)
class Told:
    """What rs274 said of a program: its canonical calls and printed text in order, and the error that ended it, or ""."""

    calls: list[str]
    error: str


def plain(lines: Iterable[object]) -> list[str]:
    """Lines without what carries no meaning: numbers in front, runs of blanks."""
    squeezed = [re.sub(r"\s+", " ", str(line)).strip() for line in lines]
    return [re.sub(r'(?<=\(")\s+', "", line).replace("-0.0000", "0.0000") for line in squeezed if line]


def rs274(program: Path, *, tools: str = "", parameters: str = "", ini: Path | None = None) -> Told:
    """Run a program through rs274. tools, parameters: the texts of a tool table and of a parameter file."""
    assert RS274 is not None
    with tempfile.TemporaryDirectory(prefix="rs274-") as folder:
        home = Path(folder)
        (home / "rs274.var").write_text(parameters)
        (home / "tool.tbl").write_text(tools)
        command = [RS274, "-g", "-v", str(home / "rs274.var"), "-t", str(home / "tool.tbl")]
        if ini is not None:
            command += ["-i", str(ini)]
        ended = subprocess.run(
            [*command, str(program)], cwd=program.parent, env={"HOME": folder, "PATH": "/usr/bin:/bin", "LANG": "C"},
            capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    out = ended.stdout.decode("utf-8", "replace").splitlines()
    calls = [_NUMBER.sub("", line) for line in out if not _NOISE.search(line)]
    said = ended.stderr.decode("utf-8", "replace").splitlines()
    error = [line for line in said if line.strip() and line.strip() != "executing"]
    return Told(plain(calls), " / ".join(error) if ended.returncode else "")
