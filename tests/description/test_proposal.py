"""`armillary new`: a first cell for any robot, which always fits it."""

from pathlib import Path

import pytest

from armillary.description import Robot, find_robot, known_robots, open_cell, propose_cell, propose_groups, read_robot
from armillary.description.library import EXTRA

EXTRA_ROBOTS = [robot.name for robot in known_robots() if robot.source == EXTRA and robot.path]


def groups(name: str) -> dict[str, tuple[int, str]]:
    return {group.name: (len(group.joints), group.tip) for group in propose_groups(read_robot(name))}


def fits(robot: Robot, path: Path, folder: Path) -> None:
    proposal = propose_cell(robot, path, folder=folder)
    (folder / "cell.toml").write_text(proposal.text)
    fitted = open_cell(folder / "cell.toml")
    assert fitted.robot == robot
    assert [limit.joint for limit in fitted.limits] == [limit.joint for limit in proposal.limits]
    for read, proposed in zip(fitted.limits, proposal.limits, strict=True):
        for name in ("lower", "upper", "velocity", "acceleration", "jerk", "effort"):
            value = getattr(proposed, name)
            assert getattr(read, name) == (value if value is None else pytest.approx(value, rel=1e-8)), name


@pytest.mark.parametrize("name", [robot.name for robot in known_robots() if robot.source == "bundled"])
def test_the_proposed_cell_of_a_bundled_robot_fits_it(name: str, tmp_path: Path) -> None:
    fits(read_robot(name), find_robot(name), tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not EXTRA_ROBOTS, reason="the extra 'robots' is not installed")
@pytest.mark.parametrize("name", EXTRA_ROBOTS)
def test_the_proposed_cell_of_an_extra_robot_fits_it(name: str, tmp_path: Path) -> None:
    fits(read_robot(name), find_robot(name), tmp_path)


def test_an_arm_is_one_group_with_its_tool_frame() -> None:
    assert groups("cobot6") == {"arm": (6, "tool0")}
    assert groups("industrial6") == {"arm": (6, "tool0")}


def test_a_mobile_manipulator_is_told_apart_from_its_tracks_and_gripper() -> None:
    found = groups("mobile6")
    assert (6, "tool0") in found.values()
    assert sum(count for count, _ in found.values()) == 9


def test_a_humanoid_has_two_arms_with_their_palms_and_two_hands() -> None:
    found = groups("inmoov")
    assert [count for count, _ in found.values()].count(5) >= 4
    assert sum(count for count, _ in found.values()) == 29


@pytest.mark.skipif("ur5_robot" not in EXTRA_ROBOTS, reason="the extra 'robots' is not installed")
@pytest.mark.parametrize(("name", "size", "tip"), [("ur5_robot", 6, "tool0"), ("panda", 7, "panda_hand_tcp")])
def test_arms_of_the_extra_are_found_whole(name: str, size: int, tip: str) -> None:
    first = propose_groups(read_robot(name))[0]
    assert (len(first.joints), first.tip) == (size, tip)
