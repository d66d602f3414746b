"""The executor as a process of its own: `python -m armillary.runtime.executor_process FOLDER`, started by `Link`."""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from armillary.drivers import IdealDriver
from armillary.errors import ArmillaryError
from armillary.model import Model, load_model
from armillary.motion import limits_of, plan_joints
from armillary.runtime.board_kinds import LIFE, state_kind
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.executor import Executor
from armillary.runtime.guard import Tolerances
from armillary.runtime.message import Message, motion_of
from armillary.runtime.realtime import Ticker, take_priority

__all__ = ["main"]

_STALE = 1.0  # s: an order that old is not followed
_PATIENT = 0.1  # s: lateness that is borne, and the ideal robot's watchdog, without real time
_ORDERS = ("power_on", "initialise", "hold", "resume", "reset", "power_off")


class Process:
    """The loop around an executor: channels, time, orders."""

    def __init__(self, folder: Path) -> None:
        settings = json.loads((folder / "settings.json").read_text())
        self.model = load_model(settings["source"], group=settings["group"] or None)
        self.period, self.spin = float(settings["period"]), bool(settings["spin"])
        start = np.array(settings["start"], dtype=float)
        # Without real time ticks come when the system lets them: more is borne then.
        robot = IdealDriver(start, limits_of(self.model).acceleration, watchdog=0.02 if self.spin else _PATIENT)
        tolerances = Tolerances() if self.spin else Tolerances(lateness=_PATIENT, driver_silence=2.0 * _PATIENT)
        self.executor = Executor(self.model, robot, world=settings["world"], period=self.period, tolerances=tolerances)
        self.state, self.life = Board(folder / "state", state_kind(self.model.n)), Board(folder / "life", LIFE)
        self.orders, self.answers = Pipe(folder / "orders"), Pipe(folder / "answers")
        self._life, self._taken, self._stops, self._rate = np.zeros(1, dtype=LIFE), 0, 0, 1.0
        self._parent = os.getppid()
        self._ticks, self._latest = 0, 0.0
        self._told = 0

    def run(self) -> None:
        warm_up(self.model, self.period)
        granted = take_priority() if self.spin else None
        self._tell("ready", {"pid": os.getpid(), "granted": str(granted) if granted is not None else "low power: no real time"})
        ticker = Ticker(self.period, spin=self.spin)
        while True:
            _, late = ticker.wait()
            now = time.monotonic()
            if not self._hear(now):
                break
            begin = time.perf_counter()
            quiet = max(now - float(self._life["time"][0]), 0.0)
            self.executor.tick(now, late=late, station_quiet=quiet)
            self._say(now, late, time.perf_counter() - begin)
            if os.getppid() != self._parent and not self.executor.moves:  # who started it is gone, and the robot stands
                break
        self.executor.driver.close()

    def _hear(self, now: float) -> bool:
        """Follow what was ordered; False for the order to end."""
        self.life.read(self._life)
        executor = self.executor
        stops = int(self._life["stops"][0])
        if stops != self._stops:
            self._stops = stops
            executor.stop(int(self._life["category"][0]))
        rate = float(self._life["override"][0])
        if rate != self._rate and 0.0 <= rate <= 2.0:
            self._rate = rate
            executor.override(rate)
        data = self.orders.receive()
        if data is None:
            return True
        message = Message.decode(data)
        if message.number <= self._taken:
            self._answer(message, "it was taken before")
            return True
        self._taken = message.number
        if now - message.sent > _STALE:
            self._answer(message, f"it is {now - message.sent:.2g} s old")
            return True
        try:
            if message.kind == "end":
                self._answer(message, "")
                return executor.moves
            if message.kind == "statistics":
                self._answer(message, "", self._statistics())
                return True
            if message.kind == "run":
                executor.run(*motion_of(message))
            elif message.kind in _ORDERS:
                getattr(executor, message.kind)()
            else:
                self._answer(message, f"there is no order '{message.kind}'")
                return True
            self._answer(message, "")
        except ArmillaryError as error:
            self._answer(message, str(error))
        return True

    def _say(self, now: float, late: float, work: float) -> None:
        executor, value = self.executor, self.state.value
        self._ticks += 1
        self._latest = max(self._latest, late)
        value["time"], value["state"], value["moves"] = now, int(executor.state), executor.moves
        value["rate"], value["progress"] = executor.rate, executor.progress
        value["ticks"], value["overruns"], value["late"], value["latest"], value["work"] = (
            self._ticks, executor.overruns, late, self._latest, work
        )  # fmt: skip
        value["taken"], value["stops"] = self._taken, self._stops
        command, feedback = executor.command, executor.feedback
        value["q"], value["v"], value["a"], value["torque"] = command.q, command.v, command.a, command.torque
        value["measured_q"], value["measured_v"] = feedback.q, feedback.v
        value["measured_a"], value["measured_torque"] = feedback.a, feedback.torque
        value["origin"], value["fault"] = executor.origin.encode()[:80], str(executor.fault or "").encode()[:240]
        self.state.write()
        while executor.happenings:
            happening = executor.happenings[0]
            said = {"time": happening.time, "event": happening.event.name, "state": happening.state.name, "text": happening.text}
            if not self._tell("happened", said):
                break  # nobody listens: they are kept, the oldest go
            executor.happenings.popleft()

    def _statistics(self) -> dict[str, object]:
        """How punctual it was and how long each step took since the last time, and begin anew [s]."""
        executor = self.executor
        found: dict[str, object] = {"ticks": self._ticks, "overruns": executor.overruns}
        for name, histogram in (("lateness", executor.lateness), ("work", executor.work), *executor.steps.items()):
            found[name] = {
                "count": histogram.total, "p50": histogram.quantile(0.5), "p99": histogram.quantile(0.99),
                "p999": histogram.quantile(0.999), "most": histogram.most, "bins": histogram.counts.tolist(),
            }  # fmt: skip
            histogram.clear()
        return found

    def _answer(self, message: Message, refused: str, values: dict[str, object] | None = None) -> None:
        self._tell("answer", {"to": message.number, "refused": refused, "values": values or {}})

    def _tell(self, kind: str, values: dict[str, object]) -> bool:
        self._told += 1
        return self.answers.send(Message(kind, self._told, time.monotonic(), values).encode())


def warm_up(model: Model, period: float) -> None:
    """A motion on an ideal robot, so that everything is compiled and loaded before time counts."""
    limits, now = limits_of(model), 0.0
    q = np.clip(model.zero(), limits.lower + 0.2, limits.upper - 0.2)
    executor = Executor(model, IdealDriver(q, limits.acceleration, clock=lambda: now), period=period)
    executor.power_on()
    executor.initialise()
    executor.tick(now)
    plan = plan_joints(model, q, q + 0.1)
    executor.run(plan.trajectory, plan.certificate)
    for i in range(400):
        now = i * period
        if i == 50:
            executor.override(0.5)
        if i == 100:
            executor.stop()
        executor.tick(now)


def main() -> None:
    folder = Path(sys.argv[1])
    try:
        Process(folder).run()
    except ArmillaryError as error:
        print(f"armillary executor: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
