"""A run as an object: where it is, what is in force, starting from a line, stopping, and what it keeps."""

import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.programs import BadProgram
from armillary.programs.gcode import BadGcode, Canon, GcodeRun, MachineSettings, Parameters, interpret
from armillary.programs.gcode.canon import (
    ArcFeed,
    Message,
    SetFeedRate,
    SetG5xOffset,
    SetSpindleSpeed,
    StraightFeed,
    StraightTraverse,
    WaitInput,
)

SUBROUTINE = "o<outer> sub\no<inner> call [#1]\no<outer> endsub\no<inner> sub\nG0 X#1\no<inner> endsub\no<outer> call [7]\nM2\n"


def moves(commands: list[Canon]) -> list[Canon]:
    return [command for command in commands if isinstance(command, StraightFeed | StraightTraverse | ArcFeed)]


def test_a_run_tells_its_line_and_its_calls() -> None:
    run = GcodeRun(SUBROUTINE)
    for command in run:
        if isinstance(command, StraightTraverse):
            assert run.line == command.source.line == 5
            assert [(call.subroutine, call.source.line) for call in run.call_stack] == [("outer", 7), ("inner", 2)]
            assert run.parameters.numbers[1] == 7.0
            break
    else:
        raise AssertionError("it never moved")


def test_a_run_tells_the_modes_in_force() -> None:
    run = GcodeRun("G20 G91 G18 G55 F3 S40 M3 M8\nG1 X1\nG0 X1\n")
    for command in run:
        if isinstance(command, StraightFeed):
            modes = run.modes
            assert {"G1", "G20", "G91", "G18", "G55", "G94", "G99"} <= set(modes.g_codes)
            assert {"M3", "M8", "M48"} <= set(modes.m_codes)
            assert (modes.feed, modes.speed) == (3.0, 40.0)
    assert "G0" in run.modes.g_codes


def test_a_loop_can_be_stopped_from_outside() -> None:
    run = GcodeRun("o1 while [1]\nG91 G0 X1\no1 endwhile\nM2")
    stream = iter(run)
    assert len(moves(list(islice(stream, 20)))) > 5
    run.stop()
    assert len(list(stream)) <= 2


@given(budget=st.integers(10, 2000))
def test_an_endless_loop_without_commands_ends_at_its_budget(budget: int) -> None:
    with pytest.raises(BadGcode, match=f"{budget} lines have run without a command"):
        list(GcodeRun("o1 while [1]\n#1=[#1+1]\no1 endwhile", idle_budget=budget))


@pytest.mark.parametrize("text", ["M98 P1 L999999999\nM2\nO1\nM99", "o1 do\no1 while [1]", "o1 sub\no1 call\no1 endsub\no1 call"])
def test_no_way_of_turning_in_circles_hangs(text: str) -> None:
    with pytest.raises(BadGcode, match=r"without a command|inside each other"):
        list(GcodeRun(text, idle_budget=20_000))


PROGRAM = "G21 F100 S500\nG10 L2 P1 X5\nG0 X1\nG55\n#5=3\nM66 P0 L0\n(MSG,hello)\nG4 P1\nG1 X2 F200\nG91\nG0 X1 Y1\nM2\n"


def test_a_start_line_brings_the_modes_and_moves_nothing_before() -> None:
    whole, late = list(interpret(PROGRAM, inputs=lambda _: 1.0)), list(GcodeRun(PROGRAM, start_line=9))
    assert [m.source.line for m in moves(late)] == [9, 11]
    assert moves(late) == moves(whole)[1:]
    assert not [c for c in late if isinstance(c, Message | WaitInput)]
    assert [c for c in late if isinstance(c, SetG5xOffset)] == [c for c in whole if isinstance(c, SetG5xOffset)]
    assert {100.0, 200.0} <= {c.feed for c in late if isinstance(c, SetFeedRate)}
    assert any(isinstance(c, SetSpindleSpeed) for c in late)


@given(line=st.integers(1, 12))
def test_whatever_the_start_line_the_moves_are_the_last_ones_of_the_whole_run(line: int) -> None:
    whole, late = (
        moves(list(interpret(PROGRAM, inputs=lambda _: 1.0))),
        moves(list(GcodeRun(PROGRAM, start_line=line, inputs=lambda _: 1.0))),
    )
    assert late == [move for move in whole if move.source.line >= line]


def test_an_arc_cannot_be_the_first_move_from_a_start_line() -> None:
    with pytest.raises(BadGcode, match="the first move from the start line is an arc") as caught:
        list(GcodeRun("F10\nG0 X1\nG2 X3 I1\nG1 X0\nM2", start_line=3))
    assert caught.value.line == 3


def test_the_same_move_from_the_same_place_is_told_again_and_another_is_not() -> None:
    text = "G0 X0\no1 repeat [4]\nG0 X1\nY#1\n#1=[#1+1]\nG0 X0\no1 endrepeat\nM2"
    ends = [m.position[:2] for m in moves(list(interpret(text))) if isinstance(m, StraightTraverse)]
    assert ends[1:] == [place for i in range(4) for place in ((1.0, max(0.0, i - 1.0)), (1.0, float(i)), (0.0, float(i)))]


def test_a_remembered_move_follows_the_modes() -> None:
    loop = "o1 repeat [4]\nX1\nG91\nX1\nG90\no2 if [#1 EQ 1]\nG20\no2 endif\n#1=[#1+1]\nG1 X0\nX3\nG0 X0\no1 endrepeat\n"
    unrolled = "".join(f"X1\nG91\nX1\nG90\n{'G20' if i == 1 else ''}\nG1 X0\nX3\nG0 X0\n" for i in range(4))
    found, plain = (moves(list(interpret(f"F60\nG0 X0\n{text}M2"))) for text in (loop, unrolled))
    assert [(type(m), m.position) for m in found] == [(type(m), m.position) for m in plain]  # type: ignore[attr-defined]


def test_memory_does_not_grow_with_the_lines_that_have_run(tmp_path: Path) -> None:
    path = tmp_path / "long.ngc"
    path.write_text("F100\n" + "".join(f"G1 X{i % 97} Y{i % 31}.5\nG2 X{i % 97} Y{i % 31}.5 I1\n" for i in range(10_000)))
    stream = iter(GcodeRun(path))
    for _ in range(2000):
        next(stream)
    tracemalloc.start()
    try:
        for _ in stream:
            pass
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 200_000


def test_parameters_are_seen_while_it_runs() -> None:
    parameters = Parameters()
    seen = []
    for command in GcodeRun("#<a>=4\n#<_bee>=5\n#31=6\nG0 X1\nM2", parameters=parameters):
        if isinstance(command, StraightTraverse):
            seen = [parameters.names["a"], parameters.shared["_bee"], parameters.numbers[31], parameters.read(5420)]
    assert seen == [4.0, 5.0, 6.0, 1.0]


def test_subroutines_with_numbers_only_can_be_switched_off() -> None:
    with pytest.raises(BadGcode, match="switched off"):
        list(interpret("M98 P1\nM2\nO1\nM99", machine=MachineSettings(plain_subroutines=False)))


HUGE = "9" * 308


@pytest.mark.parametrize(
    "text",
    [
        f"G20\nG0 X{HUGE}",
        f"G91\nG0 X{HUGE}\nX{HUGE}",
        f"F1\n#1=[{HUGE}*10]\nG2 X#1 I#1",
        f"F1 G20\nG2 X1 I{HUGE}",
        f"F1\nG2 X[{HUGE}*10] R1",
        f"G92 X{HUGE}\nG92 X-{HUGE}\nG0 X0",
        f"F1 G20\nG81 X{HUGE} Z-1 R1",
        f"G0 @{HUGE} ^1\nG20 @{HUGE}",
        f"#5221={HUGE}\n#5241=-{HUGE}\nG55\nG54\nG0 Y1",
        f"#5161={HUGE}\nG28",
        f"#5211={HUGE}\nG92.3\nG0 X1",
        f"G10 L2 P1 X{HUGE}\nG10 L2 P2 X-{HUGE}\nG0 X1\nG55\nG0 Y1",
    ],
)
def test_numbers_too_large_to_add_are_errors_or_stay_finite(text: str) -> None:
    try:
        found = moves(list(interpret(text)))
    except BadGcode:
        return
    for move in found:
        assert all(abs(value) < float("inf") for value in move.position)  # type: ignore[attr-defined]


def test_parameters_that_cannot_be_offsets_are_refused_before_the_run() -> None:
    with pytest.raises(BadProgram, match="#5221"):
        GcodeRun("G0 X1", parameters=Parameters({5221: float("inf")}))
