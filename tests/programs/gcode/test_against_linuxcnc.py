"""Our interpreter beside LinuxCNC's own, live: programs that try codes and how they act on each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.programs.gcode.comparison import Case, compare, ours, theirs
from tests.programs.gcode.made_programs import TOOL_TABLE, programs
from tests.programs.gcode.rs274 import RS274

pytestmark = pytest.mark.skipif(RS274 is None, reason="rs274 is not there; run: make peers")
EXPLANATIONS = Path(__file__).parents[3] / "docs" / "conformance.md"
FAMILIES = sorted({name.split("-")[0] for name in programs()})


def some_of(family: str) -> Iterator[tuple[str, str]]:
    """Every fourth program of a family; `make conformance` runs them all."""
    names = [name for name in programs() if name.split("-")[0] == family]
    for name in names[:: 4 if len(names) > 8 else 1]:
        yield name, programs()[name]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_program_gives_the_same_calls(family: str, tmp_path: Path) -> None:
    explained = EXPLANATIONS.read_text(encoding="utf-8")
    different = []
    for number, (name, text) in enumerate(some_of(family)):
        path = tmp_path / f"program{number}.ngc"
        path.write_text(text, encoding="utf-8")
        case = Case(name, path, TOOL_TABLE)
        outcome = compare(name, *ours(case, tmp_path), theirs(case))
        if outcome.verdict not in ("equal", "both in error", "without an end") and f"`{name}`" not in explained:
            different.append(f"{name}: {outcome.verdict}: {outcome.detail}")
    assert not different, "\n".join(different)


def test_a_difference_is_seen(tmp_path: Path) -> None:
    one, other = tmp_path / "one.ngc", tmp_path / "other.ngc"
    one.write_text("G0 X1\nM2\n")
    other.write_text("G0 X1.001\nM2\n")
    told = theirs(Case("one", one))
    assert compare("one", *ours(Case("one", one), tmp_path), told).verdict == "equal"
    assert compare("other", *ours(Case("other", other), tmp_path), told).verdict == "different"
