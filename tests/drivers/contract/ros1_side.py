"""A robot of ROS 1 as a motor side that the contract is tried on."""

import subprocess
from pathlib import Path
from typing import Any

from tests.drivers import pmac_bench
from tests.drivers.contract.motor_side import MotorSide
from tests.ros1_master import SYSTEM_PYTHON, must_have_ros1, ros1_environment

__all__ = ["Ros1"]

_ROBOT = Path(__file__).parents[1] / "ros1_robot.py"


class Ros1(MotorSide):
    name, robot, model = "ros1", "industrial6", pmac_bench.MODEL
    home, away, count = pmac_bench.HOME, pmac_bench.AWAY, 1e-4
    kind = "trajectory"  # or "positions"
    space = "/robot"  # of its topics: a process that has commanded one keeps it

    def start(self) -> None:
        must_have_ros1()
        joints = [f"{name}={value!r}" for name, value in zip(self.model.joints, self.home.tolist(), strict=True)]
        self._process = subprocess.Popen(
            [SYSTEM_PYTHON, str(_ROBOT), self.space, self.kind, *joints],
            stdout=subprocess.PIPE,
            text=True,
            env=ros1_environment(),
        )
        assert self._process.stdout is not None and self._process.stdout.readline().strip() == "ready"

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._process

    @property
    def options(self) -> dict[str, Any]:
        command = f"{self.space}/joint_trajectory_controller/command"
        return {"states": f"{self.space}/joint_states", "command": command, "silence": 1.0, "kind": self.kind}

    def close(self) -> None:
        self._process.kill()
        self._process.wait(10.0)
        if self._process.stdout is not None:
            self._process.stdout.close()
