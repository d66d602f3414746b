"""`armillary fmt`: files are rewritten whole, with their mode, and only where they are sound and something changes."""

import io
import os
import sys
from pathlib import Path

import pytest

from armillary.interfaces.cli.main import main

UNTIDY, TIDY = "movel 1 2 3\n 4 5 6 # hi\nif 1\nstop\nend", "MOVEL 1 2 3 4 5 6  # hi\nIF 1\n  STOP\nEND\n"


def test_a_file_is_rewritten_and_keeps_its_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.arm"
    file.write_text(UNTIDY)
    file.chmod(0o640)
    assert main(["fmt", str(file)]) == 0
    assert file.read_text() == TIDY and file.stat().st_mode & 0o777 == 0o640
    assert capsys.readouterr().out == f"changed {file}\n"
    assert os.listdir(tmp_path) == ["a.arm"]
    before = file.stat()
    assert main(["fmt", str(file)]) == 0
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)  # nothing to do, nothing written
    assert capsys.readouterr().out == ""


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "a.arm", tmp_path / "link.arm"
    file.write_text(UNTIDY)
    link.symlink_to(file)
    assert main(["fmt", str(link)]) == 0
    assert link.is_symlink() and file.read_text() == TIDY


def test_check_writes_nothing_and_says_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, good = tmp_path / "a.arm", tmp_path / "b.arm"
    file.write_text(UNTIDY)
    good.write_text(TIDY)
    assert main(["fmt", "--check", str(file), str(good)]) == 1
    assert file.read_text() == UNTIDY and capsys.readouterr().out == f"would change {file}\n"
    assert main(["fmt", "--check", str(good)]) == 0


def test_the_difference_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.arm"
    file.write_text(UNTIDY)
    assert main(["fmt", "--diff", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "-movel 1 2 3\n" in shown and "+MOVEL 1 2 3 4 5 6  # hi\n" in shown and file.read_text() == UNTIDY
    assert main(["fmt", "--diff", "--check", str(file)]) == 1


@pytest.mark.parametrize("data", [b"MOVEX 1\n", b"\xff\xfe", b"IF 1\n"])
def test_a_broken_file_is_left_alone_and_the_others_are_done(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, file = tmp_path / "broken.arm", tmp_path / "a.arm"
    broken.write_bytes(data)
    file.write_text(UNTIDY)
    assert main(["fmt", str(broken), str(file), str(tmp_path / "nothing.arm")]) == 2
    assert broken.read_bytes() == data and file.read_text() == TIDY
    said = capsys.readouterr().err
    assert f"{broken}:1" in said and "nothing.arm" in said and "Traceback" not in said


def test_standard_input_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNTIDY.encode())))
    assert main(["fmt", "-"]) == 0
    assert capsys.readouterr().out == TIDY


def test_a_disk_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.arm"
    file.write_text(UNTIDY)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert main(["fmt", str(file)]) == 2
    assert file.read_text() == UNTIDY and os.listdir(tmp_path) == ["a.arm"]
