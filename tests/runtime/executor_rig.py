"""An executor on an ideal robot, with a clock of the test's."""

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import IdealDriver
from armillary.model import load_model
from armillary.motion import Plan, limits_of, plan_joints
from armillary.runtime import Executor, Handover, State, Tolerances

__all__ = ["AWAY", "HOME", "LIMITS", "MODEL", "Clock", "Rig"]

Array = NDArray[np.float64]
MODEL = load_model("cobot6")
LIMITS = limits_of(MODEL)
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([2.4, -0.3, 0.4, 0.2, 0.3, 0.6])


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Rig:
    """An executor, its ideal robot, and time."""

    def __init__(self, driver: Callable[[Clock], IdealDriver] | None = None, tolerances: Tolerances | None = None) -> None:
        self.clock = Clock()
        make = driver or (lambda clock: IdealDriver(HOME, LIMITS.acceleration, clock=clock))
        self.driver = make(self.clock)
        self.executor = Executor(MODEL, self.driver, tolerances=tolerances)
        self.worst = np.zeros(2)  # shares of velocity and acceleration
        self.path: list[Array] = []

    def tick(self, count: int = 1, **late: float) -> None:
        for _ in range(count):
            self.clock.now += 0.001
            before = self.executor.command.v.copy()
            self.executor.tick(self.clock.now, **late)
            v = self.executor.command.v
            if self.executor.state != State.FAULTED or self.executor.moves:
                used = [(np.abs(v) / LIMITS.velocity).max(), (np.abs(v - before) / 0.001 / LIMITS.acceleration).max()]
                self.worst = np.maximum(self.worst, used)
            self.path.append(self.executor.command.q.copy())

    def until(self, state: State, most: int = 20_000) -> int:
        for count in range(most):
            if self.executor.state == state:
                return count
            self.tick()
        raise AssertionError(f"{state.name} was not reached; it is {self.executor.state.name}, {self.executor.fault}")

    def up(self) -> Self:
        self.executor.power_on()
        self.executor.initialise()
        self.until(State.READY)
        return self

    def go(self, goal: Array = AWAY) -> Plan:
        plan = plan_joints(MODEL, self.executor._queue.ends_at(self.executor._end).copy(), goal)
        self.executor.run(Handover(plan.trajectory, plan.certificate))
        return plan
