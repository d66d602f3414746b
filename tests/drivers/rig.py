"""A driver in the tests: asked by itself, or in its host behind an executor, taking turns by the clock."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Command, Driver, Feedback
from armillary.model import Model
from armillary.motion import Trajectory, plan_joints
from armillary.runtime import Executor, Handover, State
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.driver_host import DriverHost
from armillary.runtime.guard import Tolerances
from armillary.runtime.hosted_driver import HostedDriver

__all__ = ["Rig", "command", "told"]

Array = NDArray[np.float64]
_PATIENCE = 30.0  # s that a test waits for what must come
_BEHIND = 0.1  # s of ticks that are made up for after a pause


D = TypeVar("D", bound=Driver)


class Rig(Generic[D]):
    """Attributes:
    driver: That is tried. host: That it is in.
    executor: Whose orders are given.
    measured: Where the robot was, in every look.
    """

    def __init__(self, folder: Path, model: Model, driver: D) -> None:
        self.model, self.driver = model, driver
        self.host = DriverHost(folder, driver, model.n)
        hosted = HostedDriver(folder, model.n)
        kind = BufferedExecutor if hosted.capabilities.depth else Executor
        # One process for all, on a machine that others use too: pauses, and what is behind because of them, are no fault here.
        borne = Tolerances(following=0.3, driver_silence=3.0, lateness=5.0)
        self.executor = kind(model, hosted, tolerances=borne)
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
        self.driver.close()

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
        return self.go_from(self.executor._queue.ends_at(self.executor._end).copy(), goal, duration)

    def go_from(self, start: Array, goal: Array, duration: float | None = None) -> Trajectory:
        plan = plan_joints(self.model, start, goal, duration=duration)
        self.tick(0.01)
        self.measured.clear()
        self.executor.run(Handover(plan.trajectory, plan.certificate))
        return plan.trajectory

    def off_the_path(self, trajectory: Trajectory) -> float:
        """How far what was measured is from where the trajectory ever is, at worst [rad]."""
        path = trajectory.sample(np.linspace(0.0, trajectory.duration, 3000))[:, 0]
        return max(float(np.abs(path - q).max(axis=1).min()) for q in self.measured)


def told(driver: Driver, wanted: Callable[[Feedback], bool], n: int, most: float = _PATIENCE) -> Feedback:
    """The first feedback of which something holds."""
    feedback, end = Feedback.of(n), time.monotonic() + most
    while True:
        driver.read(feedback)
        if wanted(feedback):
            return feedback
        assert time.monotonic() < end, f"it did not come to that: {feedback}"
        time.sleep(0.002)


def command(number: int, q: Array, v: Array | None = None) -> Command:
    made = Command.of(len(q))
    made.number, made.time, made.q[:] = number, time.monotonic(), q
    if v is not None:
        made.v[:] = v
    return made
