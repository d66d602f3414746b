"""A robot of ROS 1 as a motor side that the contract is tried on."""

import itertools
import select
import subprocess
import threading
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tests.drivers import pmac_bench
from tests.drivers.contract.motor_side import Array, MotorSide, Moved
from tests.ros1_master import SYSTEM_PYTHON, must_have_ros1, ros1_environment

__all__ = ["Ros1"]

_ROBOT = Path(__file__).parents[1] / "ros1_robot.py"


class Ros1(MotorSide):
    name = "ros1"
    usual = Moved(pmac_bench.MODEL, pmac_bench.HOME, pmac_bench.AWAY)
    halts, off, count = 0.7, 2e-3, 1e-4
    kind = "trajectory"  # or "positions"
    _spaces = itertools.count()

    says: ClassVar[dict[str, str]] = {
        "cut": r"nothing was said|nothing is said|nobody hears|says nothing|nobody|master",
        "silence": r"nothing was said|away from its command",
        "garbage": r"-",
        "late": r"-",
        "second": r"already",
    }

    def __init__(self, folder: Path, moved: Moved | None = None) -> None:
        super().__init__(folder, moved)
        self.space = f"/robot_{next(self._spaces)}"  # of its topics: a process that has commanded one keeps it

    def start(self) -> None:
        must_have_ros1()
        joints = [f"{name}={value!r}" for name, value in zip(self.model.joints, self.home.tolist(), strict=True)]
        self._process = subprocess.Popen(
            [SYSTEM_PYTHON, str(_ROBOT), self.space, self.kind, *joints],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ros1_environment(),
        )  # fmt: skip
        self._asking = threading.Lock()
        assert self._line() == "ready"

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._process

    @property
    def options(self) -> dict[str, Any]:
        command = f"{self.space}/joint_trajectory_controller/command"
        return {"states": f"{self.space}/joint_states", "command": command, "silence": 1.0, "kind": self.kind}

    def place(self) -> Array:
        with self._asking:
            assert self._process.stdin is not None
            self._process.stdin.write("status\n")
            self._process.stdin.flush()
            return np.array([float(word) for word in self._line().split()])

    @property
    def powered(self) -> bool:
        return False  # no order of ROS switches its drives on or off

    def close(self) -> None:
        self._process.kill()
        self._process.wait(10.0)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        assert select.select([self._process.stdout], [], [], 20.0)[0], "the robot says nothing"
        return self._process.stdout.readline().strip()
