"""A robot of ROS 1 of which several nodes tell, each of some joints; and what is said where one of them does not."""

import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from armillary.drivers.driver import Feedback
from armillary.drivers.errors import DriverError
from armillary.drivers.ros1 import Ros1Driver, Ros1Options
from tests.ros1_master import SYSTEM_PYTHON, must_have_ros1, ros1_environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.alone,
    # rospy leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]
ROBOT = Path(__file__).parent / "ros1_robot.py"
SPACES = count(1)
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def space() -> str:
    """Of topics that nobody had before: a process that has commanded one keeps it."""
    must_have_ros1()
    return f"/halves_{next(SPACES)}"


@pytest.fixture
def start(space: str) -> Iterator[Start]:
    """Starts a node that tells of some joints of one robot."""
    started: list[subprocess.Popen[str]] = []

    def one(*joints: str) -> subprocess.Popen[str]:
        named = [f"{name}=0.5" for name in joints]
        command = [SYSTEM_PYTHON, str(ROBOT), space, "trajectory", *named, f"__name:=half_{len(started)}"]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ros1_environment()))
        output = started[-1].stdout
        assert output is not None and output.readline().strip() == "ready"
        return started[-1]

    yield one
    for each in started:
        each.kill()
        each.wait(10.0)
        if each.stdout is not None:
            each.stdout.close()


def driver_of(space: str, *joints: str) -> Ros1Driver:
    command = f"{space}/joint_trajectory_controller/command"
    return Ros1Driver(Ros1Options(f"{space}/joint_states", command, silence=2.0), joints)


def test_each_joint_is_told_of_by_itself(space: str, start: Start) -> None:
    start("a", "b")
    other = start("c", "gripper")
    driver = driver_of(space, "a", "b", "c")
    driver.open()
    try:
        feedback = Feedback.of(3)
        assert driver.read(feedback) and feedback.q == pytest.approx([0.5, 0.5, 0.5])
        driver.enable()
        other.kill()
        deadline = time.monotonic() + 30.0
        while not feedback.fault:
            assert time.monotonic() < deadline and driver.read(feedback)
            time.sleep(0.01)
        assert feedback.fault.startswith(f"nothing was said of c on {space}/joint_states for ")
    finally:
        driver.close()


def test_a_joint_that_nobody_tells_of_is_named(space: str, start: Start) -> None:
    start("a", "b")
    driver = driver_of(space, "a", "elbow")
    with pytest.raises(DriverError, match=r"says nothing of elbow for 4 s; it has: a, b$"):
        driver.open()
