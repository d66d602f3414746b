"""Laws of robot commands: what is printed is read as the same; whatever is given, only BadScript is said."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from armillary.programs import Command, Surroundings
from armillary.programs.script import BadScript, Script, ScriptRun, check, format_script, parse
from armillary.programs.script.formatter import format_statements
from armillary.programs.script.motion_reader import plain_motion, read_motion
from armillary.programs.script.reader import Reader
from armillary.programs.script.statements import Statement
from armillary.programs.script.tokens import CommandText, tokenise
from tests.programs.script.programs import numbers, programs

SIX = Surroundings(joints=("j1", "j2", "j3", "j4", "j5", "j6"))
SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])


@pytest.mark.slow
@SLOW
@given(programs())
def test_a_program_that_is_printed_is_read_and_printed_as_the_same(statements: tuple[Statement, ...]) -> None:
    text = format_statements(statements)
    script = parse(text)
    assert script.statements == statements
    assert format_script(script) == text


@SLOW
@given(st.lists(numbers, min_size=6, max_size=6), st.sampled_from(["MOVEL", "MOVEJ_LSPB", "P1 MOVEJ_RPY", "x DMOVE"]),
       st.sampled_from(["", "[20]", "[5](mm,deg,s)", "(m,rad) {B}", "[1.5] (mm,deg) {table}"]), st.booleans())  # fmt: skip
def test_a_plain_line_is_read_in_one_step_as_it_is_token_by_token(row: list[float], word: str, rest: str, sharp: bool) -> None:
    text = f"  {word} {'{TCP} ' * sharp}{' '.join(f'{value:.3f}' for value in row)} {rest}"
    plain = plain_motion(text, 1)
    reader = Reader(tokenise(CommandText(1, [(1, text)]))[0])
    index = reader.take().text if " " in word else ""
    token = reader.take()
    whole = read_motion(token.text, token.at, reader, index, "")
    assert (plain is None and len(text) > 300) or (plain == whole and plain is not None and plain.at == whole.at)


PIECES = ["MOVEL", "MOVEJ", "movec_lspb", "IF", "ELSE", "ELSEIF", "END", "FOR", "WHILE", "SUB", "CALL", "RETURN", "GOTO", "LABEL",
          "x", "x = ", "P1", "POINT P1 =", "JOINTS", "1", "-2.5", "1e400", "(", ")", "[", "]", "{TCP}", "{", "}", ";", "(mm,deg)",
          "(mm,cm)", "+", "- ", "*", "/ 0", "%", "^", "==", "<", "AND", "NOT", "sin(", "max()", "INPUT(1)", "1 2 3 4 5 6", "\n",
          "\n", "TO", "STEP 0", "BLEND", "[5 s]", '"hi', '"hi"', "# c", ",", ".", ".x", "mm", "OUTPUT 1 ON", "WAIT", "HIGH", "\t",
          "é", "\x00", "²", "٣", "\u2028", "DWELL", "SPEED", "50 %", "UNITS"]  # fmt: skip


def _commands(text: str) -> list[Command]:
    """Up to twenty commands of a text, or BadScript."""
    script = parse(text, "f")
    run = ScriptRun(script, SIX, budget=300)
    return [command for command, _ in zip(run, range(20), strict=False)]


def _said(run: Callable[[], object]) -> BadScript | None:
    """What is wrong; any other error goes on."""
    try:
        run()
    except BadScript as error:
        return error
    return None


def _only_bad_script(text: str) -> None:
    error = _said(lambda: _commands(text))
    if error is not None:
        lines = Script(text).lines
        assert all(1 <= problem.line <= len(lines) and problem.column >= 1 for problem in error.problems)
        assert str(error).startswith("f:")


@SLOW
@example("x = 1e308 * 10")
@example("FOR i = 0 TO 1e308\nEND")
@example("x = " + "(" * 3000)
@example("x = " + "-" * 3000 + "1")
@example("x = " + "2 ^ " * 3000 + "2")
@example("IF 1\n" * 3000)
@example("DWELL 1\n2")
@example("SUB f()\nCALL f()\nEND\nCALL f()")
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)))
def test_of_a_random_text_only_bad_script_is_said(text: str) -> None:
    _only_bad_script(text)


@pytest.mark.slow
@SLOW
@given(programs(), st.data())
def test_of_a_program_with_a_mistake_in_it_only_bad_script_is_said(
    statements: tuple[Statement, ...], data: st.DataObject
) -> None:
    text = format_statements(statements)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    _only_bad_script(text[:start] + data.draw(st.sampled_from(["", *PIECES])) + text[end:])


@pytest.mark.slow
@SLOW
@given(programs())
def test_what_the_check_lets_through_has_no_unknown_name_when_it_runs(statements: tuple[Statement, ...]) -> None:
    script = parse(format_statements(statements))
    if _said(lambda: check(script, SIX)) is None:
        error = str(_said(lambda: list(zip(ScriptRun(script, SIX, budget=300), range(20), strict=False))))
        assert "nothing is called" not in error and "there is no point" not in error
