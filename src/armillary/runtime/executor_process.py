"""The executor as a process of its own: time, channels, orders."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from armillary.drivers import Driver, IdealDriver
from armillary.drivers.registry import DriverRequest, is_hosted, make_driver
from armillary.errors import ArmillaryError
from armillary.model import Model
from armillary.motion import limits_of, plan_joints
from armillary.runtime.board_kinds import FOLLOWED, LATCHED, LIFE, PANIC, external_kind, state_kind
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.executor import Executor
from armillary.runtime.guard import Fault, Tolerances
from armillary.runtime.handover import Handover
from armillary.runtime.message import Assembly, Message
from armillary.runtime.orders import ORDERS, OWNED
from armillary.runtime.prepared import Prepared
from armillary.runtime.realtime import Ticker, go_first, take_priority
from armillary.runtime.starter import Starter
from armillary.runtime.states import Event, State

__all__ = ["ExecutorProcess", "warm_up"]

_HEAR, _SAY, _CYCLE = -3, -2, -1  # among the executor's times: of what is done around its tick, and of all of it
_LAG = 0.5  # s that a robot may be behind its command where pauses are borne, at most
_STALE = 1.0  # s: an order that old is not followed
_AWAKE = 1.0  # s of standing still after which it ticks less often with little power
_NAP, _LOOK = 0.02, 0.002  # s between ticks then, and between looks for orders
_WAITS = 2000  # ms that a recorder is waited for, in lock-step
_SETTLE = 60  # ticks that follow a motion in lock-step, so that the robot comes to rest in the recording
_ANSWERED = 1  # ticks in lock-step that follow the one in which an output is sent: what comes back is read


class ExecutorProcess:
    """The loop around an executor."""

    def __init__(self, folder: Path, prepared: Prepared, *, fault: str = "") -> None:
        """Args:
        folder: The station's.
        fault: With which it begins: why the one before has ended.
        """
        self.folder, self.settings, self.model = folder, prepared.settings, prepared.model
        self._now, self._starter = 0.0 if self.settings.steps else time.monotonic(), Starter()
        patience = self.settings.borne
        tolerances = Tolerances(
            lateness=patience, driver_silence=max(0.05, 2.0 * patience),
            station_silence=np.inf if self.settings.goes_on or self.settings.steps else max(0.5, 2.0 * patience),
        )  # fmt: skip
        driver = self._driver(folder, prepared, patience)
        kind = BufferedExecutor if driver.capabilities.depth else Executor
        self.executor = kind(
            self.model, driver, limits=prepared.limits, world=prepared.world,
            period=self.settings.period, tolerances=tolerances, bounds=prepared.bounds,
            outputs_off_on_fault=prepared.description is not None and prepared.description.station.outputs_off_on_fault,
        )  # fmt: skip
        if self.settings.patience:
            # Whoever bears late ticks, for want of motors, bears the way that the robot is behind because of them.
            self.executor.guard.bear_pauses(min(self.settings.patience, _LAG), self.settings.period)
        if fault:
            self.executor.fail(Fault("executor", "", 0.0, 0.0, self._now, fault, on_path=False))
        n = self.model.n
        self.state, self.life, self.panic = (
            Board(folder / "state", state_kind(n)), Board(folder / "life", LIFE), Board(folder / "panic", PANIC)
        )  # fmt: skip
        # One that was started again shows where the robot was last commanded to be, until it is in touch with it.
        self.executor.command.q[:] = self.state.read()[1]["q"][0]
        able = driver.capabilities
        self.state.value["interval"] = able.interval if able.depth else 0.0
        self.state.value["counts"] = able.inputs, able.outputs, able.analog_inputs, able.analog_outputs
        self._analog_inputs, self._analog_outputs = self.state.value["analog_inputs"][0], self.state.value["analog_outputs"][0]
        self.external, self.followed = Board(folder / "external", external_kind(n)), Board(folder / "followed", FOLLOWED)
        self.orders, self.answers, self.history = Pipe(folder / "orders"), Pipe(folder / "answers"), Pipe(folder / "history")
        self.pieces, self.jog_answers = Pipe(folder / "jog_pieces"), Pipe(folder / "jog_answers")
        self.orders.clear()  # what was meant for the one before is not followed now
        self.pieces.clear()
        self._motion, self._jogged = Assembly(), Assembly()
        self._life, self._panic = np.zeros(1, dtype=LIFE), np.zeros(1, dtype=PANIC)
        self._set_point = np.zeros(1, dtype=external_kind(n))
        self.life.read(self._life)
        self.panic.read(self._panic)
        self._stops, self._panics = [int(count) for count in self._life["stops"][0]], int(self._panic["stops"][0])
        self._taken, self._rate, self._set_points, self._front = 0, 1.0, 0, int(self._life["front"][0])
        self._ticks, self._latest, self._told, self._lost, self._settle = 0, 0.0, 0, 0, _SETTLE
        self._ending = self._woken = self._left = self._unsaid = False
        self._idle = 0

    def _driver(self, folder: Path, prepared: Prepared, patience: float) -> Driver:
        settings = self.settings
        if is_hosted(settings.driver):
            from armillary.runtime.hosted_driver import HostedDriver

            return HostedDriver(folder, self.model.n)
        own_twin = settings.driver == "physics" and "address" not in settings.options
        port = json.loads((folder / "twin.json").read_text())["port"] if own_twin else 0
        request = DriverRequest(
            self.model, prepared.start, settings.options, settings.period, settings.steps, patience, ("127.0.0.1", int(port)),
            clock=lambda: self._now, coupling=prepared.bounds.coupling,
        )  # fmt: skip
        return make_driver(settings.driver, request)

    def run(self, *, denied: bool = False) -> None:
        """Until it is told to end, or who started it is gone; not before the robot stands.

        Args:
            denied: Real time was asked for and is not given; what else helps is asked for all the same.
        """
        signal.signal(signal.SIGTERM, self._end_soon)
        real = self.settings.real_time and not self.settings.steps
        granted = str(take_priority()) if real or denied else "no real time asked for"
        if denied:
            granted += "; ticks may be 0.1 s late"
        if not real and not self.settings.steps:
            go_first()
        (self.folder / "executor.ready").write_text("\n".join(sorted(sys.modules)))  # all that it has, and will ever import
        self._tell("ready", {"pid": os.getpid(), "granted": granted})
        if self.settings.steps:
            self._step_through()
        else:
            self._by_the_clock(Ticker(self.settings.period, spin=real))
        self.executor.driver.close()
        if not self.settings.steps:
            self._keep_statistics(self._now)
        self._keep(b"M" + Message("end", 0, self._now).encode())

    def _by_the_clock(self, ticker: Ticker) -> None:
        while True:
            _, late = ticker.wait()
            self._now = now = time.monotonic()
            woken = time.perf_counter()
            if not self._hear(now):
                return
            begin = time.perf_counter()
            times, life = self.executor.times.times, self._life
            times[_HEAR] = begin - woken
            # A sign of life may be newer than `now`: it was written after it.
            quiet, unpressed = max(now - float(life["time"][0]), 0.0), max(now - float(life["pressed"][0]), 0.0)
            if self._left:
                quiet = 0.0  # it is being stopped for that
            self.executor.tick(now, late=late, station_quiet=quiet, unpressed=unpressed)
            ticked = time.perf_counter()
            self._say(now, late, ticked - begin)
            said = time.perf_counter()
            times[_SAY], times[_CYCLE] = said - ticked, said - woken  # counted with the next tick
            if ticked - begin <= self.settings.period < said - woken:
                self.executor.overruns += 1  # not by the tick's own work, by all of it
            if self._ends:
                return
            if not self.settings.real_time:
                self._rest(ticker)

    @property
    def _ends(self) -> bool:
        """Told to end, or left by who started it, and nothing moves any more."""
        return (self._ending or self._left) and not self.executor.moves

    def _rest(self, ticker: Ticker) -> None:
        """With little power, while the robot stands: fewer ticks, until something is asked. The drives hear from it in time."""
        executor = self.executor
        self._idle = 0 if executor.moves or executor.state in (State.INITIALISING, State.MOVING) else self._idle + 1
        if self._idle * self.settings.period < _AWAKE:
            return
        end = time.monotonic() + _NAP
        while time.monotonic() < end and not (self.orders.waiting or self.pieces.waiting or self._ending):
            time.sleep(_LOOK)
        ticker.begin()

    def _end_soon(self, *_: object) -> None:
        self._ending = True

    def _step_through(self) -> None:
        """Tick as fast as it goes; in lock-step only while something happens."""
        ticker = Ticker(self.settings.period, spin=False)
        executor, lock_step = self.executor, self.settings.pace == "lock_step"
        while not self._ends:
            idle = not (executor.moves or executor.state in (State.INITIALISING, State.MOVING))
            self._settle = max(self._settle - 1, -1) if idle else _SETTLE
            stands = executor.waits or (idle and self._settle < 0)
            # In lock-step orders are taken where time stands still: in which tick they come is then the same every time.
            if not self._hear(time.monotonic(), orders=stands or not lock_step):
                return
            if stands and lock_step:
                time.sleep(0.0005)
                if not self._woken:
                    continue
            elif stands:
                ticker.wait()
            self._woken = False
            self._now += self.settings.period
            executor.tick(self._now)
            self._say(self._now, 0.0, 0.0)

    def _hear(self, now: float, *, orders: bool = True) -> bool:
        """Follow what was ordered; False for the order to end."""
        executor, life, panic = self.executor, self._life, self._panic
        if not self._left and self._starter.gone:
            # There is nobody left who would start anything again: it stops on the path, once, and powers off.
            self._left = self._woken = True
            executor.stop(1, "the supervisor is gone")
        self.life.read(life)
        self.panic.read(panic)
        panics = int(panic["stops"][0])
        if panics != self._panics:
            self._panics, self._woken = panics, True
            executor.stop(int(panic["category"][0]))
        for kind in (0, 1, LATCHED, 2):  # the strongest first
            if int(life["stops"][0][kind]) != self._stops[kind]:
                self._stops[kind] = int(life["stops"][0][kind])
                self._woken = True
                executor.stop(2 if kind == LATCHED else kind, latch=kind == LATCHED)
        front = int(life["front"][0])
        if front != self._front:
            self._front = front
            if executor.moves and not self.settings.goes_on:
                text = "the front had ended and was started again: nobody watched over the motion"
                executor.fail(Fault("station", "", 0.0, 0.0, self._now, text))
        rate = float(life["override"][0])
        if rate != self._rate and 0.0 <= rate <= 2.0:
            self._rate = rate
            executor.override(rate)
        if not executor.certified:
            self._listen_to_master(now)
        data = self.pieces.receive()
        if data is not None:
            self._jog(data)
        data = self.orders.receive() if orders else None
        return data is None or self._follow(data, now)

    def _follow(self, data: bytes, now: float) -> bool:
        try:
            message = Message.decode(data)
        except ArmillaryError:
            return True  # nobody could be answered
        if message.number <= self._taken:
            self._answer(message, "it was taken before")
            return True
        self._taken = message.number
        self._woken = message.kind not in ("statistics", "segments")  # time goes on by a tick at least
        try:
            refused = self._refusal(message, now)
            values: dict[str, object] = {}
            if refused:
                pass
            elif message.kind == "end":
                self._answer(message, "")
                return self.executor.moves
            elif message.kind == "statistics":
                values = self._statistics(clear=bool(message.values.get("clear", True)))
            elif message.kind == "segments":
                self._motion.take(message)
                self._keep(b"M" + data)
                return True
            elif message.kind == "run":
                self.executor.run(self._motion.handover(message))
                self._keep(b"M" + data)
                self._show()  # who hears that it was taken sees it moving
            elif message.kind in ("set_output", "simulate_input"):
                self._set(message)
            elif message.kind == "no_more":
                self.executor.no_more(int(message.values["motion"]))
            elif message.kind in ORDERS:
                getattr(self.executor, message.kind)()
            else:
                refused = f"there is no order '{message.kind}'"
            self._answer(message, refused, values)
        except ArmillaryError as error:
            self._answer(message, str(error))
        return True

    def _set(self, message: Message) -> None:
        """An output, or an input of a motor side that is not real."""
        values = message.values
        if message.kind == "set_output":
            self.executor.set_output(values.get("index"), values.get("value"))
        else:
            self.executor.simulate_input(values.get("index"), values.get("value"), analog=bool(values.get("analog")))
        self._settle, self._idle = max(self._settle, _ANSWERED), 0
        self._show()  # who hears that it was taken sees it set

    def _refusal(self, message: Message, now: float) -> str:
        """Why an order is not followed whatever it is, or ""."""
        if now - message.sent > _STALE and not self.settings.steps:
            return f"it is {now - message.sent:.2g} s old"
        owned = message.kind in OWNED
        if owned and int(message.values.get("owner", 0)) != int(self._life["owner"][0]):
            self.life.read(self._life)  # he may just have been given it: while time stands still nobody has looked
        if owned and int(message.values.get("owner", 0)) != int(self._life["owner"][0]):
            return "who sent it does not have control"
        if message.kind == "run" and int(message.values.get("stops", sum(self._stops))) != sum(self._stops):
            return "it was stopped while the motion was planned"
        return ""

    def _jog(self, data: bytes) -> None:
        """A piece of a jog: from the jogger, who has no control of his own. It runs only while somebody who has holds it."""
        try:
            message = Message.decode(data)
            if message.kind == "segments":
                self._jogged.take(message)
                return
            handover = self._jogged.handover(message)
            refused = "" if handover.while_pressed else "a jog runs only while it is held"
            if not refused:
                self.executor.run(handover)
        except ArmillaryError as error:
            refused = str(error)
        values = {"to": message.number, "refused": refused}
        self.jog_answers.send(Message("answer", message.number, self._now, values).encode())

    def _listen_to_master(self, now: float) -> None:
        """Set-points of another master: the newest, if it is newer than the last."""
        value = self._set_point
        number, _ = self.external.read(value)
        age = now - float(value["time"][0])
        if number != self._set_points:
            self._set_points = number
            self.executor.command.since = float(value["since"][0])
            said = self.followed.value
            said["since"], said["written"], said["taken"], self._unsaid = value["since"], value["time"], now, True
        self.executor.set_point(value["q"][0], value["v"][0], age, holds=bool(value["holds"][0]))

    def _show(self) -> None:
        """What it does now, before the next tick."""
        executor, value = self.executor, self.state.value
        value["state"], value["moves"], value["queued"] = int(executor.state), executor.moves, executor.queued
        value["motion"], value["motion_time"] = executor.motion
        value["taken"] = self._taken
        self._show_inputs_outputs()
        self.state.write()

    def _show_inputs_outputs(self) -> None:
        command, feedback, value = self.executor.command, self.executor.feedback, self.state.value
        value["inputs"], value["outputs"] = feedback.inputs, command.outputs
        value["forced"], value["forced_analog"] = self.executor.forced.masks
        self._analog_inputs[:], self._analog_outputs[:] = feedback.analog, command.analog

    def _say(self, now: float, late: float, work: float) -> None:
        executor, value = self.executor, self.state.value
        self._ticks += 1
        self._latest = max(self._latest, late)
        value["time"], value["state"], value["moves"] = now, int(executor.state), executor.moves
        value["rate"], value["progress"], value["queued"] = executor.rate, executor.progress, executor.queued
        value["motion"], value["motion_time"] = executor.motion
        steps = self.settings.steps  # how long things took would be another time every time
        value["ticks"], value["overruns"], value["late"], value["latest"], value["work"] = (
            self._ticks, 0 if steps else executor.overruns, late, self._latest, work
        )  # fmt: skip
        value["taken"], value["stops"] = self._taken, sum(self._stops)
        command, feedback = executor.command, executor.feedback
        value["q"], value["v"], value["a"], value["torque"] = command.q, command.v, command.a, command.torque
        value["measured_q"], value["measured_v"] = feedback.q, feedback.v
        value["measured_a"], value["measured_torque"] = feedback.a, feedback.torque
        value["contacts"], value["certified"], value["round_trip"] = feedback.contacts, executor.certified, executor.round_trip
        if steps:
            value["round_trip"] = np.nan
        self._show_inputs_outputs()
        value["origin"], value["fault"] = executor.origin.encode(errors="replace")[-80:], _cut(executor.fault or "", 240)
        self.state.write()
        if self._unsaid:
            self.followed.value["sent"], self._unsaid = time.monotonic(), False
            self.followed.write()
        self._keep(b"T" + value.tobytes())
        while executor.happenings:
            happening = executor.happenings[0]
            said: dict[str, object] = {
                "time": happening.time, "event": happening.event.name, "state": happening.state.name, "text": happening.text
            }  # fmt: skip
            fault = executor.fault
            if happening.event == Event.FAULT and fault is not None:
                said["fault"] = {
                    "kind": fault.kind, "joint": fault.joint, "value": _finite(fault.value), "limit": _finite(fault.limit)
                }  # fmt: skip
            if not self._tell("happened", said):
                break  # nobody listens: they are kept, the oldest go
            self._keep(b"M" + Message("happened", 0, now, said).encode())
            executor.happenings.popleft()
        if self._ticks % 10_000 == 0 and not self.settings.steps:
            self._keep_statistics(now)

    def _keep_statistics(self, now: float) -> None:
        """Of the whole run. Who reads it works out the rest: that would take longer than a tick has."""
        counts, most = self.executor.times.whole
        arrays = {"counts": counts.astype(float), "most": most}
        names = list(self.executor.times.names)
        self._keep(b"M" + Message("statistics", 0, now, {**self._counted, "names": names}, arrays).encode())

    @property
    def _counted(self) -> dict[str, object]:
        return {"ticks": self._ticks, "overruns": self.executor.overruns, "lost": self._lost}

    def _statistics(self, *, clear: bool) -> dict[str, object]:
        """How punctual it was and how long each step took since somebody cleared that [s]; begin anew where asked."""
        times = self.executor.times
        found = {**self._counted, **{name: times.of(name).summary() for name in times.names}}
        if clear:
            times.clear()
        return found

    def _keep(self, record: bytes) -> None:
        """For the recording. It never waits: what there is no room for is lost, and counted. In lock-step there is time."""
        for _ in range(_WAITS if self.settings.steps and self.settings.record else 1):
            if self.history.send(record):
                return
            time.sleep(0.001 if self.settings.steps else 0.0)
        self._lost += 1

    def _answer(self, message: Message, refused: str, values: dict[str, object] | None = None) -> None:
        self._tell("answer", {"to": message.number, "refused": refused, "values": values or {}})

    def _tell(self, kind: str, values: dict[str, object]) -> bool:
        self._told += 1
        return self.answers.send(Message(kind, self._told, time.monotonic(), values).encode())


def _finite(value: float) -> float | None:
    """As a message can carry it."""
    return float(value) if np.isfinite(value) else None


def _cut(text: object, most: int) -> bytes:
    return str(text).encode(errors="replace")[:most]


def warm_up(model: Model, period: float) -> None:
    """A motion on an ideal robot, so that everything is compiled and loaded before time counts."""
    limits, now = limits_of(model), 0.0
    span = np.where(np.isfinite(limits.upper - limits.lower), limits.upper - limits.lower, 1.0)
    q = np.clip(model.zero(), limits.lower + 0.1 * span, limits.upper - 0.2 * span)
    executor = Executor(model, IdealDriver(q, limits.acceleration, clock=lambda: now), period=period)
    executor.power_on()
    executor.initialise()
    executor.tick(now)
    try:
        plan = plan_joints(model, q, q + 0.1 * span)
    except ArmillaryError:
        return  # a robot whose joints cannot move: there is nothing to warm up for
    executor.run(Handover(plan.trajectory, plan.certificate))
    for i in range(400):
        now = i * period
        if i == 50:
            executor.override(0.5)
        if i == 100:
            executor.stop()
        executor.tick(now)
    if executor.state == State.READY:
        executor.follow()
        executor.set_point(executor.command.q.copy(), np.zeros(model.n), 0.0)
        executor.tick(now + period)
