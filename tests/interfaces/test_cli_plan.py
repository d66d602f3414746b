"""`armillary plan` as people and scripts meet it."""

from pathlib import Path

import numpy as np
import pytest

from armillary.description.library import extra_robots_folder
from armillary.interfaces.cli.main import main
from tests.interfaces.conftest import run_json

Capture = pytest.CaptureFixture[str]
HERE, OVER = "0.4 1.83 -2.18 -1.92 -1.57 0", "-1.8 1.83 -2.18 -1.92 -1.57 0"


pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_joint_move_to_a_named_state(capsys: Capture) -> None:
    answer = run_json(capsys, "plan", "cobot6", "--to", "zero")
    assert answer["proven"] and answer["goal"] == pytest.approx([0.0] * 6, abs=1e-9)
    assert np.shape(answer["coefficients"]) == (answer["segments"], 6, 6)
    assert max(answer["use"].values()) <= 1.0 + 1e-9
    assert run_json(capsys, "plan", "industrial6", "--to", "0.5 0.2 0.1 0 0.3 0", "--profile", "lspb", "--duration", "20")[
        "duration"
    ] == pytest.approx(20.0)


def test_a_line_an_arc_and_their_plot(capsys: Capture, tmp_path: Path) -> None:
    pose = ["--pose", "300 -400 200 180 0 0", "--mm", "--deg"]
    line = run_json(capsys, "plan", "cobot6", *pose, "--line", "--feed", "0.25", "--plot", "line.png")
    arc = run_json(capsys, "plan", "cobot6", *pose, "--arc", "400 -100 250")
    assert line["proven"] and arc["proven"] and line["use"]["deviation"] < 1 and line["use"]["tool speed"] <= 1
    assert (tmp_path / "line.png").stat().st_size > 20_000
    there = [run_json(capsys, "fk", "cobot6", "--q", " ".join(map(str, plan["goal"])))["xyz"] for plan in (line, arc)]
    assert there[0] == pytest.approx([0.3, -0.4, 0.2], abs=1e-6) and there[1] == pytest.approx(there[0], abs=1e-6)


def test_around_what_stands_in_the_way(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "world.toml").write_text('[[obstacles]]\nname = "pillar"\nsize = [0.15, 0.15, 2]\nxyz = [0.35, -0.35, 0.9]\n')
    answer = run_json(capsys, "plan", "cobot6", "--from", HERE, "--to", OVER, "--avoid", "world.toml")
    assert answer["proven"] and answer["clearance"] > 0
    assert main(["plan", "cobot6", "--from", HERE, "--to", OVER, "--avoid", "world.toml"]) == 0
    assert "proven looks" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(extra_robots_folder() is None, reason="the extra 'robots' is not installed")
def test_the_chapter_on_motion(capsys: Capture, tmp_path: Path) -> None:
    answer = run_json(capsys, "papers", "motion")
    assert answer["durations"] == [2.0, 5.0, 10.0] and answer["deviation"]["spline"][1] < 5e-6
    assert answer["line"]["linear"] > 5e-4 and answer["line"]["spline"] < 2e-5 and answer["line"]["exact"] < 2e-6
    assert all((tmp_path / plot).stat().st_size > 20_000 for plot in answer["plots"])
    assert main(["papers", "motion"]) == 0
    assert "it depends on a slow, short arc" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "give where to go"),
        (["--to", "zero", "--pose", "0 0 1 0 0 0"], 2, "one of the two"),
        (["--to", "nowhere"], 2, "there are: home, zero"),
        (["--to", "1 2 3"], 2, "--to has 3 numbers"),
        (["--to", "9 9 9 9 9 9"], 1, "the goal is outside its limits"),
        (["--to", "home"], 2, "nothing to move"),
        (["--pose", "3 0 0 0 0 0"], 1, "cannot be reached: beyond reach"),
        (["--pose", "3 0 0 0 0 0", "--line"], 1, "% of the path"),
        (["--pose", "0.3 -0.4 0.2 3.14 0 0", "--arc", "1 2"], 2, "--arc has 2 numbers"),
        (["--to", "zero", "--profile", "bang"], 2, "jerk, quintic, lspb"),
        (["--to", "zero", "--duration", "0.01"], 2, "too short"),
        (["--to", "zero", "--avoid", "none.toml"], 2, "none.toml"),
        (["--to", "zero", "--speed", "2"], 2, "at most 1"),
    ],
)
def test_bad_input_is_one_clear_error(capsys: Capture, arguments: list[str], status: int, said: str) -> None:
    assert main(["plan", "cobot6", *arguments]) == status
    shown = capsys.readouterr()
    assert said in shown.err and "Traceback" not in shown.err and not shown.out
