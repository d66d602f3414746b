"""A driver in a process of its own, as the executor sees it: shared memory that is never waited for."""

import json
import time
from pathlib import Path

import numpy as np

from armillary.drivers import Capabilities, Command, Feedback
from armillary.drivers.driver import MOST_ANALOG
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.message import Message

__all__ = ["HostedDriver", "command_kind", "feedback_kind"]


def command_kind(n: int) -> "np.dtype[np.void]":
    """The newest command for a hosted driver, and the stop that waits behind nothing."""
    return np.dtype([
        ("number", "u8"), ("time", "f8"), ("since", "f8"), ("stops", "u8"),
        ("stopped_after", "u8"),  # the last order before the newest stop: one that comes later than the next enabling is over
        ("outputs", "u4"), ("analog", "f8", (MOST_ANALOG,)),
        ("q", "f8", (n,)), ("v", "f8", (n,)), ("a", "f8", (n,)), ("torque", "f8", (n,)),
    ])  # fmt: skip


def feedback_kind(n: int) -> "np.dtype[np.void]":
    """The newest feedback of a hosted driver."""
    return np.dtype([
        ("number", "u8"), ("time", "f8"), ("enabled", "u1"), ("left", "u4"), ("room", "u4"), ("received", "u8"), ("done", "u8"),
        ("inputs", "u4"), ("analog", "f8", (MOST_ANALOG,)), ("contacts", "u2"), ("fault", "S240"),
        ("since", "f8"), ("out", "f8"),  # when a command last went out that answers something newer, and since when [s]
        ("q", "f8", (n,)), ("v", "f8", (n,)), ("a", "f8", (n,)), ("torque", "f8", (n,)),
    ])  # fmt: skip


class HostedDriver:
    """Keeps the contract of `BufferedDriver`; orders and set-points go to the host, feedback comes from it."""

    def __init__(self, folder: Path, n: int) -> None:
        self._capabilities = Capabilities(**json.loads((folder / "driver.json").read_text()))
        self._command, self._feedback = (
            Board(folder / "host_command", command_kind(n)), Board(folder / "host_feedback", feedback_kind(n))
        )  # fmt: skip
        self._orders = Pipe(folder / "host_orders")
        self._value = np.zeros(1, dtype=feedback_kind(n))
        self._sent = self._last = 0
        self._ordered = int(time.monotonic() * 1e6)  # above the numbers of an executor before
        self._fault = ""

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def room(self) -> int:
        """Set-points that may be written now: what the host said, without those it has not received yet."""
        waiting = self._sent - int(self._value["received"][0])
        return max(int(self._value["room"][0]) - max(waiting, 0), 0)

    def open(self) -> None:
        self._fault, self._last = "", 0
        self._order("open")

    def enable(self) -> None:
        self._order("enable")

    def write(self, command: Command) -> None:
        if self._capabilities.depth:
            arrays = {"q": command.q, "v": command.v, "a": command.a, "torque": command.torque, "analog": command.analog}
            values = {"number": command.number, "outputs": command.outputs}
            self._sent += 1
            if not self._orders.send(Message("set_point", self._sent, time.monotonic(), values, arrays).encode()):
                self._fault = "the driver's host does not take set-points"
            return
        value = self._command.value
        value["number"], value["time"], value["outputs"] = command.number, command.time, command.outputs
        value["analog"], value["since"] = command.analog, command.since
        value["q"], value["v"], value["a"], value["torque"] = command.q, command.v, command.a, command.torque
        self._command.write()

    def read(self, feedback: Feedback) -> bool:
        number, _ = self._feedback.read(self._value)
        value = self._value[0]
        feedback.q[:], feedback.v[:], feedback.a[:], feedback.torque[:] = value["q"], value["v"], value["a"], value["torque"]
        feedback.number, feedback.time, feedback.left = int(value["number"]), float(value["time"]), int(value["left"])
        # What holds before the host has done the last order is not what was asked for.
        done = int(value["done"]) >= self._ordered
        feedback.enabled = bool(value["enabled"]) and done
        feedback.fault = (bytes(value["fault"]).decode(errors="replace") if done else "") or self._fault
        feedback.inputs, feedback.analog[:] = int(value["inputs"]), value["analog"]
        feedback.contacts = int(value["contacts"])
        new = number != self._last
        self._last = number
        return new

    def stop(self) -> None:
        self._command.value["stops"] += 1
        self._command.value["stopped_after"] = self._ordered
        self._command.write()

    def disable(self) -> None:
        self._order("disable")

    def close(self) -> None:
        self._order("close")

    def hold(self) -> None:
        self._order("hold")

    def resume(self) -> None:
        self._order("resume")

    def time_base(self, rate: float) -> None:
        self._order("time_base", rate)

    def clear(self) -> None:
        self._order("clear")

    def _order(self, kind: str, rate: float = 1.0) -> None:
        self._ordered += 1
        if not self._orders.send(Message(kind, self._ordered, time.monotonic(), {"rate": rate}).encode()):
            self._fault = "the driver's host does not take orders"
