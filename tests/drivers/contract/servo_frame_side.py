"""Servo boards as a motor side that the contract is tried on: paper 1's humanoid, or six joints with fine positions."""

import subprocess
import time
from typing import Any, ClassVar

import numpy as np

from tests.drivers import test_servo_frame_boards as humanoid
from tests.drivers.contract.motor_side import Array, MotorSide, Moved
from tests.drivers.contract.noisy_link import NoisyLink
from tests.drivers.contract.serial_link import SerialLink
from tests.emulators.servo_boards_process import BoardsProcess

__all__ = ["ServoFrame"]

_RATIO = 0.24  # degrees of a servo for one of its joint: a whole turn to both sides is within its range
_DEAD_BAND = {False: 0.5, True: 0.05}  # of coarse and fine servos [degree]
_STEP = {False: 1.0, True: 0.01}  # of a position in the frame [degree]
_TELLS = 0.06  # s in which the boards say anew where they are


class ServoFrame(MotorSide):
    name = "servo_frame"
    usual = Moved(humanoid.MODEL, humanoid.HOME, humanoid.AWAY)
    measures = False
    halts = 0.7

    says: ClassVar[dict[str, str]] = {
        "cut": r"is lost: the other end has hung up|there is no such port|is lost",
        "silence": r"takes nothing any more",
        "garbage": r"lost",
        "late": r"lost",
        "second": r"somebody else drives it",
    }

    def start(self) -> None:
        (self.folder / "boards").mkdir(exist_ok=True)
        fine = ["--joints", str(self.model.n), "--fine", "--dead-band", str(_DEAD_BAND[True])] if self._fine else []
        self._boards = BoardsProcess(self.folder / "boards", *fine)
        self._link = SerialLink(self.folder / "boards", self._boards.port)

    @property
    def _fine(self) -> bool:
        return self.moved is not self.usual

    @property
    def _ratios(self) -> Array:
        return np.full(self.model.n, _RATIO) if self._fine else humanoid.RATIOS

    @property
    def count(self) -> float:
        """Half a step, and the dead band."""
        return float(np.radians(0.5 * _STEP[self._fine] + _DEAD_BAND[self._fine]) / self._ratios.min()) + 1e-4

    @property
    def off(self) -> float:  # type: ignore[override]
        return 1.5 * self.count

    @property
    def link(self) -> NoisyLink:
        return self._link

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._boards.process

    @property
    def options(self) -> dict[str, Any]:
        if not self._fine:
            return {"port": str(self._link.port), "servos": humanoid.SERVOS, "boot": 0.1}
        servos = {joint: {"ratio": _RATIO} for joint in self.model.joints}
        return {"port": str(self._link.port), "fine": True, "boot": 0.1, "watchdog": 2.0, "servos": servos}

    def pause(self) -> None:
        super().pause()
        self._link.stalled = True  # what lies in the wire on its way would hide it for long

    def go_on(self) -> None:
        super().go_on()
        self._link.stalled = False

    def place(self) -> Array:
        offsets = 90.0 if self._fine else humanoid.OFFSETS
        angles = np.array(self._boards.status()["angles"][: self.model.n])
        place: Array = np.radians((angles - offsets) / self._ratios)
        return place

    @property
    def powered(self) -> bool:
        """Whether they follow frames: there is no power to be switched."""
        time.sleep(_TELLS)
        return not all(self._boards.status()["held"])

    def close(self) -> None:
        self._link.close()
        self._boards.close()
