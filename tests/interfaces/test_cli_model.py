"""`armillary fk`, `jacobian`, `torque`, `collide`, `workspace` and `papers` as people and scripts meet them."""

from pathlib import Path

import numpy as np
import pytest

from armillary.interfaces.cli.main import main
from tests.interfaces.conftest import run_json

Capture = pytest.CaptureFixture[str]


pytestmark = pytest.mark.usefixtures("own_cache")


def test_fk_says_where_the_tool_is(capsys: Capture) -> None:
    answer = run_json(capsys, "fk", "industrial6", "--q", "0 0 0 0 0 0")
    assert answer["frame"] == "tool"
    assert answer["xyz"] == pytest.approx([0, 1.0744, 1.764], abs=1e-12)
    assert answer["quaternion_wxyz"] == pytest.approx([1, 0, 0, 0])
    assert main(["fk", "industrial6", "--q", "0,0,0,0,0,0", "--frame", "link_3"]) == 0
    assert "link_3 in base" in capsys.readouterr().out


def test_fk_speaks_of_the_base_that_ik_takes_poses_in(capsys: Capture) -> None:
    """The cobot stands on a pedestal: its cell's poses are in its base, the world is said beside it."""
    answer = run_json(capsys, "fk", "cobot6")
    world = run_json(capsys, "fk", "cobot6", "--base", "world")
    assert answer["base"] == "base" and world["base"] == "world"
    assert world["xyz"][2] - answer["xyz"][2] == pytest.approx(0.75)
    assert answer["T_world"] == world["T"] == world["T_world"]
    assert main(["fk", "cobot6"]) == 0
    assert "tool in base" in (shown := capsys.readouterr().out) and "in the world xyz" in shown
    assert run_json(capsys, "fk", "inmoov")["base"] == "world", "several arms have no one base"


def test_degrees_and_single_joints_are_taken(capsys: Capture) -> None:
    one = run_json(capsys, "fk", "cobot6", "--q", "0 0 0 0 0 0", "--at", "joint_2=90", "--deg")
    two = run_json(capsys, "fk", "cobot6", "--q", f"0 {np.pi / 2} 0 0 0 0")
    assert one["xyz"] == pytest.approx(two["xyz"], abs=1e-12)


def test_fk_outside_the_limits_is_answered_and_said(capsys: Capture) -> None:
    answer = run_json(capsys, "fk", "industrial6", "--at", "joint_2=4")
    assert answer["outside_limits"] == ["joint_2 at 4 is outside -2.269 to 2.269"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fk", "cobot6", "--q", "0 0 0"], "--q has 3 numbers; cobot6 has 6 joints: joint_1"),
        (["fk", "cobot6", "--q", "0 0 0 0 0 nan"], "nan is not finite"),
        (["fk", "cobot6", "--q", "0 0 0 0 0 x"], "'x' is not a number"),
        (["fk", "cobot6", "--frame", "tol0"], "nearest first, there are: tool0"),
        (["fk", "cobot6", "--at", "joint_9=1"], "it commands: joint_"),
        (["torque", "cobot6", "--v", "1 2"], "--v has 2 numbers"),
        (["collide", "cobot6", "--inflation", "-1"], "inflation -1.0 m"),
        (["workspace", "cobot6", "--samples", "1"], "--samples takes"),
        (["fk", "cobot6", "--group", "leg"], "arm"),
    ],
)
def test_what_cannot_be_asked_is_2_and_one_message(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_jacobian_has_a_column_for_each_joint_and_the_distance_to_singularity(capsys: Capture) -> None:
    answer = run_json(capsys, "jacobian", "cobot6", "--q", "0 0 0 0 0 0")
    assert np.array(answer["jacobian"]).shape == (6, 6)
    assert answer["singular_values"][-1] < 1e-9
    assert main(["jacobian", "cobot6", "--reference", "local"]) == 0
    assert "distance to singularity" in capsys.readouterr().out


def test_torque_is_gravity_at_rest_and_says_what_is_over_its_limit(capsys: Capture) -> None:
    answer = run_json(capsys, "torque", "cobot6")
    assert answer["torque"] == pytest.approx(answer["gravity"]) and answer["over_limit"] == []
    answer = run_json(capsys, "torque", "cobot6", "--a", "0 100 0 0 0 0", status=1)
    assert "joint_2" in answer["over_limit"]
    assert main(["torque", "industrial6"]) == 0
    assert "% of 4000" in capsys.readouterr().out


def test_collide_answers_free_or_names_the_pair(capsys: Capture) -> None:
    answer = run_json(capsys, "collide", "cobot6")
    assert answer["free"] and answer["nearest"]["distance"] > 0
    answer = run_json(capsys, "collide", "cobot6", "--at", "joint_3=3", status=1)
    assert not answer["free"] and answer["contacts"][0]["depth"] > 0
    assert main(["collide", "cobot6", "--at", "joint_3=3", "--pairs"]) == 1
    assert "collides: link_1 and link_3" in capsys.readouterr().out


def test_collide_sees_the_cells_world_and_ignores_what_it_says(tmp_path: Path, capsys: Capture) -> None:
    cell = tmp_path / "cell.toml"
    text = 'version = 1\n[robot]\nname = "cobot6"\n[[world]]\nname = "wall"\nshape = "box"\n'
    text += "size = [0.2, 0.2, 0.2]\nxyz = [0.4, 0.1, 1.1]\n"
    cell.write_text(text)
    answer = run_json(capsys, "collide", str(cell), "--q", "0 1.832596 -2.181662 -1.919862 -1.570796 0", status=1)
    hit = {name for contact in answer["contacts"] for name in (contact["first"], contact["second"])}
    assert "wall" in hit
    ignored = ", ".join(f'["wall", "link_{i}"]' for i in range(1, 7))
    cell.write_text(text + f"[collision]\nignore = [{ignored}]\n")
    assert run_json(capsys, "collide", str(cell), "--q", "0 1.832596 -2.181662 -1.919862 -1.570796 0")["free"]


def test_workspace_is_measured_and_drawn(tmp_path: Path, capsys: Capture) -> None:
    answer = run_json(capsys, "workspace", "cobot6", "--samples", "2000", "--plot", "ws.png")
    assert 0.9 < answer["reach"]["greatest"] < 1.1  # 0.436 + 0.436 and the wrist
    assert answer["manipulability"]["max"] > answer["manipulability"]["p50"] > 0
    assert (tmp_path / "ws.png").stat().st_size > 20_000
    again = run_json(capsys, "workspace", "cobot6", "--samples", "2000")
    assert again["reach"] == answer["reach"]


def test_paper_5s_static_torque_is_drawn_again(tmp_path: Path, capsys: Capture) -> None:
    answer = run_json(capsys, "papers", "dynamics", "--out", "figures")
    assert answer["degrees"][0] == -80 and answer["degrees"][-1] == 80
    joint_2 = np.array(answer["torque"]["joint_2"])
    assert abs(joint_2).argmax() == pytest.approx(80, abs=5)  # stretched out, near 0 degrees
    # Joint 4 turns the other way, and only what is behind the wrist hangs on it.
    assert abs(np.array(answer["torque"]["joint_4"])).max() < abs(joint_2).max() / 10
    assert (tmp_path / "figures" / "5_static_torque.png").exists()
