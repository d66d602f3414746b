"""`armillary ik` as people and scripts meet it."""

import numpy as np
import pytest

from armillary.interfaces.cli.main import main
from tests.interfaces.conftest import run_json

Capture = pytest.CaptureFixture[str]


pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_pose_of_paper_5_in_its_own_units(capsys: Capture) -> None:
    answer = run_json(capsys, "ik", "cobot6", "--pose", "100 -450 -280 10 75 -75", "--mm", "--deg", "--all")
    assert answer["reached"] and len(answer["solutions"]) == 8 and answer["complete"]
    assert answer["base"] == "base" and answer["frame"] == "tool"
    for solution in answer["solutions"]:
        there = run_json(capsys, "fk", "cobot6", "--q", " ".join(map(str, solution["q"])))
        assert there["xyz"] == pytest.approx([0.1, -0.45, -0.28], abs=1e-9)
        assert np.rad2deg(there["rpy"]) == pytest.approx([10, 75, -75], abs=1e-7)
        assert set(solution["branch"]) == {"shoulder", "elbow", "wrist"}
        assert solution["room_to_limit"] >= 0 and all(solution["turns"])


def test_what_fk_says_ik_takes_back(capsys: Capture) -> None:
    for robot in ("cobot6", "industrial6", "mobile6"):
        q = [0.3, -0.4, 0.5, 0.2, 0.7, -0.1] + [0.0] * 3 * (robot == "mobile6")
        there = run_json(capsys, "fk", robot, "--group", "arm", "--q", " ".join(map(str, q[:6])))
        pose = " ".join(f"{value:.12g}" for value in (*there["xyz"], *there["rpy"]))
        answer = run_json(capsys, "ik", robot, "--group", "arm", "--q", " ".join(map(str, q[:6])), "--pose", pose)
        assert answer["q"] == pytest.approx(q[:6], abs=1e-6)


def test_people_see_one_solution_or_all(capsys: Capture) -> None:
    pose = ["ik", "industrial6", "--pose", "0 1174.4 1176 0 0 0", "--mm", "--deg"]
    assert main(pose) == 0
    shown = capsys.readouterr().out
    assert "tool in base: reached by closed_form" in shown and "one of 8 solutions" in shown
    assert main([*pose, "--all"]) == 0
    shown = capsys.readouterr().out
    assert "front, up, plain" in shown and "all there are, full turns aside" in shown


def test_what_cannot_be_reached_says_why(capsys: Capture) -> None:
    answer = run_json(capsys, "ik", "cobot6", "--pose", "2 0 0 0 0 0", status=1)
    assert not answer["reached"] and answer["solutions"] == []
    assert answer["hindrance"]["kind"] == "reach" and answer["hindrance"]["amount"] == pytest.approx(0.964, abs=0.05)
    assert answer["nearest"]["xyz"][0] > 0.9
    assert main(["ik", "cobot6", "--pose", "2 0 0 0 0 0"]) == 1
    shown = capsys.readouterr().out
    assert "not reached, beyond reach by" in shown and "nearest pose that can be reached" in shown


def test_position_axis_and_branch(capsys: Capture) -> None:
    assert run_json(capsys, "ik", "cobot6", "--pose", "0.4 0.2 0.3")["reached"]
    answer = run_json(capsys, "ik", "cobot6", "--pose", "0.4 0.2 0.3 0 0 0", "--hold", "axis=z")
    assert answer["reached"] and answer["method"] == "numeric"
    answer = run_json(capsys, "ik", "cobot6", "--pose", "0.4 0.2 0.3 3 0 0", "--branch", "back, down, flipped")
    assert answer["solutions"][0]["branch"] == {"shoulder": "back", "elbow": "down", "wrist": "flipped"}
    free = run_json(capsys, "ik", "cobot6", "--pose", "0.4 0.2 0.3 3 0 0", "--free", "--choose", "central", "--method", "numeric")
    assert free["reached"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pose", "1 2"], "--pose has 2 numbers; give x y z roll pitch yaw"),
        (["--pose", "1 2 nan 0 0 0"], "nan is not finite"),
        (["--pose", "1 2 three 0 0 0"], "'three' is not a number"),
        (["--pose", "0 0 1 0 0 0", "--frame", "tol0"], "nearest first, there are: tool0"),
        (["--pose", "0 0 1 0 0 0", "--base", "floor"], "there is no frame 'floor'"),
        (["--pose", "0 0 1 0 0 0", "--hold", "axis=q"], "is no axis of a tool"),
        (["--pose", "0 0 1 0 0 0", "--method", "magic"], "there is no IK method 'magic'"),
        (["--pose", "0 0 1 0 0 0", "--choose", "best"], "is no way to choose"),
        (["--pose", "0 0 1 0 0 0", "--budget", "0"], "--budget 0.0 is no time"),
        (["--pose", "0 0 1 0 0 0", "--tolerance", "1"], "--tolerance has 1 numbers"),
        (["--pose", "0 0 1 0 0 0", "--q", "1 2"], "--q has 2 numbers"),
    ],
)
def test_bad_input_is_one_clear_error(capsys: Capture, arguments: list[str], said: str) -> None:
    assert main(["ik", "cobot6", *arguments]) == 2
    shown = capsys.readouterr()
    assert said in shown.err and "Traceback" not in shown.err and not shown.out
