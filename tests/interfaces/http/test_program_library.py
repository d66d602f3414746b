"""The folder of programs: names that stay inside, versions, bounds; and the samples that it begins with."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.cell import surroundings_of
from armillary.interfaces.http import program_library
from armillary.interfaces.http.program_library import LARGEST, LibraryProblem, ProgramLibrary, language_key
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.programs.languages import language_of
from armillary.runtime import StationSettings
from armillary.runtime.command_planning import CommandPlanner
from armillary.runtime.dry_run import dry_run
from armillary.runtime.prepared import prepare


@pytest.fixture
def library(tmp_path: Path) -> ProgramLibrary:
    return ProgramLibrary(tmp_path)


def test_samples_are_put_there_once(tmp_path: Path) -> None:
    library = ProgramLibrary(tmp_path, {"a.arm": "DWELL 1\n", "b.ngc": "M2\n"})
    assert [each.name for each in library.list()] == ["a.arm", "b.ngc"]
    library.delete("a.arm")
    assert [each.name for each in ProgramLibrary(tmp_path, {"a.arm": "DWELL 1\n"}).list()] == ["b.ngc"]


@pytest.mark.parametrize(
    "name",
    [
        "../a.ngc", "a/../../b.ngc", "/etc/a.ngc", "//a.ngc", "a//b.ngc", ".a.ngc", "a/.b.ngc", ".git/a.ngc", "a\\..\\b.ngc",
        "a.py", "a", "a.ngc/", "a\n.ngc", "a\0.ngc", "a.ngc.exe", " a.ngc", "..", "a/b/c/d/e/f/g.ngc", "x" * 250 + ".ngc",
        "~/a.ngc", "\ud800.ngc",
    ],
)  # fmt: skip
def test_a_name_that_is_none_is_refused_and_nothing_is_written(library: ProgramLibrary, name: str) -> None:
    for work in (lambda: library.read(name), lambda: library.write(name, "M2"), lambda: library.delete(name)):
        with pytest.raises(LibraryProblem):
            work()
    assert list(library.folder.parent.rglob("*")) == [library.folder]


@given(name=st.one_of(st.text(max_size=30), st.text(alphabet="./\\a", max_size=12).map(lambda text: text + ".ngc")))
def test_whatever_a_name_is_its_place_is_inside_the_folder(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    library = ProgramLibrary(tmp_path_factory.getbasetemp() / "names")
    try:
        place = library.place(name)
    except LibraryProblem:
        return
    assert place.resolve().is_relative_to(library.folder.resolve()) and place != library.folder


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200))
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read_back_to_the_letter(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    library = ProgramLibrary(tmp_path_factory.mktemp("texts"))
    version = library.write("sub/part 1.ngc", text)
    found = library.read("sub/part 1.ngc")
    assert (found.text, found.version, found.language) == (text, version, "gcode")


def test_somebody_elses_change_is_not_overwritten(library: ProgramLibrary) -> None:
    first = library.write("part.ngc", "G0 X1\n")
    second = library.write("part.ngc", "G0 X2\n", first)
    with pytest.raises(LibraryProblem, match="somebody else"):
        library.write("part.ngc", "G0 X3\n", first)
    with pytest.raises(LibraryProblem, match="already"):
        library.write("part.ngc", "G0 X4\n")
    assert library.read("part.ngc").text == "G0 X2\n"
    assert library.write("part.ngc", "G0 X2\n", first) == second  # it is what both wanted
    library.delete("part.ngc")
    with pytest.raises(LibraryProblem, match="deleted or renamed"):
        library.write("part.ngc", "G0 X5\n", second)


def test_a_link_that_leads_out_is_no_way_out(library: ProgramLibrary, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ngc").write_text("M2\n")
    (library.folder / "away").symlink_to(outside)
    (library.folder / "secret.ngc").symlink_to(outside / "secret.ngc")
    for name in ("away/secret.ngc", "secret.ngc"):
        with pytest.raises(LibraryProblem, match="leads out"):
            library.read(name)
        with pytest.raises(LibraryProblem, match="leads out"):
            library.write(name, "G0 X1\n")
    assert library.list() == [] and (outside / "secret.ngc").read_text() == "M2\n"


def test_size_and_count_are_bounded(library: ProgramLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LibraryProblem, match="4 MB"):
        library.write("long.ngc", "x" * (LARGEST + 1))
    monkeypatch.setattr(program_library, "_MOST", 3)
    for number in range(3):
        library.write(f"{number}.ngc", "M2\n")
    with pytest.raises(LibraryProblem, match="delete some"):
        library.write("3.ngc", "M2\n")
    library.write("2.ngc", "M30\n", library.read("2.ngc").version)  # one that is there can be changed all the same


def test_what_is_no_text_is_refused(library: ProgramLibrary) -> None:
    (library.folder / "old.ngc").write_bytes(b"G0 X1 (\xfc)\n")
    with pytest.raises(LibraryProblem, match="UTF-8"):
        library.read("old.ngc")
    for text in ("G0\0", "G0 \ud800"):
        with pytest.raises(LibraryProblem, match=r"text|characters"):
            library.write("new.ngc", text)


def test_programs_are_renamed_and_folders_come_and_go_with_them(library: ProgramLibrary) -> None:
    library.write("a/b/part.ngc", "M2\n")
    library.rename("a/b/part.ngc", "c/part.nc")
    assert [each.name for each in library.list()] == ["c/part.nc"] and not (library.folder / "a").exists()
    library.write("other.ngc", "M2\n")
    with pytest.raises(LibraryProblem, match="already"):
        library.rename("other.ngc", "c/part.nc")
    with pytest.raises(LibraryProblem, match="another language"):
        library.rename("other.ngc", "other.arm")
    with pytest.raises(LibraryProblem):
        library.write("other.ngc/inside.ngc", "M2\n")  # a file is no folder
    library.delete("c/part.nc")
    assert [each.name for each in library.list()] == ["other.ngc"] and not (library.folder / "c").exists()


def test_hidden_and_foreign_files_are_not_listed(library: ProgramLibrary) -> None:
    for name in (".check-1.ngc", "notes.txt", "tool.py"):
        (library.folder / name).write_text("M2\n")
    library.write("part.TAP", "M2\n")
    assert [(each.name, each.language, each.size) for each in library.list()] == [("part.TAP", "gcode", 3)]


def test_the_ending_says_the_language() -> None:
    assert [language_key(name) for name in ("a.ngc", "a.NC", "a.gcode", "a.tap", "a.arm", "a.toml")] == ["gcode"] * 4 + [
        "script",
        "moves",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["cobot6", "industrial6", "mobile6"])
def test_every_sample_can_be_driven_from_home(robot: str, tmp_path: Path) -> None:
    prepared = prepare(StationSettings(source=robot))
    name = prepared.model.spec.robot.name
    assert ("paper5.ngc" in sample_programs(name)) == (robot == "cobot6")
    assert ("paper2.arm" in sample_programs(name)) == (robot == "industrial6")
    planner = CommandPlanner(prepared.model, prepared.limits, prepared.bounds, prepared.scene)
    around = surroundings_of(prepared.model, start=prepared.start)
    for file, text in sample_programs(name).items():
        path = tmp_path / file
        path.write_text(text)
        language = language_of(path)
        language.check(path, around)
        found = dry_run(planner, language.run(path, around, {}), prepared.start)
        assert found.problem is None and found.whole and found.moves >= 2, f"{file}: {found.problem}"
        if not file.startswith("paper"):
            np.testing.assert_allclose(found.end, prepared.start, atol=1e-3)  # it ends where it began
