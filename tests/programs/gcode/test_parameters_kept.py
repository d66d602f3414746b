"""Parameters outlast programs, and a kill at any moment loses none that was set."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from armillary.programs import Command, Keep, MoveLine, Surroundings
from armillary.programs.gcode import read_parameters
from armillary.programs.gcode.language import GCODE
from armillary.programs.languages import Keeper

LOOP = """
import sys
from pathlib import Path
from armillary.programs import Surroundings
from armillary.programs.gcode.language import GCODE
text = "o1 while [1]\\n#100 = [#100 + 1]\\nG10 L2 P1 X#100\\nG0 X0\\nG4 P0\\no1 endwhile\\n"
run = GCODE.run(text, Surroundings(), {"parameters": Path(sys.argv[1])})
for command in run:
    if type(command).__name__ == "Keep":
        run.keep(command.note)
    if type(command).__name__ == "Dwell":
        print(1, flush=True)
"""


def carried_out(text: str, options: dict[str, Path]) -> list[Command]:
    """The commands of a program whose robot comes to each at once."""
    run = GCODE.run(text, Surroundings(), options)
    assert isinstance(run, Keeper)
    found = []
    for command in run:
        found.append(command)
        if isinstance(command, Keep):
            run.keep(command.note)
    return found


def test_an_offset_is_there_for_the_next_program(tmp_path: Path) -> None:
    keep = {"parameters": tmp_path / "cell.var"}
    carried_out("G21 G10 L2 P1 X25 Y-5\nM2\n", keep)
    move = next(command for command in carried_out("G21 G90 G1 X1 Y1 F100\nM2\n", keep) if isinstance(command, MoveLine))
    assert move.xyz == pytest.approx((0.026, -0.004, 0.0))


def test_what_is_read_ahead_and_never_reached_is_not_kept(tmp_path: Path) -> None:
    keep = {"parameters": tmp_path / "cell.var"}
    carried_out("G21 G10 L2 P1 X25\nM2\n", keep)
    before = keep["parameters"].read_text()
    list(GCODE.run("G21 G10 L2 P1 X99\nG1 X1 F100\nM2\n", Surroundings(), keep))
    assert keep["parameters"].read_text() == before


def test_without_a_place_nothing_is_kept(tmp_path: Path) -> None:
    carried_out("G10 L2 P1 X25\nM2\n", {})
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_kill_at_any_moment_leaves_a_whole_file_with_all_that_was_done(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "cell.var"
    with subprocess.Popen([sys.executable, "-c", LOOP, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(np.random.default_rng(seed).uniform(0.05, 0.5))
        os.kill(process.pid, signal.SIGKILL)
        done = 1 + len(process.stdout.read().split())
    assert read_parameters(path).read(5221) >= done, "what was carried out had been written before"
