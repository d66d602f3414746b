"""What codes do, by our own cases: boring cycles, polar words, contexts, messages, and where a fault is shown."""

import pytest

from armillary.programs.gcode import BadGcode, MachineSettings, Tool, format_program, interpret
from armillary.programs.gcode.canon import ArcFeed, StraightFeed, StraightTraverse

TOOLS = {1: Tool(1, (0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 6.0), 2: Tool(2)}


def said(text: str) -> list[str]:
    """What a program prints after its first five lines, which say the state at the start."""
    return list(format_program(interpret(text, machine=MachineSettings(tools=TOOLS))))[5:]


def ends(text: str) -> list[tuple[float, ...]]:
    """Where the moves of a program end: x, y, z."""
    commands = interpret(text, machine=MachineSettings(tools=TOOLS))
    return [c.position[:3] for c in commands if isinstance(c, StraightFeed | StraightTraverse | ArcFeed)]


@pytest.mark.parametrize(
    ("cycle", "after_the_bottom"),
    [
        ("G85", ["STRAIGHT_FEED 1", "STRAIGHT_TRAVERSE 5"]),
        ("G86 P2", ["DWELL", "STOP_SPINDLE", "STRAIGHT_TRAVERSE 5", "START_SPINDLE"]),
        ("G88 P2", ["DWELL", "STOP_SPINDLE", "PROGRAM_STOP", "START_SPINDLE"]),
        ("G89 P2", ["DWELL", "STRAIGHT_FEED 5"]),
    ],
)
def test_boring_cycles_leave_the_hole_in_their_way(cycle: str, after_the_bottom: list[str]) -> None:
    lines = said(f"F100 S9 M3 G98\nG0 Z5\n{cycle} X2 Z-1 R1\nM2")
    at = next(i for i, line in enumerate(lines) if line.startswith("STRAIGHT_FEED(2.0000, 0.0000, -1.0000"))
    for line, expected in zip(lines[at + 1 :], after_the_bottom, strict=False):
        name, _, height = expected.partition(" ")
        assert line.startswith(name) and (not height or f", {float(height):.4f}, 0.0000" in line)


def test_a_boring_cycle_needs_a_turning_spindle() -> None:
    with pytest.raises(BadGcode, match="spindle still"):
        said("F100\nG86 X2 Z-1 R1 P1")


def test_boring_back_goes_in_beside_the_axis() -> None:
    places = ends("F10 S5 M3\nG0 Z3\nG87 X1 Y1 Z-4 R2 I.5 J0 K-1\nM2")
    assert places[1:] == [
        (1, 1, 3), (1, 1, 2), (1.5, 1, 2), (1.5, 1, -4), (1, 1, -4), (1, 1, -1), (1, 1, -4), (1.5, 1, -4), (1.5, 1, 2), (1, 1, 2),
    ]  # fmt: skip


def test_polar_words_give_distance_and_angle() -> None:
    assert ends("G0 @2 ^90")[0] == pytest.approx((0, 2, 0))
    assert ends("G0 X3 Y4\nG0 @10")[1] == pytest.approx((6, 8, 0))
    assert ends("G0 X5\nG91 G0 ^90")[1] == pytest.approx((0, 5, 0))
    assert ends("F1\nG0 X2\nG91 G81 ^90 Z-1 R0 L2\nM2")[-1] == pytest.approx((-2, 0, 0))


@pytest.mark.parametrize(("line", "column"), [("G0 @1 X2", 7), ("G53 G0 @1", 8), ("G28 @1", 5), ("G18\nG0 @1", 4), ("M3 $1", 4)])
def test_polar_words_and_spindles_are_refused_where_they_make_no_sense(line: str, column: int) -> None:
    with pytest.raises(BadGcode) as caught:
        said(line)
    assert caught.value.column == column


def test_a_context_brings_back_tool_offset_and_g92() -> None:
    lines = said("G92 X1\nM70\nG43.1 Z3\nG92.2\nM72\nM2")
    assert lines[3:5] == [
        "USE_TOOL_LENGTH_OFFSET(0.0000 0.0000 0.0000, 0.0000 0.0000 0.0000, 0.0000 0.0000 0.0000)",
        "SET_G92_OFFSET(-1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
    ]


def test_debug_messages_can_be_switched_off_and_logs_name_their_file() -> None:
    assert [line for line in said("#5599=0\n(DEBUG,a)\n(MSG,b)\n#5599=1\n(DEBUG,c)\nM2") if "MESSAGE" in line] == [
        'MESSAGE("b")',
        'MESSAGE("c")',
    ]
    assert said("(LOGOPEN,a.txt)\n(LOG,#5220)\n(LOGAPPEND,b)\n(LOGCLOSE)")[:4] == [
        'LOGOPEN("a.txt")', 'LOG("1.000000")', 'LOGAPPEND("b")', "LOGCLOSE()",
    ]  # fmt: skip


def test_names_are_local_to_a_subroutine_of_m98_and_numbers_are_not() -> None:
    lines = said("#1=4\n#<a>=2\nM98 P5\n(DEBUG,%d #1 #<a>)\nM2\nO5\n#1=7\n#<a>=3\nM99")
    assert 'MESSAGE(" 7 2")' in lines


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("F10 G2 X1 Y0 I9", 5), ("G0 X1 F-5", 7), ("G10 L2 P11 X1", 8), ("  T9 M6", 3), ("F9 G81 X1 Z2 R1", 14),
        ("N5 M19 R400", 8),
        ("F9\nG2 I1 P1.5", 7), ("G0 X1 L3", 7), ("G43 H7", 5), ("F1\nG83 X1 Z-1 R1 Q-1", 15), ("M98 P7", 5), ("F1\nG2 X1 K1", 7),
    ],
)  # fmt: skip
def test_a_fault_is_shown_at_its_word(line: str, column: int) -> None:
    with pytest.raises(BadGcode) as caught:
        said(line)
    assert caught.value.column == column


@pytest.mark.parametrize(
    "text",
    ["M98 P1 X1\nM2\nO1\nM99", "G0 X1 M98 P1\nM2\nO1\nM99", "M73 M5", "M7 M8", "M67 E0", "F1\nG83 Z-9999 R1 Q.0001 L9999 X1"],
)
def test_what_could_only_be_a_mistake_is_an_error(text: str) -> None:
    with pytest.raises(BadGcode):
        said(text)
