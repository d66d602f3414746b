"""The check of a whole file before any of it runs."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.programs.gcode import BadGcode, check, interpret
from tests.programs.gcode.made_programs import programs

CASES = Path(__file__).parents[3].parent / "shared" / "data" / "linuxcnc-interp"


def test_every_wrong_line_is_told_with_its_column_and_in_order() -> None:
    faults = check("G0 X1\nG0 X1 X2\nG2 X[1+\n(open\nG41\no1 while [1]\nG0 X5\nM123\n")
    assert [(fault.line, fault.column) for fault in faults] == [(2, 7), (3, 8), (4, 1), (5, 1), (6, 1), (8, 1)]


def test_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.ngc").write_text("G0 X\n")
    assert str(check(tmp_path / "bad.ngc")[0]).startswith(f"{tmp_path / 'bad.ngc'}:1:5: ")


def test_the_line_is_shown_as_it_is_also_of_a_windows_file(tmp_path: Path) -> None:
    (tmp_path / "bad.ngc").write_bytes(b"G0 X1\r\nG0 \x01X\r\n")
    with pytest.raises(BadGcode) as told:
        list(interpret(tmp_path / "bad.ngc"))
    assert str(told.value).splitlines()[1:] == ["  G0 \ufffdX", "     ^"], "nothing that a terminal obeys"


def test_behind_the_end_only_subroutines_are_looked_at() -> None:
    assert check("G0 X1\nM2\nthese are notes\nN5040%") == []
    assert [fault.line for fault in check("o1 call\nM2\nnotes\no1 sub\nG0 X1 X2\no1 endsub")] == [5]
    assert [fault.line for fault in check("o1 if [#1]\nM2\no1 endif\nG0 X1 X2")] == [4]


def test_lines_to_be_left_out_are_not_looked_at() -> None:
    assert [fault.line for fault in check("/G41\nG0 X1")] == [1]
    assert check("/G41\nG0 X1", block_delete=True) == []


def test_nothing_is_run() -> None:
    assert check("o1 while [1]\no1 endwhile\nG1 X1\nG0 X[1/#1]") == []


@pytest.mark.parametrize("name", [name for name in programs() if not name.startswith(("errors", "switches-M7 M8"))])
def test_what_runs_is_not_found_wrong(name: str) -> None:
    assert check(programs()[name]) == []


@settings(deadline=None)
@given(
    lines=st.lists(
        st.sampled_from(
            ["G0 X1", "G1 X1 F3", "G2 X3 I1.5", "Y7 I2", "G0 X1 X2", "M3 M4", "G81 Z1 R2", "F", "g 1 x . 5", "N5 G0 X2"]
        )
    )
)
def test_a_line_is_judged_alike_wherever_it_stands(lines: list[str]) -> None:
    wrong = {line: bool(check(line)) for line in lines}
    assert [fault.line for fault in check("\n".join(lines))] == [i for i, line in enumerate(lines, 1) if wrong[line]]


@pytest.mark.skipif(not CASES.is_dir(), reason=f"{CASES} is not there: LinuxCNC's cases are not part of the repository")
@pytest.mark.parametrize("name", [p.name for p in sorted((CASES / "interp__bad").glob("*.ngc"))] or ["none"])
def test_linuxcncs_bad_programs_are_bad_here(name: str) -> None:
    with pytest.raises(BadGcode):
        list(interpret(CASES / "interp__bad" / name))
