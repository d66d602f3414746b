"""What fuzzing found in G-code or aimed at (tools/fuzz_gcode.py): each ends in finite commands of a robot, or in BadProgram."""

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from armillary.programs import BadProgram, Surroundings
from armillary.programs.gcode import BadGcode, GcodeRun
from armillary.programs.gcode.language import GCODE, GcodeOnRobot
from armillary.spatial import transform_from_xyz_rpy

AROUND = Surroundings(frames={"table": transform_from_xyz_rpy((0.4, 0.1, 0.2), (0.1, 0.2, 3.0))}, start=np.eye(4))

LOOPS_THAT_GIVE_A_ROBOT_NOTHING = [
    "o1 while [1]\nG90 G21 G17 G61\no1 endwhile",  # modes alone; ran for ever
    "o1 while [1]\nG0 X1\no1 endwhile",  # moves to where the tool is; ran for ever
    "o1 while [1]\nF100\n(a comment)\no1 endwhile",
    "o1 while [1]\no2 repeat [10]\n#1=[#1+1]\no2 endrepeat\nG90\no1 endwhile",  # modes behind much computing
    "G91\no1 sub\nG0 X0\no1 endsub\no2 do\no1 call\no2 while [1]",
]


@pytest.mark.parametrize("text", LOOPS_THAT_GIVE_A_ROBOT_NOTHING)
def test_a_loop_that_gives_a_robot_nothing_ends_at_its_budget(text: str) -> None:
    running = GCODE.run(text, AROUND, {})
    assert isinstance(running, GcodeOnRobot)
    running.gcode.idle_budget = 2000
    with pytest.raises(BadGcode, match="2000 lines have run without a command"):
        list(running)


def test_a_loop_that_moves_goes_on_past_its_budget() -> None:
    running = GCODE.run("G91\no1 while [1]\nG21\nG0 X1\no1 endwhile", AROUND, {})
    assert isinstance(running, GcodeOnRobot)
    running.gcode.idle_budget = 50
    assert len(list(islice(running, 500))) == 500


@pytest.mark.parametrize("body", ["G91 G0 X1", "G4 P1", "M66 P0 L0", "(MSG,on and on)"])
def test_a_start_line_behind_an_endless_loop_is_not_waited_for(body: str) -> None:
    with pytest.raises(BadGcode, match="line 4 is not reached"):
        list(GcodeRun(f"o1 while [1]\n{body}\no1 endwhile\nG0 X1\n", start_line=4, idle_budget=500))


def test_work_before_the_start_line_is_not_counted_behind_it() -> None:
    text = "G91\no1 repeat [100]\nG0 X1\nG21\no1 endrepeat\nG0 X5\n"
    running = GCODE.run(text, AROUND, {}, start_line=6)
    assert isinstance(running, GcodeOnRobot)
    running.gcode.idle_budget = 100
    assert len(list(running)) == 1


def test_a_long_line_counts_as_several_lines_of_a_loop() -> None:
    loop = "o1 while [#1 LT 100]\n#1=[#1+1{}]\no1 endwhile"  # 300 short lines
    assert list(GcodeRun(loop.format(""), idle_budget=1000))
    with pytest.raises(BadGcode, match="a long line counts as several"):
        list(GcodeRun(loop.format("+0" * 500), idle_budget=1000))


HUGE = "#1=[10**308]\n#1=[#1*10]\n"  # infinite
NONE = "#1=[10**308]\n#1=[#1*10-#1*10]\n"  # not a number
CORPUS = [
    *(HUGE + line for line in ("G0 X#1", "o1 repeat [#1]\no1 endrepeat", "#5221=#1\nG54\nG0 X1", "#5161=#1\nG28 X0", "#2=FIX[#1]",
                               "#2=SIN[#1]", "#2=[#1 MOD 3]", "#5230=#1\nG54\nG0 X1 Y2", "(DEBUG,#1)", "M68 E0 Q#1", "F#1")),
    *(NONE + line for line in ("G0 X#1", "#[#1]=2", "o#1 call", "G#1", "M62 P#1", "o1 repeat [#1]\no1 endrepeat", "G4 P#1",
                               "#5210=1\n#5211=#1\nG92.3\nG0 X1", "G10 L2 P1 R#1\nG0 X1")),
    "F1 G83 X1 Z-1000000 R1 Q0.000001", "F1 G81 X1 Z-1 R1 L999999999", "G2 X1 I0.5 P99999999999 F1", "(DEBUG,%.999999999f#1)",
    "G10 L2 P1 R99999999999 X99999999999\nG0 X99999999999", "G93 F.0000000001 G1 X99999999999", "F99999999999 G1 X1 Y2",
    "G92 X-99999999999\n" * 9 + "G0 X1", "#<" + "a" * 900 + ">=1\n#1=#<" + "b" * 900 + ">",
    "(" + " " * 1000 + ")" + " " * 900 + "o", "M98 P1 L" + "9" * 400 + "\nO1\nM99", "G0 X１", "M98 P²", "(DEBUG,#²)",
    "o² call", "%\n" * 900, "/" * 1999,
]  # fmt: skip


def numbers(value: object) -> Iterator[float]:
    """All numbers in a field of a command."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, tuple):
        for inner in value:
            yield from numbers(inner)


@pytest.mark.parametrize("options", [{}, {"frame": "table", "spindle_speed": 1}], ids=["base", "table"])
@pytest.mark.parametrize("text", CORPUS, ids=range(len(CORPUS)))
def test_what_fuzzing_aimed_at_ends_in_finite_commands_or_one_error(text: str, options: dict[str, object]) -> None:
    try:
        for command in islice(GCODE.run(text, AROUND, options), 200):
            assert all(math.isfinite(number) for value in vars(command).values() for number in numbers(value)), command
    except BadProgram as error:
        said = str(error)
    else:
        return
    assert "; " in said  # what is wrong, and what to do
