"""`armillary calibrate`: tool, frame and zeros from files and from a running cell; kept, written, gone back to."""

import io
import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.description.library import find_robot
from armillary.interfaces.cli.main import main
from armillary.model import frame_pose, load_model
from armillary.motion import tool_pose
from armillary.programs.calibration import CalibrationStore
from armillary.solvers import solve_ik
from armillary.spatial import rotation_from_rpy, transform
from tests.interfaces.conftest import run_json

HOME = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])
XYZ = np.array([0.01, -0.02, 0.12])


@pytest.fixture
def cell_file(tmp_path: Path) -> Path:
    """A cell of the test's own."""
    for name in ("cobot6.urdf", "cell.toml"):
        shutil.copy(find_robot("cobot6").parent / name, tmp_path / name)
    return tmp_path / "cell.toml"


def touching(count: int) -> list[list[float]]:
    """Configurations in which a tip at XYZ is at one point."""
    model, rng = load_model("cobot6"), np.random.default_rng(2)
    rows: list[list[float]] = []
    T = frame_pose(model, HOME, "tool0")
    point = T[:3, 3] + T[:3, :3] @ XYZ
    while len(rows) < count:
        R = T[:3, :3] @ rotation_from_rpy(rng.uniform(-0.6, 0.6, 3))
        found = solve_ik(model, transform(R, point - R @ XYZ), seed=HOME, tip="tool0")
        if found.reached:
            rows.append(found.q.tolist())
    return rows


def test_a_tool_is_found_kept_and_written(cell_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, touches = cell_file.read_text(), cell_file.parent / "touches.json"
    touches.write_text(json.dumps(touching(6)))
    said = run_json(capsys, "calibrate", "tool", str(cell_file), "--from", str(touches))
    assert said["xyz"] == pytest.approx(XYZ, abs=1e-5) and said["outliers"] == [] and cell_file.read_text() == before
    assert main(["calibrate", "tool", str(cell_file), "--from", str(touches), "--write", "--reason", "new gripper"]) == 0
    out = capsys.readouterr().out
    assert "mm rms" in out and "xyz_mm = [10.0" in out and "written into the cell.toml" in out
    changed = tomllib.loads(cell_file.read_text())
    assert changed["tool"]["xyz_mm"] == pytest.approx(1e3 * XYZ, abs=0.01)
    assert {key: value for key, value in changed.items() if key != "tool"} == {
        key: value for key, value in tomllib.loads(before).items() if key != "tool"
    }
    model = load_model(str(cell_file))
    places = [tool_pose(model, np.array(q))[:3, 3] for q in json.loads(touches.read_text())]
    assert np.ptp(places, axis=0).max() < 1e-4
    assert CalibrationStore(cell_file.with_suffix(".sqlite")).history("tool")[-1].reason == "new gripper"


def test_an_orientation_takes_two_rows_more(cell_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, rows = load_model("cobot6"), touching(5)
    T, turn = frame_pose(model, np.array(rows[-1]), "tool0"), rotation_from_rpy((0.3, -0.2, 0.5))
    for way in (0.05 * turn[:, 2], 0.05 * turn[:, 0]):
        moved = transform(T[:3, :3], T[:3, 3] + T[:3, :3] @ way)
        rows.append(solve_ik(model, moved, seed=np.array(rows[-1]), tip="tool0", tolerance=(1e-9, 1e-9)).q.tolist())
    file = cell_file.parent / "touches.json"
    file.write_text(json.dumps(rows))
    said = run_json(capsys, "calibrate", "tool", str(cell_file), "--from", str(file), "--orientation")
    assert rotation_from_rpy(said["rpy"]) == pytest.approx(turn, abs=2e-3)


def test_a_frame_is_written_as_one_of_the_cell(cell_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, rows = load_model(str(cell_file)), []
    T = tool_pose(model, HOME, base=model.reference)
    for way in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.03, 0.08, 0.0), (-0.02, 0.05, 0.0)):
        goal = transform(T[:3, :3], T[:3, 3] + np.array(way))
        rows.append(solve_ik(model, goal, seed=HOME, base=model.reference, tolerance=(1e-9, 1e-9)).q)
    np.savetxt(cell_file.parent / "points.csv", np.degrees(rows), delimiter=",")
    line = ["calibrate", "frame", str(cell_file), "--name", "table", "--from", str(cell_file.parent / "points.csv"), "--deg"]
    assert main([*line, "--write"]) == 0
    table = tomllib.loads(cell_file.read_text())["frames"]["table"]
    assert table["parent"] == "base" and table["xyz_mm"] == pytest.approx(1e3 * T[:3, 3], abs=0.01)
    assert table["rpy_deg"] == pytest.approx([0.0, 0.0, 0.0], abs=0.02)
    capsys.readouterr()
    assert main(["check", str(cell_file)]) == 0
    assert main([*line[:4], "stop", *line[5:]]) == 2 and "word of the robot language" in capsys.readouterr().err


def test_zeros_by_marks_are_kept_and_gone_back_to(cell_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = cell_file.parent / "read.csv"
    for number, off in enumerate((0.01, 0.02)):
        read.write_text(" ".join(str(value - off) for value in HOME))
        line = ["calibrate", "zero", str(cell_file), "--marks", " ".join(str(value) for value in HOME), "--from", str(read)]
        assert main([*line, "--write", "--reason", f"number {number}"]) == 0
    actuation = tomllib.loads(cell_file.read_text())["actuation"]
    assert actuation["counts_per_unit"] == [1.0] * 6 and actuation["zero"] == pytest.approx([-0.03] * 6)
    capsys.readouterr()
    assert main(["calibrate", "history", str(cell_file)]) == 0
    out = capsys.readouterr().out
    assert "as it was before the first calibration" in out and "number 1" in out
    assert main(["calibrate", "rollback", str(cell_file), "zero", "--write"]) == 0
    assert tomllib.loads(cell_file.read_text())["actuation"]["zero"] == pytest.approx([-0.01] * 6)
    assert main(["calibrate", "rollback", str(cell_file), "zero", "--to", "1", "--write"]) == 0
    assert tomllib.loads(cell_file.read_text())["actuation"]["zero"] == pytest.approx([0.0] * 6)
    records = run_json(capsys_cleared(capsys), "calibrate", "history", str(cell_file))["calibrations"]
    assert len(records) == 5 and records[-1]["reason"].startswith("back to number")


def capsys_cleared(capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    capsys.readouterr()
    return capsys


def test_refusals_are_one_message_and_keep_nothing(cell_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, before = cell_file.parent / "few.csv", cell_file.read_text()
    file.write_text(" ".join(str(value) for value in HOME) + "\n")
    name = str(cell_file)
    cases = [
        (["tool", name, "--from", str(file)], 2, "1 poses, and 4 at least"),
        (["frame", name, "--name", "t", "--from", str(file)], 2, "1 points, and three"),
        (["zero", name, "--from", str(file)], 2, "1 touches are too few"),
        (["rollback", name, "tool"], 2, "no calibration of 'tool'"),
        (["tool", name, "--from", str(cell_file.parent / "none")], 2, "No such file"),
    ]
    for arguments, status, said in cases:
        assert main(["calibrate", *arguments, *(["--write"] if arguments[0] != "rollback" else [])]) == status
        assert said in capsys.readouterr().err
    file.write_text("\n".join([" ".join(str(value) for value in HOME)] * 5))
    assert main(["calibrate", "tool", name, "--from", str(file)]) == 1 and "too much alike" in capsys.readouterr().err
    assert cell_file.read_text() == before and CalibrationStore(cell_file.with_suffix(".sqlite")).history() == []


@pytest.mark.slow
def test_the_wizard_reads_a_running_cell(
    cell_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    poses = iter(touching(5))

    class Typed(io.StringIO):
        """Somebody who brings the robot to the point, presses Enter, and ends with a dot."""

        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            q = next(poses, None)
            if q is None:
                return ".\n"
            cell.move_joints(q)
            return "\n"

    monkeypatch.setattr("sys.stdin", Typed())
    with Cell.open(str(cell_file), driver="ideal", low_power=True, record=False, patience=2.0) as cell:
        said = run_json(capsys, "calibrate", "tool", str(cell_file))
    assert said["xyz"] == pytest.approx(XYZ, abs=1e-5) and len(said["residuals"]) == 5
