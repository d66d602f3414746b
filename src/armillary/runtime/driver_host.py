"""The process of a driver that may wait, or brings threads of its own: PMAC, CAN, ROS and whatever others add."""

import json
import os
import signal
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from armillary.drivers import BufferedDriver, Command, Driver, Feedback, Lifecycle, Stage
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.errors import ArmillaryError
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.hosted_driver import command_kind, feedback_kind
from armillary.runtime.message import Message
from armillary.runtime.prepared import Prepared
from armillary.runtime.starter import Starter

__all__ = ["DriverHost", "run"]


class DriverHost:
    """A driver, driven from shared memory."""

    def __init__(self, folder: Path, driver: Driver, n: int) -> None:
        self._folder, self.driver = folder, Lifecycle(driver)
        self._command = Board(folder / "host_command", command_kind(n))
        self._feedback = Board(folder / "host_feedback", feedback_kind(n))
        self._orders = Pipe(folder / "host_orders")
        self._orders.clear()
        self._value, self._command_now = np.zeros(1, dtype=command_kind(n)), Command.of(n)
        self._feedback_now = Feedback.of(n)
        self._command.read(self._value)
        self._stops, self._written = int(self._value["stops"][0]), 0
        self._done = self._received = self._enabled_by = 0
        self._problem, self._answered, self._out = "", 0.0, 0.0
        capabilities = driver.capabilities
        (folder / "driver.json.part").write_text(json.dumps(asdict(capabilities)))
        os.replace(folder / "driver.json.part", folder / "driver.json")
        pause = capabilities.pause or 0.5 / max(capabilities.feedback_rate, 1.0)
        self._pause = min(max(pause, 0.0005), 0.01)
        self._heard = time.monotonic()

    def serve(self) -> None:
        starter = Starter()
        signal.signal(signal.SIGTERM, _leave)
        try:
            while starter.lets_go_on(self._is_driven):
                self.look()
                time.sleep(self._pause)
        finally:
            self.driver.close()

    def _is_driven(self) -> bool:
        """Whether an executor still drives it: one that ends closes it, one that was killed is not there any more."""
        try:
            os.kill(int((self._folder / "executor.pid").read_text()), 0)
        except (OSError, ValueError):
            return False
        return self.driver.stage != Stage.CLOSED

    def look(self) -> None:
        """Do what was ordered, hand over what was commanded, say where the robot is."""
        try:
            self._command.read(self._value)
            if int(self._value["stops"][0]) != self._stops:
                self._stops = int(self._value["stops"][0])
                # A stop is seen when it is looked for, and orders behind it may have been done by then: one that was sent
                # before the drives were enabled anew must not stop them now, for nobody would enable them again.
                if int(self._value["stopped_after"][0]) >= self._enabled_by:
                    self.driver.stop()
            while (data := self._orders.receive()) is not None:
                self._do(Message.decode(data))
            self._cyclic()
            if self.driver.stage != Stage.CLOSED:
                self.driver.read(self._feedback_now)
        except Exception as error:  # a driver's own code: whatever comes out of it, the executor must hear of
            said = str(error) if isinstance(error, ArmillaryError | OSError) else f"{type(error).__name__}: {error}"
            self._problem = self._problem or said  # the first one: what follows comes of it
        self._say()

    def _do(self, message: Message) -> None:
        if message.kind == "set_point":
            command = self._command_now
            for name in ("q", "v", "a", "torque", "analog"):
                getattr(command, name)[:] = message.arrays[name]
            command.number, command.outputs = int(message.values["number"]), int(message.values["outputs"])
            self._received = message.number
            if self.driver.stage == Stage.ENABLED:
                self.driver.write(command)
            return
        self._done = message.number
        if message.kind == "open":
            self._problem = ""
            self.driver.close()  # one before may have ended without a word
        driver = self.driver.driver
        if message.kind in ("open", "enable", "disable", "close"):
            if message.kind == "enable":
                self._enabled_by = message.number
            getattr(self.driver, message.kind)()
            self._written = 0
        elif isinstance(driver, BufferedDriver) and message.kind == "time_base":
            driver.time_base(float(message.values["rate"]))
        elif isinstance(driver, BufferedDriver) and message.kind in ("hold", "resume", "clear"):
            getattr(driver, message.kind)()

    def _cyclic(self) -> None:
        """The newest command, once; when none comes any more, the motor side's own watchdog brakes."""
        value = self._value[0]
        if self.driver.driver.capabilities.depth or self.driver.stage != Stage.ENABLED or int(value["number"]) == self._written:
            return
        command = self._command_now
        command.q[:], command.v[:], command.a[:], command.torque[:] = value["q"], value["v"], value["a"], value["torque"]
        command.number, command.time, command.outputs = int(value["number"]), float(value["time"]), int(value["outputs"])
        command.analog[:], command.since = value["analog"], float(value["since"])
        before, self._written = self._sent, command.number
        self.driver.write(command)
        if command.since > self._answered and self._sent != before:
            self._answered, self._out = command.since, time.monotonic()

    @property
    def _sent(self) -> int:
        """What has gone out to the motors: frames where the driver counts them, and commands otherwise."""
        return int(getattr(self.driver.driver, "sent", self._written))

    def _say(self) -> None:
        value, now = self._feedback.value, self._feedback_now
        value["q"], value["v"], value["a"], value["torque"] = now.q, now.v, now.a, now.torque
        value["number"], value["time"], value["enabled"], value["left"] = now.number, now.time, now.enabled, now.left
        value["inputs"], value["analog"], value["contacts"] = now.inputs, now.analog, now.contacts
        value["received"], value["done"] = self._received, self._done
        value["since"], value["out"] = self._answered, self._out
        value["fault"] = (self._problem or now.fault).encode()[:240]
        driver = self.driver.driver
        buffered = self.driver.stage == Stage.ENABLED and isinstance(driver, BufferedDriver) and driver.capabilities.depth
        value["room"] = driver.room if buffered and isinstance(driver, BufferedDriver) else 0
        self._feedback.write()


def _leave(*_: object) -> None:
    raise SystemExit(0)


def run(folder: Path, prepared: Prepared) -> None:
    """The host's process."""
    settings = prepared.settings
    request = DriverRequest(prepared.model, prepared.start, settings.options, settings.period, coupling=prepared.bounds.coupling)
    DriverHost(folder, make_driver(settings.driver, request), prepared.model.n).serve()
