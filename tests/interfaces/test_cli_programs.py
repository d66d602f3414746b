"""`armillary interpret`, `armillary check PROGRAM` and `armillary run --program` as people and scripts meet them."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from armillary.interfaces.cli.main import main
from armillary.runtime.recording import Recording

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("own_cache")
PAPER_5 = """#1 = 0
o101 while [#1 LT 2]
G0 X100 Y-450 Z-280 A10 B75 C-75
G0 X0 Y-450 Z-280 A10 B75 C-75
G0 X-100 Y-450 Z-280 A20 B75 C-75
G0 X-200 Y-450 Z-280 A30 B75 C-75
G0 X-100 Y-450 Z-280 A20 B75 C-75
G0 X100 Y-450 Z-280 A0 B75 C-75
G0 X200 Y-450 Z-180 A10 B75 C-75
G0 X200 Y-450 Z-280 A10 B75 C-75
#1 = [#1+1]
o101 endwhile
M2
"""
PAPER_2 = """P0001 MOVEJ_RPY_LSPB {TCP} 0.00 1174.40 1176.00 0.00
0.00 0.00 [20] (mm,deg,s) {B}
P0002 MOVEJ_SPLINE_LSPB {TCP} 0.00 0.00 0.00 0.00 0.00
0.00; 30.00 15.00 30.00 -15.00 20.00 15.00; 0.00
0.00 0.00 0.00 0.00 0.00 [20] (mm,deg,s) {B}
P0003 STOP
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    Path("paper5.ngc").write_text(PAPER_5)
    Path("paper2.arm").write_text(PAPER_2)


def said(capsys: Capture, *arguments: str, status: int = 0) -> str:
    assert main(list(arguments)) == status
    return capsys.readouterr().out


def test_interpret_prints_a_command_a_line_with_its_source(capsys: Capture) -> None:
    lines = said(capsys, "interpret", "paper5.ngc").splitlines()
    moves = [line.split() for line in lines if " Move" in line]
    assert len(moves) == 16 and [line[0] for line in moves[:3]] == ["paper5.ngc:3", "paper5.ngc:4", "paper5.ngc:5"]
    rows = [json.loads(line) for line in said(capsys, "interpret", "paper5.ngc", "--json", "--most", "3").splitlines()]
    assert len(rows) == 3 and rows[0]["source"] == ["paper5.ngc", 3] and rows[0]["xyz"] == [0.1, -0.45, -0.28]
    assert np.degrees(rows[2]["rpy"]) == pytest.approx([20, 75, -75])
    assert [json.loads(line)["command"] for line in said(capsys, "interpret", "paper2.arm", "--json").splitlines()] == [
        "MovePose", "MoveSpline", "Stop",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("a.ngc", "G21\nG1 X10\n", "a.ngc:2"),
        ("a.ngc", "G0 X1\nG0 X[1/0]\n", "a.ngc:2"),
        ("a.arm", "MOVEJ 1 2 3\nMOVEQ 1\n", "a.arm:2"),
        ("a.toml", "[[move]]\njoints = [1, 2]\nfly = true\n", "a.toml:3"),
    ],
)
def test_a_program_that_is_wrong_is_told_with_its_line(capsys: Capture, name: str, text: str, where: str) -> None:
    Path(name).write_text(text)
    for command in (["interpret", name], ["check", name, "--robot", "cobot6"]):
        assert main(command) in (1, 2)
        captured = capsys.readouterr()
        assert where in captured.err and "Traceback" not in captured.err + captured.out


def test_what_is_no_program_is_told(capsys: Capture) -> None:
    Path("a.xyz").write_text("hello")
    assert main(["interpret", "a.xyz"]) == 2
    assert ".ngc" in capsys.readouterr().err
    assert main(["interpret", "missing.ngc"]) in (1, 2)
    assert "missing.ngc" in capsys.readouterr().err


def test_check_says_what_each_line_needs(capsys: Capture) -> None:
    found = json.loads(said(capsys, "check", "paper5.ngc", "--robot", "cobot6", "--json"))
    assert found["whole"] and not found["problem"] and found["moves"] == 16 and 8.0 < found["seconds"] < 60.0
    lines = {line["source"]: line for line in found["lines"]}
    assert lines["paper5.ngc:6"]["times"] == 2 and 0.0 < lines["paper5.ngc:6"]["seconds"] < 10.0
    assert "all of it can be driven" in said(capsys, "check", "paper5.ngc", "--robot", "cobot6")
    Path("far.ngc").write_text(PAPER_5.replace("X-200", "X-2000"))
    assert main(["check", "far.ngc", "--robot", "cobot6"]) == 1
    assert "far.ngc:6: " in capsys.readouterr().err


def test_check_of_an_endless_program_ends_with_its_budget(capsys: Capture) -> None:
    Path("endless.ngc").write_text(PAPER_5.replace("[#1 LT 2]", "[1]"))
    out = said(capsys, "check", "endless.ngc", "--robot", "cobot6", "--commands", "40", status=1)
    assert "budget was used up" in out


@pytest.mark.slow
def test_paper_5s_program_runs_in_the_twin_and_torque_is_recorded(capsys: Capture) -> None:
    out = said(capsys, "run", "cobot6", "--program", "paper5.ngc", "--exit", "--lock-step", "--recordings", "r", "--json")
    found = json.loads(out.splitlines()[-1])
    assert not found["failed"] and not found["faults"] and found["torque_residual"]
    recording = Recording.open(found["recording"])
    lines = {int(source.rpartition(":")[2]) for source in recording.source if source}
    assert lines >= set(range(3, 11))
    inside = np.array([":" in source for source in recording.source])
    stands = np.abs(recording.v[inside]).max(axis=1) < 1e-6
    assert stands.mean() < 0.02, "no pause between its moves"
    assert np.isfinite(recording.measured_torque[inside]).all()


@pytest.mark.slow
def test_paper_2s_commands_run_as_printed(capsys: Capture) -> None:
    out = said(
        capsys, "run", "industrial6", "--driver", "ideal", "--program", "paper2.arm", "--exit", "--lock-step", "--recordings",
        "r", "--json",
    )  # fmt: skip
    found = json.loads(out.splitlines()[-1])
    assert not found["failed"] and found["moved"] == pytest.approx(40.0, abs=0.2), "20 s each"
    assert Recording.open(found["recording"]).q[-1] == pytest.approx(np.zeros(6), abs=1e-6)


@pytest.mark.slow
def test_typed_lines_that_nobody_watches_end_with_a_wrong_one(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("G91 G21 F6000\nG1 Z10\nG1 Q\nG1 Z-10\n"))
    assert main(["run", "cobot6", "--driver", "ideal", "--low-power", "--no-recording", "--type", "gcode"]) == 1
    captured = capsys.readouterr()
    assert captured.out.count("READY, tool at") == 2 and captured.err.count("armillary:") == 1


def test_frames_of_the_cell_are_meant_by_programs(capsys: Capture) -> None:
    Path("cell.toml").write_text(
        'version = 1\n[robot]\nname = "cobot6"\n[frames.bench]\nparent = "world"\nxyz = [0.1, -0.2, 0.3]\nrpy_deg = [0, 0, 90]\n'
        '[frames.corner]\nparent = "bench"\nxyz = [0.0, 0.0, 0.1]\n[gcode]\nframe = "corner"\n'
    )
    Path("f.arm").write_text("MOVEL 10 0 0 180 0 0 {bench}\n")
    Path("f.ngc").write_text("G21 G90 F1000\nG1 X10 Y0 Z0\nM2\n")
    pose = json.loads(said(capsys, "fk", "cell.toml", "--frame", "bench", "--base", "world", "--json"))
    assert pose["xyz"] == pytest.approx([0.1, -0.2, 0.3], abs=1e-9)
    script = json.loads(said(capsys, "interpret", "f.arm", "--robot", "cell.toml", "--json").splitlines()[0])
    gcode = json.loads(said(capsys, "interpret", "f.ngc", "--robot", "cell.toml", "--json").splitlines()[0])
    assert gcode["frame"][:3] == pytest.approx([*script["xyz"][:1], script["xyz"][1] - 0.01, script["xyz"][2] + 0.1], abs=1e-9)


def test_what_a_newcomer_stumbled_over(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["interpret", "paper5.ngc", "--most", "-1"]) == 2
    Path("p.py").write_text("cell.wait()\n")
    for command in (["interpret", "p.py"], ["check", "p.py", "--robot", "cobot6"]):
        assert main(command) != 0
        assert "--program p.py" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["run", "cobot6", "--program", "paper5.ngc", "--step"]) == 2
    assert "terminal" in capsys.readouterr().err
    assert main(["run", "cobot6", "--type", "foo"]) == 2
    Path("long.ngc").write_text("G1 X" + "1" * 100_000 + "\n")
    assert main(["check", "long.ngc"]) == 1
    assert len(capsys.readouterr().err) < 1000
    for name in ("long.arm", "long.ngc"):
        Path(name).write_text("G21\n" * 50_000 + "G1 X" + "1" * 200_000 + "\n")
        assert main(["check", name]) != 0
        assert f"{name}:50001: this line has more than" in capsys.readouterr().err
    Path("bytes.arm").write_bytes(bytes(range(256)) * 4)
    assert main(["check", "bytes.arm"]) != 0
    assert "\x1b" not in capsys.readouterr().err.replace("\x1b[", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", ["X0 Y-450 Z-280 A10 B75 C-75", "X100 Y-450 Z-280 A10 B75 C-60", "X99.9 Y-450 Z-280 A10 B75 C-75"]
)
@pytest.mark.parametrize("blend", ["G64", "G64 P0.2", "G64 P20"])
def test_a_program_that_goes_to_and_fro_is_proven_however_long_it_is(capsys: Capture, other: str, blend: str) -> None:
    lines = ["#1=0", blend, "o1 while [#1 LT 60]", "G0 X100 Y-450 Z-280 A10 B75 C-75", f"G0 {other}", "#1=[#1+1]", "o1 endwhile"]
    Path("to_and_fro.ngc").write_text("\n".join([*lines, "M2", ""]))
    assert main(["check", "to_and_fro.ngc", "--robot", "cobot6"]) == 0, capsys.readouterr()
    assert "120 of them moves" in capsys.readouterr().out
