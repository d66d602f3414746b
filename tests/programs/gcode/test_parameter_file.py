"""Parameters that outlast a program, and tool tables."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.programs.gcode import (
    BadParameterFile,
    BadToolTable,
    Parameters,
    interpret,
    read_parameters,
    read_tool_table,
    write_parameters,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(values=st.dictionaries(st.integers(31, 5399), st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_what_is_written_is_read_back(tmp_path: Path, values: dict[int, float]) -> None:
    write_parameters(tmp_path / "a.var", Parameters(values))
    assert read_parameters(tmp_path / "a.var").numbers == Parameters(values).numbers


def test_offsets_outlast_a_program(tmp_path: Path) -> None:
    parameters = Parameters()
    list(interpret("G10 L2 P2 X5 R30\nG0 X1\nG28.1\nG92 Y3\nG55\n#31=4\n#5=6\nM2", parameters=parameters))
    write_parameters(tmp_path / "a.var", parameters)
    again = read_parameters(tmp_path / "a.var")
    assert [again.numbers[n] for n in (5241, 5250, 5161, 5212, 31, 5)] == [5.0, 30.0, 1.0, -3.0, 4.0, 0.0]
    assert read_parameters(tmp_path / "a.var", keep_g92=False).numbers[5210:5220] == [0.0] * 10


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("5221 1\n5222\n", 2),
        ("5221 x\n", 1),
        ("5221\t1\n5220\t1\n", 2),
        ("31 nan\n", 1),
        ("99999 1\n", 1),
        ("31 1 2\n", 1),
        ("31 1\n31 1\n", 2),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "a.var").write_text(text)
    with pytest.raises(BadParameterFile, match=f"a.var:{line}: ") as caught:
        read_parameters(tmp_path / "a.var")
    assert caught.value.line == line


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.var").write_bytes(b"5221\t\xff\x00")
    with pytest.raises(BadParameterFile, match="cannot be read"):
        read_parameters(tmp_path / "a.var")


def test_no_file_is_no_parameters_yet(tmp_path: Path) -> None:
    assert read_parameters(tmp_path / "none.var").numbers == Parameters().numbers


def test_a_save_that_fails_leaves_the_file_and_nothing_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.var"
    write_parameters(path, Parameters({31: 1.0}))
    before = path.read_bytes()

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadParameterFile, match="No space left"):
        write_parameters(path, Parameters({31: 2.0}))
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["a.var"]


def test_a_tool_table_is_read_with_offsets_and_diameters(tmp_path: Path) -> None:
    (tmp_path / "a.tbl").write_text("; tools\nT1 P2 Z+0.511 D0.125 ;end mill\n\nt12 p3 X1 Z-2.5\n")
    tools = read_tool_table(tmp_path / "a.tbl")
    assert tools[1].pocket == 2 and tools[1].offset[2] == 0.511 and tools[1].diameter == 0.125
    assert tools[12].offset == (1.0, 0.0, -2.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("text", ["T1 P1\nT1 P2\n", "P1 Z3\n", "T1 P1 Zx\n", "T1.5 P1\n", "T-1 P1\n", "hello\n"])
def test_a_damaged_tool_table_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.tbl").write_text(text)
    with pytest.raises(BadToolTable, match=r"a\.tbl:\d: "):
        read_tool_table(tmp_path / "a.tbl")
