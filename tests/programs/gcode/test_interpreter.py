"""G-code by our own cases: what each word and code does, and what is said when it cannot be."""

import re
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.programs import BadProgram
from armillary.programs.gcode import BadGcode, Canon, MachineSettings, Parameters, Tool, format_canon, format_program, interpret
from armillary.programs.gcode.canon import ArcFeed, StraightFeed, StraightTraverse, WaitInput

TOOLS = {1: Tool(1, (0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 6.0)}


def said(text: str, **options: object) -> list[str]:
    """What a program prints after its first five lines, which say the state at the start."""
    return list(format_program(interpret(text, machine=MachineSettings(tools=TOOLS), **options)))[5:]  # type: ignore[arg-type]


def ends(text: str) -> list[tuple[float, ...]]:
    """Where the moves of a program end: x, y, z."""
    moves = (StraightFeed, StraightTraverse, ArcFeed)
    return [c.position[:3] for c in interpret(text, machine=MachineSettings(tools=TOOLS)) if isinstance(c, moves)]


def value(expression: str) -> float:
    return ends(f"G0 X[{expression}]")[0][0]


@pytest.mark.parametrize(
    ("expression", "worth"),
    [
        ("1+2*3**2", 19), ("2**3**2", 64), ("[1+2]*3", 9), ("7 MOD 3", 1), ("-3 MOD 5", 2), ("1 EQ 1.0000001", 1), ("1 NE 2", 1),
        ("2 GT 1 AND 1 LT 0", 0), ("1 OR 0 XOR 1", 0), ("SIN[30]", 0.5), ("ATAN[1]/[-1]", 135),
        ("FIX[-1.2]", -2), ("FUP[1.2]", 2),
        ("ROUND[-2.5]", -3),
        ("SQRT[16]", 4), ("-[1+1]", -2), ("ABS[-3]", 3), ("LN[EXP[2]]", 2), ("EXISTS[#<_x>]", 1),
        ("EXISTS[#<nothing>]", 0), ("1 0 + 1", 11), ("2 GE 2", 1), ("10/4-1", 1.5),
    ],
)  # fmt: skip
def test_expressions_are_worth_what_linuxcnc_says(expression: str, worth: float) -> None:
    assert value(expression) == pytest.approx(worth)


def test_parameters_take_their_values_after_the_line() -> None:
    assert ends("#1=3\n#1=5 G0 X#1\nG0 X#1") == [(3.0, 0.0, 0.0), (5.0, 0.0, 0.0)]
    assert ends("#7=9\n#9=4\nG0 X##7\n#<A b>=2\nG0 X#<ab>\n#<_G>=1\nG0 X#<_g>") == [(4, 0, 0), (2, 0, 0), (1, 0, 0)]


def test_a_move_in_inches_is_in_mm_and_prints_in_inches() -> None:
    assert ends("G20\nG0 X1 Y2\nG21\nX1") == [(25.4, 50.8, 0.0), (1.0, 50.8, 0.0)]
    assert "STRAIGHT_TRAVERSE(1.0000, 2.0000, 0.0000, 0.0000, 0.0000, 0.0000)" in said("G20 G0 X1 Y2")


def test_incremental_moves_add_up() -> None:
    assert ends("G91 G0 X1\nX1 Y2\nG90 X0") == [(1, 0, 0), (2, 2, 0), (0, 2, 0)]


@pytest.mark.parametrize(
    ("line", "centre", "turns"),
    [("G2 X10 I5", (5, 0), -1), ("G3 X10 R5", (5, 0), 1), ("G90.1 G3 X10 I5 J0 P3", (5, 0), 3), ("G2 I4 Z3", (4, 0), -1)],
)
def test_arcs_have_their_centre(line: str, centre: tuple[float, float], turns: int) -> None:
    arc = next(c for c in interpret(f"F10\n{line}") if isinstance(c, ArcFeed))
    assert arc.centre == pytest.approx(centre) and arc.turns == turns


def test_offsets_change_what_the_same_place_is_called() -> None:
    assert ends("G10 L2 P1 X5\nG53 G0 X5\nG92 X3\nG53 G0 X5\nG92.1\nG0 X1") == [(0, 0, 0), (3, 0, 0), (1, 0, 0)]
    assert ends("G10 L2 P2 R90\nG55\nG53 G0 Y1")[0] == pytest.approx((1, 0, 0))
    assert ends("G0 X7\nG10 L20 P1 X1\nG53 G0 X7")[-1] == (1, 0, 0)
    assert ends("T1 M6 G43\nG53 G0 Z10\nG49\nG53 G0 Z10") == [(0, 0, 0), (0, 0, 10)]


def test_homes_are_where_they_were_set() -> None:
    assert ends("G0 X1 Y2 Z3\nG28.1\nG0 X9 Y9 Z9\nG28 Z20") == [(1, 2, 3), (9, 9, 9), (9, 9, 20), (9, 9, 3)]


def test_a_peck_cycle_clears_the_hole() -> None:
    depths = [z for _, _, z in ends("F10 G99\nG0 Z5\nG83 X1 Z-2 R1 Q2")]
    assert depths == pytest.approx([5, 5, 1, -1, 1, -0.746, -2, 1])


def test_inverse_time_gives_each_move_its_rate() -> None:
    assert "SET_FEED_RATE(20.0000)" in said("G93\nG1 X10 F2")


def test_inputs_are_read_when_their_command_has_been_taken() -> None:
    asked: list[WaitInput] = []

    def inputs(command: WaitInput) -> float:
        asked.append(command)
        return 4.5

    lines = said("M66 E2 L0\n(DEBUG,#5399)", inputs=inputs)
    assert lines[-1] == 'MESSAGE("4.500000")' and [(c.index, c.analog) for c in asked] == [(2, True)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("o1 repeat [3]\n#1=[#1+1]\no1 endrepeat", "3"),
        ("o1 while [#1 LT 5]\n#1=[#1+1]\no1 endwhile", "5"),
        ("o1 do\n#1=[#1+1]\no1 while [#1 LT 4]", "4"),
        ("o1 while [1]\n#1=[#1+1]\no2 if [#1 EQ 2]\no1 break\no2 endif\no1 endwhile", "2"),
        ("o1 repeat [4]\no2 if [#2 EQ 1]\no1 continue\no2 endif\n#1=[#1+1]\n#2=1\no1 endrepeat", "1"),
        ("o1 if [0]\n#1=1\no1 elseif [1]\n#1=2\no1 elseif [1]\n#1=3\no1 else\n#1=4\no1 endif", "2"),
        ("o1 if [0]\n#1=1\no1 elseif [0]\n#1=2\no1 else\n#1=4\no1 endif", "4"),
        ("o1 if [1]\n#1=1\no1 elseif [1]\n#1=2\no1 else\n#1=4\no1 endif", "1"),
        ("o<f> sub\no<f> return [#1*2]\no<f> endsub\no<f> call [21]\n#1=#<_value>", "42"),
        ("o9 sub\n#1=5\no9 endsub\n#2=3\no[#2*3] call\n#1=[#1+7]", "7"),
        ("M98 P5 L3\n(DEBUG,%d#1)\nM2\nO5\n#1=[#1+1]\nM99", "3"),
    ],
)
def test_o_words_go_where_they_say(text: str, shown: str) -> None:
    assert f'MESSAGE("{shown}")' in said(text if "DEBUG" in text else f"{text}\n(DEBUG,%d#1)\nM2")


def test_subroutines_come_from_files_beside(tmp_path: Path) -> None:
    (tmp_path / "drill.ngc").write_text("o<drill> sub\nG0 X#1\no<drill> endsub\nM2\n")
    (tmp_path / "main.ngc").write_text("o<drill> call [7]\nM2\n")
    commands = list(interpret(tmp_path / "main.ngc", machine=MachineSettings(search_path=(tmp_path,))))
    move = next(c for c in commands if isinstance(c, StraightTraverse))
    assert move.position[0] == 7 and str(move.source) == f"{tmp_path / 'drill.ngc'}:2"


def test_an_endless_loop_is_a_stream_that_can_be_closed() -> None:
    stream = interpret("o1 while [1]\n#1=[#1+1]\nG0 X#1\no1 endwhile")
    assert [format_canon(c) for c in islice(stream, 5, 7)][-1].startswith("STRAIGHT_TRAVERSE(2.0000")
    stream.close()  # type: ignore[attr-defined]


def test_block_delete_leaves_lines_out_only_where_asked() -> None:
    assert ends("/G0 X1") == [(1, 0, 0)]
    assert not [c for c in interpret("/G0 X1", machine=MachineSettings(block_delete=True)) if isinstance(c, StraightTraverse)]


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("G0 X1 X2", 7, "second X"),
        ("G0 G1 X1", 4, "exclude"), ("G1 X1", 1, "no feed rate"), ("G0 X[1/0]", 7, "division by zero"),
        ("G41 D1", 1, "cutter compensation, which is not supported"), ("G33 Z1 K1", 1, "threading"),
        ("G38.2 X1", 1, "probing"),
        ("G5 X1", 1, "splines"), ("G95", 1, "per revolution"), ("G7", 1, "lathe"), ("G0 X#<feeed>", 5, "has no value"),
        ("G0 XSQTR[2]", 5, "no function"), ("o1 whlie [1]", 4, "no o-word"),
        ("(open", 1, "not closed"), ("G0 X", 5, "no value"),
        ("M3 M4", 4, "exclude"),
        ("o1 call", 1, "no subroutine"), ("#<_x>=1", 1, "machine's own"), ("G2 X1 I9 F9", 1, "radius"),
        ("P1", 1, "no code that takes it"),
        ("X1", 1, "no motion"), ("G123", 1, "there is no G123"), ("G0 U1", 4, "no axis U"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what(text: str, column: int, what: str) -> None:
    with pytest.raises(BadGcode) as caught:
        list(interpret(f"G21\n{text}\nM2"))
    error = caught.value
    assert (error.line, error.column) == (2, column) and what in error.what
    assert str(error).splitlines()[-1] == "  " + " " * (column - 1) + "^" and "; " in str(error)


def test_a_line_in_error_does_nothing() -> None:
    parameters, taken = Parameters(), list[Canon]()
    with pytest.raises(BadGcode):
        taken.extend(interpret("#1=4 F100 G1 X1 Y[1/0]", parameters=parameters))
    assert len(taken) == 5 and parameters.numbers[1] == 0.0


TOKENS = [
    *re.findall(
        r"\S+", "G0 G1 G2 G3 G81 G83 G10 G92 G28 G43 G55 G93 M2 M3 M6 M66 M98 M99 M70 M72 X1 Y-2 Z I1 J R2 P1 Q.5 L2 F100 S T1"
    ),
    *re.findall(
        r"\S+", "H1 #1 #<a> = [ ] 1 + ** MOD SIN ATAN / EXISTS o1 sub endsub call while endwhile if else endif do repeat"
    ),
    *re.findall(r"\S+", "endrepeat break return ( ) ; % N5 (DEBUG,#1) é $ 1e400 #99999"),
    "\n",
    "\n",
    "9" * 400,
]


def test_a_loop_that_commands_nothing_is_an_error_and_not_a_hang() -> None:
    with pytest.raises(BadGcode, match="without a command"):
        list(interpret("o1 while [1]\no1 endwhile"))


def test_no_position_is_infinite() -> None:
    for text in (f"G0 X{'9' * 400}", f"#1={'9' * 300}\nG0 X[#1*#1]", f"G20\n#1={'9' * 300}\nG0 X[#1*#1]"):
        with pytest.raises(BadGcode, match=r"less than|too large"):
            list(interpret(text))


@settings(max_examples=400, deadline=None)
@given(tokens=st.lists(st.sampled_from(TOKENS), max_size=40))
def test_token_soup_is_a_program_or_a_program_error(tokens: list[str]) -> None:
    with suppress(BadProgram):
        for command in islice(interpret(" ".join(tokens), machine=MachineSettings(tools=TOOLS), inputs=lambda _: 1.0), 200):
            assert format_canon(command)
