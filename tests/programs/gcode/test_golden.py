"""LinuxCNC's own interpreter tests: the same canonical calls, or a refusal that says so."""

import re
from pathlib import Path

import pytest

from armillary.programs.gcode import BadGcode, MachineSettings, Tool, format_program, interpret

CASES = Path(__file__).parents[3].parent / "shared" / "data" / "linuxcnc-interp"
pytestmark = pytest.mark.skipif(
    not CASES.is_dir(), reason=f"{CASES} is not there: LinuxCNC's cases are not part of the repository"
)

REFUSED = {
    "ccomp__lathe-comp": "cutter compensation",
    "ccomp__mill-zchanges": "cutter compensation",
    "interp__g33.1": "threading",
    "interp__g76": "threading",
    "interp__g84__g17__g99": "tapping",
    "interp__g84__g18__g98": "tapping",
    "interp__g84__g19__g98": "tapping",
    "interp__g84__g19__g99": "tapping",
    "interp__inverse-time-with-comp": "cutter compensation",
}
AGREE = [
    "interp__do-while-break",
    "interp__flowsnake",
    "interp__g10__g10-l1-l10",
    "interp__g10__g10-l2-while-active",
    "interp__g52__g52-g92-interaction",
    "interp__g6164",
    "interp__g81__g17__g98",
    "interp__m98m99__01-basics",
    "interp__m98m99__05-M98-loops",
    "interp__m98m99__07-nested-subs",
    "interp__m98m99__08-sub-follows-main",
    "interp__m98m99__10-M98-P001",
    "interp__m98m99__14-o-expression-call",
    "interp__magic_comments__param_format_printing",
    "interp__oword-bug315",
    "interp__oword-bug315-p2",
    "interp__return-value",
    "interp__rotation__abs-pts",
    "interp__rotation__g28",
    "interp__rotation__g53",
    "interp__subs-follow-main",
    "m70-m73__m73-flood-mist-restore.0",
    "m70-m73__m73autorestore.0",
    "oword__while.0",
]


def expected_lines(path: Path) -> list[str]:
    """What rs274 printed, without line numbers and without what resets its own canon."""
    lines = (re.sub(r"^\s*\d*\s*N\S+\s+", "", line) for line in path.read_text().splitlines())
    return plain(line for line in lines if "ON_RESET" not in line and line.strip() != "executing")


def plain(lines: object) -> list[str]:
    squeezed = [re.sub(r"\s+", " ", str(line)).strip() for line in lines]  # type: ignore[attr-defined]
    return [re.sub(r'^[Xx] (?=\S)|(?<=\(")\s+', "", line) for line in squeezed if line]


def tools(case: Path) -> dict[int, Tool]:
    table = case / "test.tbl"
    found = re.findall(r"^\s*t(\d+)\s+p(\d+)", table.read_text(), re.IGNORECASE | re.MULTILINE) if table.exists() else []
    return {int(number): Tool(int(pocket)) for number, pocket in found}


def ours(case: Path, program: Path) -> list[str]:
    settings = MachineSettings(unit=25.4, tools=tools(case), tool=1 if tools(case) else 0, search_path=(case,))
    return plain(format_program(interpret(program, machine=settings)))


def only_program(case: Path) -> Path:
    found = sorted(case.glob("*.ngc"))
    return case / "test.ngc" if (case / "test.ngc") in found else found[0]


@pytest.mark.parametrize("name", AGREE)
def test_the_calls_are_those_of_linuxcnc(name: str) -> None:
    case = CASES / name
    want, got = expected_lines(case / "expected"), ours(case, only_program(case))
    if name == "interp__rotation__abs-pts":  # its expected file holds the messages only
        got = [line for line in got if line.startswith("MESSAGE")]
    assert got == want


@pytest.mark.parametrize("program", sorted((CASES / "interp__good").glob("*.ngc")), ids=lambda p: p.name)
def test_good_programs_run_as_in_linuxcnc(program: Path) -> None:
    assert ours(program.parent, program) == expected_lines(Path(f"{program}.expected"))


BAD = {
    "a-in-canned-cycle2.ngc": "A cannot be in a canned cycle",
    "bad-arc.medium.metric.center-format.ngc": "998.5000 mm at its start and 1001.5000 mm at its end",
    "bad-arc.small.imperial.center-format.ngc": "mm at its start",
    "ccomp-arcexit.ngc": "cutter compensation",
    "ccomp-gouging.ngc": "cutter compensation",
    "exists-1.ngc": "expected #",
    "exists-2.ngc": "expected ]",
    "exists-5.ngc": "not terminated",
    "exists-6.ngc": "begins no value",
    "nested.ngc": "inside another subroutine",
}


@pytest.mark.parametrize(("name", "what"), BAD.items())
def test_bad_programs_are_errors_for_the_same_reason(name: str, what: str) -> None:
    with pytest.raises(BadGcode, match=re.escape(what)):
        ours(CASES / "interp__bad", CASES / "interp__bad" / name)


@pytest.mark.parametrize(("name", "said"), REFUSED.items())
def test_what_is_not_supported_is_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(BadGcode, match=f"{said}, which is not supported"):
        ours(CASES / name, only_program(CASES / name))


@pytest.mark.parametrize(
    "program", sorted((CASES / "interp__m98m99__06-error-mixed-sub-styles").glob("*.ngc")), ids=lambda p: p.name
)
def test_the_two_kinds_of_subroutines_do_not_mix(program: Path) -> None:
    with pytest.raises(BadGcode, match=r"M98|M99|endsub"):
        ours(program.parent, program)


@pytest.mark.parametrize("name", ["interp__m98m99__04-M98-but-no-sub", "interp__oword-unwind"])
def test_where_linuxcnc_goes_on_after_an_error_we_stop(name: str) -> None:
    lines: list[str] = []
    settings = MachineSettings(unit=25.4, search_path=(CASES / name,))
    with pytest.raises(BadGcode, match=r"there is no subroutine 1|division by zero"):
        lines.extend(format_program(interpret(CASES / name / "test.ngc", machine=settings)))
    got = plain(lines)
    assert got == expected_lines(CASES / name / "expected")[: len(got)]
    assert len(got) >= 6
