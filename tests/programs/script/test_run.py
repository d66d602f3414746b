"""A script that runs: variables, expressions, blocks, calls, jumps, and what can be seen while it does."""

import gc
from math import pi

import pytest

from armillary.programs import End, MoveJoints, MoveLine, Say, Stop, Surroundings
from armillary.programs.script import BadScript, ScriptRun, parse
from armillary.programs.script.script import LONG

NOTHING = Surroundings()


def said(text: str, around: Surroundings = NOTHING) -> list[str]:
    """What a program says."""
    return [command.text for command in ScriptRun(parse(text), around) if isinstance(command, Say)]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("3 * 2 + 1", "7"), ("1 + 3 * 2", "7"), ("(1 + 3) * 2", "8"), ("2 ^ 3 ^ 2", "512"), ("-2 ^ 2", "-4"), ("(-2) ^ 2", "4"),
        ("2 ^ -1", "0.5"), ("7 % 3", "1"), ("-1 % 3", "2"), ("10 - 3 - 2", "5"), ("1 < 2", "1"), ("1 >= 2", "0"), ("1 == 1", "1"),
        ("1 != 1", "0"), ("NOT 1 == 2", "1"), ("1 OR 0 AND 0", "1"), ("NOT 0 AND 0", "0"), ("sin(90)", "1"),
        ("round(-2.4)", "-2"), ("round(2.5)", "3"), ("floor(-0.5)", "-1"), ("ceil(0.5)", "1"), ("atan2(1, 1)", "45"),
        ("min(3, 1, 2)", "1"), ("max(3)", "3"), ("abs(-3)", "3"), ("sqrt(9)", "3"), ("asin(1)", "90"), ("acos(1)", "0"),
        ("round(cos(60) * 10)", "5"), ("round(tan(45))", "1"), ("1e3", "1000"), (".5", "0.5"), ("INPUT(1)", "0"), ("CAME()", "1"),
        ("0 AND 1 / 0", None), ("1 OR 0 / 0", None),
    ],
)  # fmt: skip
def test_what_expressions_are_worth(expression: str, value: str | None) -> None:
    if value is None:  # what is constant and impossible is an error even where it would not be asked
        with pytest.raises(BadScript, match="division by zero"):
            said(f"MESSAGE ({expression})")
    else:
        assert said(f"x = {expression}\nMESSAGE x") == [value]
        assert said(f"MESSAGE ({expression})") == [value]


def test_the_right_side_of_and_is_only_asked_where_it_matters() -> None:
    assert said("x = 0\nIF x != 0 AND 1 / x > 2\nMESSAGE 1\nELSEIF x == 0 OR 1 / x > 2\nMESSAGE 2\nEND") == ["2"]


@pytest.mark.parametrize(
    ("loop", "turns"),
    [("1 TO 3", "123"), ("3 TO 1", ""), ("3 TO 1 STEP -1", "321"), ("1 TO 6 STEP 2", "135"), ("2 TO 2", "2")],
)
def test_for_has_both_ends_in_it(loop: str, turns: str) -> None:
    assert "".join(said(f"FOR i = {loop}\nMESSAGE i\nEND")) == turns


def test_a_step_that_is_no_binary_number_adds_up_no_errors() -> None:
    assert len(said("FOR i = 0 TO 1 STEP 0.1\nMESSAGE i\nEND")) == 11


@pytest.mark.parametrize(("x", "branch"), [(1, "one"), (2, "two"), (3, "three"), (4, "other")])
def test_if_takes_the_first_branch_that_holds(x: int, branch: str) -> None:
    text = f"""x = {x}
IF x == 1
  MESSAGE "one"
ELSEIF x == 2
  MESSAGE "two"
ELSEIF x < 4
  MESSAGE "three"
ELSE
  MESSAGE "other"
END"""
    assert said(text) == [branch]


def test_subroutines_have_parameters_of_their_own_and_can_call_themselves() -> None:
    text = """CALL down(3)
MESSAGE "n " n
SUB down(i)
  n = i
  IF i == 0
    RETURN
  END
  CALL down(i - 1)
  MESSAGE i
END"""
    assert said(text) == ["1", "2", "3", "n 0"]


def test_jumps_go_to_labels_around_them() -> None:
    text = """n = 0
LABEL again
FOR i = 1 TO 5
  n = n + 1
  IF i == 2 AND n < 6
    GOTO again
  END
  IF n > 6
    GOTO done
  END
END
MESSAGE "not here"
LABEL done
MESSAGE n"""
    assert said(text) == ["7"]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "\ufeff# with a byte order mark\r\n"])
def test_a_program_without_commands_ends(text: str) -> None:
    assert [type(command) for command in ScriptRun(parse(text), NOTHING)] == [End]


def test_joint_values_are_taken_as_they_are_where_no_robot_is_known() -> None:
    move, _ = ScriptRun(parse("MOVEJ 180 90"), Surroundings(slides=(True,)))
    assert isinstance(move, MoveJoints) and move.goal == pytest.approx((pi, pi / 2))


@pytest.mark.parametrize("on", [True, False])
def test_reading_leaves_the_garbage_collection_as_it_was(on: bool) -> None:
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        list(ScriptRun(parse("DWELL 1"), NOTHING))
        with pytest.raises(BadScript):
            parse("DWELL")
        assert gc.isenabled() == on
    finally:
        (gc.enable if was_on else gc.disable)()


def test_nothing_behind_stop_is_run_and_return_outside_of_subroutines_ends_the_program() -> None:
    assert [type(command) for command in ScriptRun(parse("STOP\nDWELL 1"), NOTHING)] == [Stop]
    assert [type(command) for command in ScriptRun(parse("RETURN\nDWELL 1"), NOTHING)] == [End]


class Switches:
    """Inputs that a test sets."""

    def __init__(self) -> None:
        self.high, self.level, self.in_time = False, 0.0, True

    def digital(self, index: int) -> bool:
        return self.high and index == 4

    def analog(self, index: int) -> float:
        return self.level * index

    def came(self) -> bool:
        return self.in_time


def test_inputs_are_read_when_the_program_is_there_and_not_before() -> None:
    switches = Switches()
    run = ScriptRun(parse("DWELL 1\nMESSAGE INPUT(4) ANALOG(2) CAME()"), Surroundings(inputs=switches))
    next(run)
    switches.high, switches.level, switches.in_time = True, 1.5, False
    answer = next(run)
    assert isinstance(answer, Say) and answer.text == "130"


def test_what_is_in_force_can_be_seen_while_it_runs() -> None:
    text = """SPEED 50 %
UNITS (m)
SUB inner(a)
  DWELL a
END
SUB outer()
  CALL inner(2)
END
x = 3
CALL outer()"""
    run = ScriptRun(parse(text), NOTHING)
    assert run.line == 0
    next(run)
    assert run.line == 4 and run.call_stack == (("outer", 10), ("inner", 7)) and run.variables == {"x": 3.0, "a": 2.0}
    assert run.modes.share == 0.5 and str(run.modes.units) == "m,deg,s" and run.modes.frame == "B" and run.modes.tool == ""


def test_a_run_from_a_line_has_what_the_lines_before_set() -> None:
    text = "x = 5\nPOINT p = 1 2 3 0 0 0\nDWELL 1\nIF x\n  DWELL 2\nEND\nMESSAGE x\nMOVEL p"
    message, line, _ = ScriptRun(parse(text), NOTHING, start_line=7)
    assert isinstance(message, Say) and message.text == "5" and isinstance(line, MoveLine)
    with pytest.raises(BadScript, match="inside the block that begins in line 4"):
        next(ScriptRun(parse(text), NOTHING, start_line=5))
    with pytest.raises(BadScript, match="nothing is left"):
        next(ScriptRun(parse(text), NOTHING, start_line=9))


@pytest.mark.parametrize("loop", ["WHILE 1\nEND", "LABEL a\nGOTO a", "x = 0\nWHILE x >= 0\nx = x + 1\nEND"])
def test_an_endless_loop_without_a_command_is_stopped(loop: str) -> None:
    with pytest.raises(BadScript, match="1000 steps without a command"):
        list(ScriptRun(parse(loop), NOTHING, budget=1000))


def test_an_endless_loop_of_commands_goes_on() -> None:
    run = ScriptRun(parse("WHILE 1\nDWELL 1\nEND"), NOTHING, budget=50)
    assert len([next(run) for _ in range(1000)]) == 1000


def test_calls_without_end_are_stopped() -> None:
    with pytest.raises(BadScript, match=r"2:3: more than 200 calls inside one another"):
        list(ScriptRun(parse("SUB f()\n  CALL f()\nEND\nCALL f()"), NOTHING))


def long_text(line: str) -> str:
    return "y = 2\n" + "MOVEL 1 2 3 0 0 180\n" * LONG + line


def test_a_long_program_without_blocks_is_read_while_it_runs() -> None:
    script = parse(long_text("MESSAGE y\nMOVEX 1"), "long")
    assert script.is_long
    run = ScriptRun(script, NOTHING, start_line=LONG)
    *lines, last = [next(run) for _ in range(3)]
    assert all(isinstance(line, MoveLine) and line.rpy == pytest.approx((0, 0, pi)) for line in lines)
    assert isinstance(last, Say) and last.text == "2" and last.source.line == LONG + 2
    with pytest.raises(BadScript, match=f"long:{LONG + 3}:1: there is no command MOVEX"):
        next(run)


def test_a_long_program_with_a_block_is_read_at_once() -> None:
    assert not parse(long_text("if y\nend")).is_long
    with pytest.raises(BadScript, match="MOVEX"):
        parse(long_text("if y\nMOVEX 1\nend"))


def test_a_long_program_gives_the_same_commands_as_a_short_one() -> None:
    text = "SPEED 10 mm/s\nx = 4\nMOVEL (x + 1) 2 3 0 0 0\nPOINT p = x 0 0 0 0 0\nMOVEL p BLEND 1\n"
    short = [*ScriptRun(parse(text), NOTHING)][:-1]
    run = ScriptRun(parse(text + "# \n" * LONG), NOTHING)
    assert run.script.is_long and [*run][:-1] == short
