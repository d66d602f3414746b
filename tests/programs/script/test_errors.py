"""What is wrong is said with line, column, and what to write instead; before anything moves where it can be known."""

import numpy as np
import pytest

from armillary.programs import Point, Surroundings
from armillary.programs.script import BadScript, ScriptRun, check, parse

AROUND = Surroundings(
    joints=("a", "b", "c"), frames={"table": np.eye(4)}, tools=("gripper",),
    points={"home": Point("home", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            "held": Point("held", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), tool="gripper")},
)  # fmt: skip

SYNTAX = [
    ("MOVEX 1", 1, 1, "there is no command MOVEX; perhaps MOVEL"),
    ("P1 MOVJ 1 2 3", 1, 4, "there is no command MOVJ; perhaps MOVEJ"),
    ("DWELL 1\n  DWEL 1", 2, 3, "perhaps DWELL"),
    ("1 2 3", 1, 1, "where a command begins"),
    ("MOVEL 1 2 3", 1, 1, "MOVEL has 3 values for a pose; expected x y z roll pitch yaw"),
    ("MOVEL", 1, 6, "expected a value"),
    ("MOVEC 1 2 3 4 5 6", 1, 1, "MOVEC has 1 points; expected two"),
    ("MOVEC 1 2; 1 2 3 4 5 6", 1, 1, "MOVEC has 2 values for a pose"),
    ("MOVEL 1 2 3 4 5 6; 1 2 3 4 5 6", 1, 1, "MOVEL has 2 points; expected one"),
    ("DMOVE home", 1, 1, "DMOVE has 1 values for a pose"),
    ("MOVEL 1 2 3 4 5 x-1", 1, 18, "sums into parentheses"),
    ("MOVEL 1 2 3 4 5 x - 1", 1, 19, "put a sum into parentheses"),
    ("MOVEL 1 2 3 4 5 2x", 1, 18, "a blank between values"),
    ("MOVEL 1 2 3 4 5 6 (mm,grad)", 1, 23, "grad is no unit; expected one of mm, cm, m, in, deg, rad, s, ms, min; perhaps rad"),
    ("MOVEL 1 2 3 4 5 6 (mm,m)", 1, 23, "mm and m are both units of length"),
    ("DWELL 5 (mm)", 1, 10, "mm is a unit of length; expected a unit of time here"),
    ("MOVEL 1 2 3 4 5 6 [5 mm]", 1, 24, "there is ]; expected / and a unit of time"),
    ("MOVEL 1 2 3 4 5 6 [5 mm/mm]", 1, 25, "mm/mm is no speed"),
    ("MOVEL 1 2 3 4 5 6 [5 sec]", 1, 22, "there is sec; expected s, ms, min"),
    ("MOVEL 1 2 3 4 5 6 [5] [6]", 1, 23, "each once"),
    ("MOVEL_LSPB 1 2 3 4 5 6 BLEND 5", 1, 1, "goes from rest to rest"),
    ("MOVEL 1 2 3 4 5 6 [5] BLEND 5", 1, 1, "has a time and BLEND"),
    ("MOVEJ_SPLINE 1 2 3 BLEND 5", 1, 1, "a spline goes from rest to rest"),
    ("MOVEJ 1 2 3 TOLERANCE 5", 1, 1, "expected BLEND"),
    ("MOVEL {TCP 1 2 3", 1, 7, "the frame is not closed"),
    ('MESSAGE "hello', 1, 9, "the text is not closed"),
    ("DWELL 1 // why", 1, 9, "// begins no comment; write # before a comment"),
    ("DWELL 1 2", 1, 9, "there is 2; expected the end of the command"),
    ("x = 1 ? 2", 1, 7, "'?' means nothing here"),
    ("x = 1e999", 1, 5, "the number is too large"),
    ("x = (1 + 2", 1, 11, "the command ends here; expected )"),
    ("IF x = 1\nEND", 1, 6, "expected == to compare"),
    ("x = 1 < 2 < 3", 1, 11, "a comparison of a comparison"),
    ("x = cos(1, 2)", 1, 5, "cos has 2 arguments; expected 1"),
    ("x = sine(1)", 1, 5, "there is no function sine; perhaps sin"),
    ("x = IF", 1, 5, "IF is a word of the language"),
    ("mm = 3", 1, 1, "mm is a word of the language; expected another name for a variable"),
    ("x = " + "(" * 50, 1, 45, "levels of parentheses"),
    ("x = 1" + " + 1" * 101, 1, 407, "more than 100 operators"),
    ("END", 1, 1, "END closes nothing: nothing is open; expected IF, FOR, WHILE or SUB before it"),
    ("FOR i = 1 TO 2\nELSE\nEND", 2, 1, "ELSE closes nothing: the block that is open is FOR"),
    ("IF 1\nELSE\nELSE\nEND", 3, 1, "ELSE behind ELSE"),
    ("WHILE 1\nDWELL 1", 1, 1, "WHILE is not closed; expected END"),
    ("IF 1\nSUB f()\nEND\nEND", 2, 1, "SUB stands inside a block"),
    ("P1 END", 1, 1, "an index before END"),
    ("FOR i = 1\nEND", 1, 10, "the command ends here; expected TO"),
    ("FOR i = 1 TO 2 STEP 0\nEND", 1, 1, "STEP 0 never ends"),
    ("GOTO nowhere\nLABEL somewhere", 1, 1, "there is no LABEL nowhere here; perhaps somewhere"),
    ("GOTO a\nIF 1\nLABEL a\nEND", 1, 1, "inside a block that this jump would enter; a block entered so has no counter"),
    ("IF 1\nLABEL a\nELSE\nGOTO a\nEND", 4, 1, "is inside a block that this jump would enter"),
    ("SUB f()\nLABEL a\nEND\nGOTO a", 4, 1, "a jump into or out of a subroutine has nowhere to return to; the label is in SUB f"),
    ("LABEL a\nLABEL a", 2, 1, "a second LABEL a; expected another name; the first is in line 1"),
    ("CALL pikc()\nSUB pick()\nEND", 1, 1, "there is no SUB pikc; perhaps pick"),
    ("CALL f(1)\nSUB f(a, b)\nEND", 1, 1, "f is called with 1 arguments; expected 2: (a, b)"),
    ("SUB f()\nEND\nSUB f()\nEND", 3, 1, "a second SUB f"),
    ("SUB f(a, a)\nEND", 1, 10, "a second parameter a"),
    ("OUTPUT 3", 1, 9, "expected ON, OFF or a value"),
    ("WAIT 3 HIG", 1, 8, "perhaps HIGH"),
    ("WAIT 3 HIGH [5 mm/s]", 1, 13, "a time limit in mm/s"),
    ("WAIT 3 HIGH OPTIONAL", 1, 1, "would wait for ever"),
    ("SPEED 50", 1, 7, "a speed needs its unit"),
    ("SPEED 50 % 20 %", 1, 12, "a second speed of the same kind"),
    ("POINT p = 1 2 3", 1, 1, "p has 3 values"),
    ("JOINTS p = 1 2 3 {table}", 1, 18, "joint values are in no frame"),
]  # fmt: skip
NAMES = [
    ("MOVEL pikc\nPOINT pick = 1 2 3 4 5 6", 1, 7, "there is no point pikc; perhaps pick"),
    ("MOVEJ hom", 1, 7, "there is no point hom; perhaps home"),
    ("MOVEJ 1 2", 1, 1, "MOVEJ has 2 joint values; expected 3: a, b, c"),
    ("JOINTS p = 1 2", 1, 1, "p has 2 joint values"),
    ("MOVEJ_SPLINE 1 2 3; 1 2", 1, 1, "MOVEJ_SPLINE has 2 joint values"),
    ("speed1 = 1\nx = sped1 + 1", 2, 5, "nothing is called sped1; set it first: sped1 = 1; perhaps speed1"),
    ("SUB f(a)\nEND\nx = a", 3, 5, "nothing is called a"),
    ("x = home", 1, 5, "home is a point and not a number; expected a part of it, as home.x"),
    ("home = 3", 1, 1, "home is a point; expected another name"),
    ("FOR home = 1 TO 2\nEND", 1, 1, "home is a point"),
    ("x = home.rol", 1, 5, "a point has no part rol; perhaps roll"),
    ("x = home.j4", 1, 5, "there is no joint 4; expected j1 to j3"),
    ("x = hone.x", 1, 5, "there is no point hone; perhaps home"),
    ("MOVEL {griper} 1 2 3 4 5 6", 1, 1, "there is no tool griper; perhaps gripper"),
    ("TOOL griper", 1, 1, "perhaps gripper"),
    ("MOVEL 1 2 3 4 5 6 {tabel}", 1, 1, "there is no frame tabel; perhaps table"),
    ("FRAME tabel", 1, 1, "perhaps table"),
    ("MOVEL home {table}", 1, 1, "a point has its place already; leave out {table}"),
    ("MOVEL 1 2 3 4 5 6 {TCP}", 1, 1, "poses cannot be given in the tool's own frame; expected DMOVE"),
    ("MOVEJ 1 2 3 [5 mm/s]", 1, 1, "expected a share of the joints' speed, as [50 %], or a time"),
    ("MOVEL 1 2 3 4 5 6 [50 %]", 1, 1, "expected a speed of the tool, as [100 mm/s]"),
    ("MOVEJ 1 2 3 [150 %]", 1, 1, "more than the joints can do"),
    ("MOVEJ 1 2 3 [0]", 1, 1, "the time is 0; expected more than zero"),
    ("MOVEL 1 2 3 4 5 6 BLEND -1", 1, 1, "BLEND is -1"),
    ("DMOVEJ home", 1, 1, "goes by values and not to a point"),
    ("DWELL -1", 1, 1, "DWELL for -1 s"),
    ("OUTPUT 1.5 ON", 1, 1, "not whole"),
    ("OUTPUT -1 ON", 1, 1, "there is no input or output -1"),
    ("x = 1 / 0", 1, 7, "division by zero"),
    ("x = 1e308 * 10", 1, 1, "x is not a finite number"),
    ("x = sqrt(-1)", 1, 5, "sqrt of -1"),
    ("x = asin(2)", 1, 5, "not between -1 and 1"),
    ("x = (-1) ^ 0.5", 1, 10, "a negative number to a power"),
    ("MOVEL (1e308 * 10) 2 3 4 5 6", 1, 1, "value 1 is not a finite number"),
]  # fmt: skip
REACHED = [
    ("IF 0\nx = 1\nEND\nDWELL x", 4, 7, "x has no value yet"),
    ("IF 0\nPOINT p = 1 2 3 4 5 6\nEND\nMOVEL p", 4, 7, "the point p is not declared yet"),
    ("x = 0\ny = 5 / x", 2, 7, "division by zero"),
    ("x = 0\ny = 5 % x", 2, 7, "division by zero"),
    ("x = 10\nWHILE 1\nx = x ^ 2\nEND", 3, 7, "too large"),
    ("x = 0\nDWELL (x - 1)", 2, 1, "DWELL for -1 s"),
    ("x = 0\nMOVEJ 1 2 3 [x]", 2, 1, "the time is 0"),
    ("x = 0\nFOR i = 1 TO 2 STEP x\nEND", 2, 1, "STEP is zero"),
    ("x = 0.5\nOUTPUT x ON", 2, 1, "not whole"),
    ("JOINTS p = 1 2 3\nMOVEL p", 2, 1, "this point is joint values and no pose; expected MOVEJ"),
    ("JOINTS p = 1 2 3\nx = p.x", 2, 5, "p is joint values and has no x"),
    ("POINT p = 1 2 3 4 5 6\nx = p.j1", 2, 5, "p has no j1"),
    ("POINT p = 1 2 3 4 5 6\nMOVEJ_SPLINE p", 2, 1, "MOVEJ_SPLINE through a pose"),
    ("MOVEC home; held", 1, 1, "its points were taught with different tools: TCP, gripper"),
]


def found(error: BadScript, line: int, column: int, message: str) -> None:
    assert (error.line, error.column) == (line, column), str(error)
    assert message in str(error)
    assert str(error).startswith(f"file.txt:{line}:{column}: ")
    assert str(error).split("\n")[2].endswith("^")


@pytest.mark.parametrize(("text", "line", "column", "message"), SYNTAX)
def test_what_the_text_alone_shows_to_be_wrong_is_said_when_it_is_read(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(BadScript) as error:
        parse(text, "file.txt")
    found(error.value, line, column, message)


@pytest.mark.parametrize(("text", "line", "column", "message"), NAMES)
def test_what_the_robot_shows_to_be_wrong_is_said_before_anything_moves(text: str, line: int, column: int, message: str) -> None:
    script = parse(text, "file.txt")
    with pytest.raises(BadScript) as error:
        check(script, AROUND)
    found(error.value, line, column, message)
    with pytest.raises(BadScript):
        ScriptRun(script, AROUND)


@pytest.mark.parametrize(("text", "line", "column", "message"), REACHED)
def test_what_only_shows_when_it_is_reached_is_said_there(text: str, line: int, column: int, message: str) -> None:
    script = parse(text, "file.txt")
    run = ScriptRun(script, AROUND)
    with pytest.raises(BadScript) as error:
        list(run)
    found(error.value, line, column, message)


def test_all_that_is_wrong_is_said_at_once_in_the_order_of_the_lines() -> None:
    with pytest.raises(BadScript) as error:
        parse("IF 1\nMOVEX 1\nDWELL\nx = 2 +", "f")
    assert [problem.line for problem in error.value.problems] == [1, 2, 3, 4]
    with pytest.raises(BadScript) as error:
        check(parse("DWELL a\nIF b\nDWELL c\nEND"), AROUND)
    assert [problem.line for problem in error.value.problems] == [1, 2, 3]


def test_a_block_whose_first_line_is_wrong_still_has_its_end() -> None:
    with pytest.raises(BadScript) as error:
        parse("IF 1 +\nDWELL 1\nEND\nSUB\nEND")
    assert [problem.line for problem in error.value.problems] == [1, 4]


def test_joint_values_are_not_counted_where_no_robot_is_known() -> None:
    check(parse("MOVEJ 1 2 3 4 5 6 7"), Surroundings())


def test_the_caret_stands_below_what_is_wrong_also_behind_tabs() -> None:
    with pytest.raises(BadScript) as error:
        parse("\tMOVEX 1")
    _, text, caret = str(error.value).split("\n")
    assert text.index("MOVEX") == caret.index("^")
