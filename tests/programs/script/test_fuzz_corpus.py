"""What fuzzing found in robot commands or aimed at (tools/fuzz_script.py): each ends in finite commands or in BadScript."""

import math
from collections.abc import Iterator
from itertools import islice

import pytest

from armillary.programs import Point, Surroundings
from armillary.programs.script import BadScript, ScriptRun, format_script, parse
from armillary.spatial import transform_from_xyz_rpy

TABLE = transform_from_xyz_rpy((0.4, 0.1, 0.2), (0.1, 0.2, 3.0))
AROUND = Surroundings(
    joints=("j1", "j2", "j3", "j4", "j5", "j6"), tools=("gripper",),
    frames={"table": TABLE},
    points={"home": Point("home", (0.0,) * 6, (0.4, 0.1, 0.5), (3.1, 0.0, 0.2))},
)  # fmt: skip


@pytest.mark.parametrize("text", [
    "MOVEL 1.7e308 1.7e308 1.7e308 0 0 0 (m) {table}", "DMOVE 1.7e308 1.7e308 1.7e308 0 0 0 (m) {table}",
    "POINT p = 1.7e308 1.7e308 1.7e308 0 0 0 (m) {table}\nMOVEL p", "x = 1e308\nMOVEL x x x x x x (m) {table}",
    "MOVEC 1e308 1e308 1e308; 1 2 3 4 5 6 (m) {table}", "MOVEJ 1e13 0 0 0 0 0",
])  # fmt: skip
def test_values_so_large_that_a_pose_of_them_is_infinite_are_refused(text: str) -> None:
    with pytest.raises(BadScript, match=r"value 1 is 1.* expected less than 1e\+12"):
        list(ScriptRun(parse(text), AROUND))


@pytest.mark.parametrize("expression", ["max({})", "abs(max({}))"])
def test_a_long_line_counts_as_several_steps_of_a_loop(expression: str) -> None:
    loop = "x = 0\nWHILE x < 100\n  x = x + 1 + 0 * {}\nEND"  # 300 short steps
    assert len(list(ScriptRun(parse(loop.format("1")), AROUND, budget=1000))) == 1
    long = expression.format(", ".join(["sin(x)"] * 100))
    for text in (loop.format(long), loop.format(long.replace(", ", ",\n(0), "))):  # on one line, and on many
        with pytest.raises(BadScript, match="1000 steps without a command"):
            list(ScriptRun(parse(text), AROUND, budget=1000))


def test_comments_in_a_loop_are_no_steps() -> None:
    loop = "x = 0\nWHILE x < 100\n" + "  # a long story\n" * 500 + "  x = x + 1\nEND"
    assert len(list(ScriptRun(parse(loop), AROUND, budget=1000))) == 1


def test_the_parts_of_a_point_in_a_frame_follow_the_point_and_the_frame() -> None:
    said = "MESSAGE round(p.x)"
    text = f"POINT p = 1 2 3 0 0 0 {{table}}\nFRAME table\n{said}\nPOINT p = 7 2 3 0 0 0\n{said}\nFRAME B\n{said}\n{said}"
    in_base = round(1e3 * float((TABLE @ (0.007, 0.002, 0.003, 1.0))[0]))
    texts = [getattr(command, "text", "") for command in ScriptRun(parse(text), AROUND)]
    assert texts == ["1", "7", str(in_base), str(in_base), ""]


CORPUS = [
    "", "#", "# alone\n\n# twice", "SUB f\nEND", "\x1c# a", "DWELL 1 #a\n#b\n+2 #c", "MOVEL 1 2 3\n# c\n\n4 5 6",
    "DWELL 1\n\x1c\n# x\n2", "DWELL\u00a01", "DWELL 1\u2028DWELL 2", "ı = 1\nMESSAGE ı", "ſub f", "ﬁ=1\nFI=2\nMESSAGE ﬁ",
    "TOOL {TCP }", "FRAME {}",
    "MOVEL {  } 1 2 3 4 5 6 {  }", "x=-0\nMESSAGE x", "x=-(-(1))^2", "x=2^-3^2", "x=(1<2)<3", "x=NOT NOT 1",
    "x=(NOT 1) + 1", "x=--1", "MESSAGE 1e308", "MESSAGE " + "9" * 308, "MESSAGE 0^-1", "MESSAGE (0-2)^0.5",
    "MESSAGE ANALOG(1e308)", "OUTPUT 1e308 ON",
    "OUTPUT 1 1e308", "WAIT 1 ABOVE 1e308 [1e308 min]", "DWELL 1e308 (min)", "SPEED 1e308 in/ms",
    "SPEED 1e-320 mm/min\nDMOVE 1 1 1 0 0 0", "FOR i=-1e308 TO 1e308 STEP 1e308\nMESSAGE i\nEND",
    "FOR i=1 TO 1e308\nMESSAGE i\nEND", "FOR i=0 TO 1 STEP 1e-320\nEND",
    "POINT p = 1e11 1e11 1e11 0 0 0 (m)\nFRAME table\nMOVEL p.x p.y p.z 0 0 0", "MOVEL 0 0 0 1e11 1e11 1e11 (rad) {table}",
    'MESSAGE "' + "\\" * 1980 + '"', "MOVEJ " + "-" * 1990 + "1", "LABEL a\n" * 200 + "GOTO b\n" * 50,
    "CALL f()\n" * 200, "{" * 1999, "MOVEJ_SPLINE " + "home;" * 390 + "home", "x=1\n" + "+1\n" * 600,
    "IF 1\n" * 330 + "END\n" * 330,
]  # fmt: skip


def numbers(value: object) -> Iterator[float]:
    """All numbers in a field of a command."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, tuple):
        for inner in value:
            yield from numbers(inner)


@pytest.mark.parametrize("text", CORPUS, ids=range(len(CORPUS)))
def test_what_fuzzing_aimed_at_ends_in_finite_commands_or_one_error(text: str) -> None:
    try:
        script = parse(text, "f.arm")
        assert parse(format_script(script)) == script
        for command in islice(ScriptRun(script, AROUND), 200):
            assert all(math.isfinite(number) for value in vars(command).values() for number in numbers(value)), command
    except BadScript as error:
        refused = error
    else:
        return
    assert refused.file == "f.arm" and refused.what and refused.advice  # and not of what was printed
