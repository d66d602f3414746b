"""The command line as a person and a script meet it: answers, exit status, one clear message."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from armillary.interfaces.cli.main import main, parser

from ..conftest import ARM

Write = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


def run_json(capsys: Capture, *arguments: str, status: int = 0) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == status
    lines = capsys.readouterr().out.strip().splitlines()
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def test_a_good_robot_is_answered_with_0(write: Write, capsys: Capture) -> None:
    assert main(["check", str(write(ARM))]) == 0
    assert "can be used" in capsys.readouterr().out


def test_a_broken_robot_is_answered_with_1_and_line_meaning_and_repair(write: Write, capsys: Capture) -> None:
    path = write(ARM.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'))
    assert main(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}:16: error: joint 'shoulder': axis 0 0 0" in out
    assert "means: it is not known which way it moves" in out
    assert "do: write the axis" in out
    assert "cannot be used" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "not_there.urdf"], "not_there.urdf does not exist"),
        (["show", "no_such_robot"], "neither a file nor the name of a robot"),
        (["show", "/"], "is a folder"),
        (["new", "http://example.org/x.urdf"], "only files on this machine"),
    ],
)
def test_what_cannot_be_asked_is_answered_with_2_and_one_message(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("armillary: ") and said in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    "arguments",
    [["chek"], ["show"], ["check", "a", "--frobnicate"], ["show", "a", "--arg", "x"], ["show", "a", "--at", "j=nan"]],
)
def test_bad_usage_is_answered_with_2(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: armillary" in capsys.readouterr().err


def test_no_command_prints_the_help_and_is_answered_with_2(capsys: Capture) -> None:
    assert main([]) == 2
    assert "examples:" in capsys.readouterr().out


def test_debug_shows_the_traceback(write: Write) -> None:
    from armillary import ArmillaryError

    with pytest.raises(ArmillaryError):
        main(["show", "not_there.urdf", "--debug"])


def test_an_invalid_robot_is_1_for_every_command(write: Write, capsys: Capture) -> None:
    path = str(write(ARM.replace('mass value="2"', 'mass value="-2"')))
    for command in ("show", "export", "new"):
        assert main([command, path]) == 1
        err = capsys.readouterr().err
        assert f"{path}:7" in err and "armillary check" in err


def test_check_as_json_has_every_problem_whole(write: Write, capsys: Capture) -> None:
    path = write(ARM.replace('velocity="1.5"', 'velocity="-1.5"'))
    answer = run_json(capsys, "check", str(path))
    assert answer["usable"] is True and answer["warnings"] == 1 and answer["errors"] == 0
    problem = answer["problems"][0]
    assert problem["kind"] == "negative-velocity" and problem["line"] == 17 and problem["severity"] == "warning"
    assert problem["repair"] == {"what": "velocity = 1.5", "applied": True}
    assert set(problem) == {"kind", "severity", "file", "line", "where", "what", "meaning", "remedy", "repair"}
    answer = run_json(capsys, "check", str(write("<robot/>", "none.urdf")), status=1)
    assert answer["usable"] is False and answer["robot"] is None


def test_fix_writes_a_copy_and_lists_each_repair(write: Write, capsys: Capture, tmp_path: Path) -> None:
    path = write(ARM.replace('lower="-2" upper="2"', 'lower="2" upper="-2"').replace('ixx="0.02"', 'ixx="-0.02"'))
    before = path.read_text()
    out = tmp_path / "fixed.urdf"
    assert main(["check", str(path), "--fix", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "repaired: lower = -2, upper = 2" in printed and "2 repairs written" in printed
    assert path.read_text() == before
    answer = run_json(capsys, "check", str(out))
    assert answer["errors"] == answer["warnings"] == 0


def test_fix_never_writes_over_the_file_itself(write: Write, capsys: Capture) -> None:
    path = write(ARM.replace('lower="-2" upper="2"', 'lower="2" upper="-2"'))
    before = path.read_text()
    assert main(["check", str(path), "--fix", str(path)]) == 2
    assert path.read_text() == before


def test_show_as_json_has_joints_and_mass(capsys: Capture) -> None:
    answer = run_json(capsys, "show", "cobot6")
    assert answer["dof"] == 6
    assert [joint["name"] for joint in answer["joints"] if joint["type"] == "revolute"] == [f"joint_{i}" for i in range(1, 7)]
    assert answer["mass"] == pytest.approx(61.22)


def test_show_prints_the_tree_and_ranges(capsys: Capture) -> None:
    assert main(["show", "mobile6"]) == 0
    out = capsys.readouterr().out
    assert "└─" in out and "finger_left_joint × 1" in out and "without end" in out


def test_show_draws_a_picture(tmp_path: Path, capsys: Capture) -> None:
    from matplotlib.image import imread

    out = tmp_path / "arm.png"
    answer = run_json(capsys, "show", "cobot6", "--plot", str(out), "--at", "joint_1=1.0")
    assert answer["plot"] == str(out)
    picture = imread(out)
    assert picture.shape[0] > 800
    assert picture[..., :3].std() > 0.05  # not an empty page


def test_a_robot_without_shapes_is_drawn_as_rods(write: Write, tmp_path: Path) -> None:
    bare = write(ARM.replace('<collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>', ""))
    out = tmp_path / "rods.png"
    assert main(["show", str(bare), "--plot", str(out)]) == 0
    assert out.stat().st_size > 5000


def test_an_unknown_joint_to_draw_at_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert main(["show", "cobot6", "--plot", str(tmp_path / "x.png"), "--at", "joint_9=1"]) == 2
    assert "nearest first, it has: joint_" in capsys.readouterr().err


def test_export_writes_urdf_that_is_the_same_robot(tmp_path: Path, capsys: Capture) -> None:
    from armillary.description import read_robot

    out = tmp_path / "inmoov.urdf"
    assert main(["export", "inmoov", "--out", str(out)]) == 0
    assert read_robot(out) == read_robot("inmoov")
    capsys.readouterr()
    assert main(["export", "cobot6"]) == 0
    assert capsys.readouterr().out.startswith("<?xml")


def test_new_writes_a_cell_that_checks_and_is_not_written_over(write: Write, tmp_path: Path, capsys: Capture) -> None:
    path = write(ARM)
    folder = tmp_path / "cell"
    answer = run_json(capsys, "new", str(path), "--out", str(folder))
    assert answer["groups"][0]["tip"] == "upper" and answer["look_at"]
    assert main(["check", str(folder / "cell.toml")]) == 0
    before = (folder / "cell.toml").read_text()
    assert main(["new", str(path), "--out", str(folder)]) == 2
    assert (folder / "cell.toml").read_text() == before
    assert main(["new", str(path), "--out", str(folder), "--force"]) == 0


def test_new_keeps_what_was_needed_to_read_the_robot(write: Write, tmp_path: Path) -> None:
    from armillary.description import open_cell

    text = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="n" default="1"/>
    <xacro:include filename="$(find parts)/a.xacro"/><link name="base_$(arg n)"/></robot>"""
    write('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"/>', "p/a.xacro")
    path = write(text, "r/x.xacro")
    arguments = ["--arg", "n:=7", "--package", f"parts={tmp_path / 'p'}", "--out", str(tmp_path / "cell")]
    assert main(["new", str(path), *arguments]) == 0
    assert open_cell(tmp_path / "cell" / "cell.toml").robot.links[0].name == "base_7"


def test_robots_lists_the_bundled_ones(capsys: Capture) -> None:
    names = [robot["name"] for robot in run_json(capsys, "robots")["robots"]]
    assert names[:4] == ["cobot6", "industrial6", "mobile6", "inmoov"]
    assert main(["robots"]) == 0
    assert "cobot on a pedestal" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_the_commands(shell: str, capsys: Capture) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "check" in script and "armillary" in script


def test_bash_takes_the_completion_and_completes(tmp_path: Path) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(subprocess.run(_command("completion", "bash"), capture_output=True, text=True, check=True).stdout)
    code = f"source {script}; COMP_WORDS=(armillary che); COMP_CWORD=1; _shtab_armillary; echo ${{COMPREPLY[@]}}"
    out = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert out.stdout.split() == ["check"]


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "armillary.interfaces.cli.main", *arguments]


def test_every_command_has_help_with_its_own_words() -> None:
    top = parser()
    assert "examples:" in top.format_help()
    (commands,) = [action for action in top._actions if hasattr(action, "choices") and isinstance(action.choices, dict)]
    assert commands.choices is not None
    for name, command in dict(commands.choices).items():
        assert len(command.format_help()) > 150, name


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from armillary.interfaces.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'trimesh', 'matplotlib', 'xacro', 'armillary.description'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip().endswith("[]")


def test_a_closed_pipe_is_no_error() -> None:
    code = f"{sys.executable} -m armillary.interfaces.cli.main show inmoov | head -1; echo ${{PIPESTATUS[0]}}"
    out = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "0" and out.stderr == ""


def test_a_full_disk_leaves_the_old_file(write: Write, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(ARM)
    out = tmp_path / "out.urdf"
    out.write_text("old")

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    assert main(["export", str(path), "--out", str(out)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert out.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.urdf", "robot.urdf"]


def test_an_unwritable_place_is_said(write: Write, capsys: Capture) -> None:
    assert main(["export", str(write(ARM)), "--out", "/proc/nothing/out.urdf"]) == 2
    assert "could not be written" in capsys.readouterr().err
