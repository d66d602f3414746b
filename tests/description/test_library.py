import subprocess
import sys

import pytest

from armillary.description import ExtraMissing, UnknownRobot, find_robot, known_robots, library, read_robot


def test_the_bundled_robots_come_first_and_are_there() -> None:
    names = [robot.name for robot in known_robots()]
    assert names[:5] == ["cobot6", "industrial6", "mobile6", "inmoov", "tiago"]
    assert all(robot.path and robot.path.exists() for robot in known_robots() if robot.source == "bundled")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownRobot, match="nearest first: cobot6"):
        find_robot("cobot")


def test_without_the_extra_the_message_is_the_command_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_extra_robots", dict)
    with pytest.raises(ExtraMissing, match=r"run: pip install 'armillary\[robots\]'"):
        find_robot("tiago")
    assert [robot.path for robot in known_robots() if robot.name == "tiago"] == [None]


def test_tiago_is_the_one_with_the_hey5_hand() -> None:
    if library.extra_robots_folder() is None:
        pytest.skip("the extra 'robots' is not installed")
    robot = read_robot("tiago")
    assert (len(robot.links), len(robot.joints)) == (78, 77)
    assert any("hand_thumb" in joint.name for joint in robot.joints)


def test_the_box_opens_without_the_extra() -> None:
    code = (
        "import armillary.description.library as l; l.extra_robots_folder = lambda: None; l._extra_robots = dict;"
        "from armillary.description import read_robot; print(read_robot('inmoov').dof)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "29"
