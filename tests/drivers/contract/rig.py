"""An executor, a driver's host and a motor side behind it, taking turns by the clock."""

import time
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from armillary.motion import Trajectory, plan_joints
from armillary.runtime import Executor, Handover, State
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.driver_host import DriverHost
from armillary.runtime.guard import Tolerances
from armillary.runtime.hosted_driver import HostedDriver
from tests.drivers.contract.motor_side import MotorSide

__all__ = ["Rig"]

Array = NDArray[np.float64]
_PATIENCE = 30.0  # s that a test waits for what must come
_BEHIND = 0.1  # s of ticks that are made up for after a pause


class Rig:
    """Attributes:
    side: The motor side.
    executor: Whose orders are given.
    measured: Where the robot was, in every look.
    """

    def __init__(self, folder: Path, side: MotorSide) -> None:
        self.side, n = side, side.model.n
        self.host = DriverHost(folder, side.driver(), n)
        hosted = HostedDriver(folder, n)
        kind = BufferedExecutor if hosted.capabilities.depth else Executor
        # One process for all, on a machine that others use too: pauses, and what is behind because of them, are no fault here.
        borne = Tolerances(following=0.3, driver_silence=3.0, lateness=5.0)
        self.executor = kind(side.model, hosted, tolerances=borne)
        self.measured: list[Array] = []
        self._looked, self._ticked = 0.0, time.monotonic()

    def tick(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            self._ticked = max(self._ticked, now - _BEHIND)
            while self._ticked < now:  # as many as have passed: what it commands keeps to the clock
                self._ticked += self.executor.period
                self.executor.tick(self._ticked)
            if now - self._looked >= 0.004:
                self._looked = now
                self.host.look()
                self.measured.append(self.executor.feedback.q.copy())
            time.sleep(0.0005)

    def close(self) -> None:
        self.host.driver.close()

    def stands(self) -> None:
        """Wait until the joints are not moved any more."""
        end = time.monotonic() + _PATIENCE
        while self.executor.moves:
            assert time.monotonic() < end, "it does not come to rest"
            self.tick(0.01)

    def until(self, *states: State) -> None:
        end = time.monotonic() + _PATIENCE
        while self.executor.state not in states:
            assert time.monotonic() < end, f"{states[0].name} was not reached: {self.executor.state.name}, {self.executor.fault}"
            self.tick(0.01)

    def up(self) -> Self:
        self.tick(0.05)  # what is compiled at the first tick is compiled now
        self.executor.power_on()
        self.executor.initialise()
        self.until(State.READY, State.FAULTED)
        assert self.executor.fault is None, str(self.executor.fault)
        return self

    def go(self, goal: Array, duration: float | None = None) -> Trajectory:
        """Begin to move to a place, from where it will be."""
        return self.go_from(self.executor._ends_at.copy(), goal, duration)

    def go_from(self, start: Array, goal: Array, duration: float | None = None) -> Trajectory:
        plan = plan_joints(self.side.model, start, goal, duration=duration)
        self.tick(0.01)
        self.measured.clear()
        self.executor.run(Handover(plan.trajectory, plan.certificate))
        return plan.trajectory

    def off_the_path(self, trajectory: Trajectory) -> float:
        """How far what was measured is from where the trajectory ever is, at worst [rad]."""
        path = trajectory.sample(np.linspace(0.0, trajectory.duration, 3000))[:, 0]
        return max(float(np.abs(path - q).max(axis=1).min()) for q in self.measured)
