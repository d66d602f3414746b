"""`armillary points`: teaching, listing, converting and playing from the command line."""

import io
import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from armillary.description.library import find_robot
from armillary.interfaces.cli.main import main
from armillary.model import load_model
from armillary.programs.teach import PathStore, RecordedPath
from tests.interfaces.conftest import run_json

pytestmark = pytest.mark.usefixtures("own_state")
HOME = [0.4, 1.83, -2.18, -1.92, -1.57, 0.0]
ASIDE, THERE = (0.7, 1.83, -2.18, -1.92, -1.57, 0.2), (0.5, 1.93, -2.18, -1.92, -1.57, 0.0)


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own for what is taught."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def teach(name: str, *q: float, action: str = "teach") -> int:
    return main(["points", action, "cobot6", name, "--q", " ".join(str(value) for value in q or HOME)])


def test_points_are_taught_listed_and_touched_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["points", "list", "cobot6"]) == 0 and "nothing is taught yet" in capsys.readouterr().out
    assert teach("home") == 0 and teach("pick", *(value + 0.1 for value in HOME)) == 0
    assert "home" in capsys.readouterr().out
    said = run_json(capsys, "points", "list", "cobot6")
    assert [each["name"] for each in said["points"]] == ["home", "pick"] and said["points"][0]["q"] == HOME
    assert Path(said["store"]) == tmp_path / "state" / "armillary" / "taught" / "cobot6.sqlite"
    assert teach("home", *(value - 0.1 for value in HOME), action="touch-up") == 0
    assert main(["points", "rename", "cobot6", "pick", "take"]) == 0
    capsys.readouterr()
    changes = run_json(capsys, "points", "history", "cobot6")["changes"]
    assert [each["what"] for each in changes] == ["taught", "taught", "touched up", "renamed"]
    assert changes[2]["before"]["q"] == HOME
    assert main(["points", "history", "cobot6", "home"]) == 0 and "touched up by" in capsys.readouterr().out
    assert main(["points", "delete", "cobot6", "take"]) == 0
    assert main(["points", "list", "cobot6"]) == 0 and "take" not in capsys.readouterr().out


def test_what_cannot_be_done_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    teach("home")
    (tmp_path / "wrong.json").write_text("{")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    cases = [
        (["teach", "cobot6", "HOME", "--q", "0 0 0 0 0 0"], "there is a point 'HOME' already"),
        (["teach", "cobot6", "stop", "--q", "0 0 0 0 0 0"], "word of the robot language"),
        (["teach", "cobot6", "other", "--q", "0 0"], "2 numbers"), (["delete", "cobot6", "hme"], "the nearest is home"),
        (["touch-up", "cobot6", "nothing", "--q", "0 0 0 0 0 0"], "no point 'nothing'"), (["list", "no_robot"], "no_robot"),
        (["teach", "cobot6", "other", "--tool", "hand", "--q", "0 0 0 0 0 0"], "hand"),
        (["to-script", "cobot6", "line:hoem"], "the nearest is home"), (["play", "cobot6", "sweep", "--dry"], "no path 'sweep'"),
        (["import", "cobot6", str(tmp_path / "wrong.json")], "wrong.json: line 1, column 2"),
        (["import", "cobot6", str(tmp_path / "bytes.json")], "not UTF-8"),
        (["import", "cobot6", str(tmp_path / "none.json")], "none.json"),
    ]  # fmt: skip
    capsys.readouterr()
    for arguments, said in cases:
        assert main(["points", *arguments]) == 2, arguments
        err = capsys.readouterr().err
        assert said in err and "Traceback" not in err and len(err.strip().splitlines()) == 1, err


def test_points_go_elsewhere_and_become_programs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    teach("home")
    teach("pick", *(value + 0.1 for value in HOME))
    file = tmp_path / "points.json"
    assert main(["points", "export", "cobot6", str(file)]) == 0
    assert len(json.loads(file.read_text())["points"]) == 2
    assert main(["points", "import", "industrial6", str(file)]) == 0
    assert main(["points", "import", "industrial6", str(file), "--keep"]) == 0
    assert "0 points" in capsys.readouterr().out
    assert main(["points", "to-script", "cobot6", "home", "line:pick"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("P0001 MOVEJ 22.918312") and "MOVEL {TCP}" in out
    assert main(["points", "to-gcode", "cobot6", "--out", str(tmp_path / "a.ngc")]) == 0
    assert (tmp_path / "a.ngc").read_text().endswith("M2\n")


def test_a_path_is_planned_without_a_cell(capsys: pytest.CaptureFixture[str]) -> None:
    model, t = load_model("cobot6"), np.arange(0.0, 4.0, 0.01)
    q = np.array(HOME) + np.outer(0.5 - 0.5 * np.cos(np.pi * t / 4.0), [0.3, 0.1, 0, 0, 0, 0])
    PathStore.of("cobot6").keep("sweep", RecordedPath(model.joints, t, q))
    for pace in ([], ["--fast"]):
        assert main(["points", "play", "cobot6", "sweep", "--dry", *pace]) == 0
        assert "keeps its limits" in capsys.readouterr().out
    assert main(["points", "play", "cobot6", "sweep", "--dry", "--tolerance", "-1"]) == 2
    assert main(["points", "delete", "cobot6", "sweep"]) == 0


@pytest.mark.slow
def test_a_running_cell_teaches_records_and_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from armillary.cell import Cell

    for name in ("cobot6.urdf", "cell.toml"):  # of its own: others may run on this machine
        shutil.copy(find_robot("cobot6").parent / name, tmp_path / name)
    mine = str(tmp_path / "cell.toml")

    class Typed(io.StringIO):
        """Somebody who presses Enter when the robot has been moved."""

        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            for goal in (ASIDE, THERE):
                cell.move_joints(goal, speed=0.5)
            time.sleep(0.1)
            return "\n"

    with Cell.open(mine, driver="ideal", low_power=True, record=False, patience=2.0, start=HOME) as cell:
        assert main(["points", "teach", mine, "here"]) == 0
        monkeypatch.setattr("sys.stdin", Typed())
        assert main(["points", "record", mine, "sweep"]) == 0
        capsys.readouterr()
        line = ["points", "play", mine, "sweep", "--station", cell.station.folder.name]
        assert main(line) == 2 and "has control" in capsys.readouterr().err
        assert main([*line, "--take-control"]) == 0
        assert "points, at most" in capsys.readouterr().out
        assert cell.state.q == pytest.approx(THERE, abs=2e-3)
        assert run_json(capsys, "points", "list", mine)["points"][0]["q"] == pytest.approx(HOME, abs=1e-6)
