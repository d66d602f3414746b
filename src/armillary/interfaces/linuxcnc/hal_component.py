#!/usr/bin/python3
"""Our user-space component inside LinuxCNC: samples to us, what the robot does to HAL's pins.

Run by the system's Python, which has LinuxCNC's modules and nothing of ours: this file imports nothing of Armillary. Its
frames are those of `sample_frame.py`. Arguments: the socket, and how many joints.

When we are gone it says so to LinuxCNC (not ok, every amplifier at fault) and beats no more: LinuxCNC is in emergency stop.
"""

import select
import socket
import struct
import sys
import time
from importlib import import_module
from typing import Any

__all__ = ["FEEDBACK", "SAMPLES", "Component", "encode", "main"]

SAMPLES = struct.Struct("<IIIHBx")  # how many, the first one's number, overruns, joints with a following error, user's enable
FEEDBACK = struct.Struct("<BxH")  # ok, joints at fault; then positions, velocities, torques
_CYCLE = 0.001  # s
_SIGN = 0.01  # s: an empty frame is sent where there is nothing to send for so long
_SILENT = 0.2  # s without a word from us, and it beats no more
_LINGERS = 20.0  # s after we are gone, in which LinuxCNC is to unload it


def encode(first: int, rows: list[list[float]], overruns: int, following: int, user_enable: bool) -> bytes:
    """A frame of samples that follow each other without a gap, with its length before it."""
    flat = [value for row in rows for value in row]
    body = SAMPLES.pack(len(rows), first & 0xFFFFFFFF, overruns & 0xFFFFFFFF, following, user_enable)
    body += struct.pack(f"<{len(flat)}d", *flat)
    return struct.pack("<I", len(body)) + body


class Component:
    """Pins, stream and link."""

    def __init__(self, link: socket.socket, n: int) -> None:
        hal: Any = import_module("hal")  # LinuxCNC's: where it runs it is there
        self.link, self.n = link, n
        self.pins = pins = hal.component("armillary")
        for k in range(n):
            for name in ("position", "velocity", "torque"):
                pins.newpin(f"{k}.{name}", hal.HAL_FLOAT, hal.HAL_OUT)
            pins.newpin(f"{k}.fault", hal.HAL_BIT, hal.HAL_OUT)
            pins.newpin(f"{k}.following-error", hal.HAL_BIT, hal.HAL_IN)
        for name in ("ok", "beat"):
            pins.newpin(name, hal.HAL_BIT, hal.HAL_OUT)
        pins.newpin("user-enable", hal.HAL_BIT, hal.HAL_IN)
        self.stream = hal.stream(pins, hal.sampler_base, "f" * n + "b")
        self.size = FEEDBACK.size + 24 * n
        self.inbox = b""
        self.heard, self.spoke, self.gone = time.monotonic(), 0.0, False

    def run(self) -> None:
        while not self.inbox_applied():  # the pins are right before anybody looks
            self.hear(0.1)
            if self.gone:
                raise SystemExit("armillary is gone")
        self.pins.ready()
        while not self.gone:
            self.tell()
            self.hear(_CYCLE)
            self.inbox_applied()
            if time.monotonic() - self.heard < _SILENT:
                self.pins["beat"] = not self.pins["beat"]
        self.pins["ok"] = False
        for k in range(self.n):
            self.pins[f"{k}.fault"] = True
        time.sleep(_LINGERS)

    def tell(self) -> None:
        """All samples that wait, without a gap in a frame; and a sign of life now and then."""
        rows: list[list[float]] = []
        first, last = 0, None
        while self.stream.readable:
            row = self.stream.read()
            if row is None:
                break
            number = self.stream.sampleno
            if last is not None and number != last + 1:
                self.send(first, rows)
                rows = []
            if not rows:
                first = number
            rows.append([float(value) for value in row])
            last = number
        if rows or time.monotonic() - self.spoke > _SIGN:
            self.send(first, rows)

    def send(self, first: int, rows: list[list[float]]) -> None:
        following = 0
        for k in range(self.n):
            following |= bool(self.pins[f"{k}.following-error"]) << k
        self.spoke = time.monotonic()
        try:
            self.link.sendall(encode(first, rows, self.stream.num_overruns, following, bool(self.pins["user-enable"])))
        except OSError:
            self.gone = True

    def hear(self, seconds: float) -> None:
        """What we said, for so long at most."""
        if not select.select([self.link], [], [], seconds)[0]:
            return
        try:
            data = self.link.recv(65536)
        except OSError:
            data = b""
        self.gone = not data
        self.inbox += data

    def inbox_applied(self) -> bool:
        """Set the pins to the newest that is whole; False where there is none."""
        whole = len(self.inbox) // self.size
        if not whole:
            return False
        body = self.inbox[(whole - 1) * self.size : whole * self.size]
        self.inbox = self.inbox[whole * self.size :]
        ok, faults = FEEDBACK.unpack_from(body)
        values = struct.unpack_from(f"<{3 * self.n}d", body, FEEDBACK.size)
        for k in range(self.n):
            self.pins[f"{k}.position"] = values[k]
            self.pins[f"{k}.velocity"] = values[self.n + k]
            self.pins[f"{k}.torque"] = values[2 * self.n + k]
            self.pins[f"{k}.fault"] = bool(faults >> k & 1)
        self.pins["ok"] = bool(ok)
        self.heard = time.monotonic()
        return True


def main() -> None:
    link = socket.socket(socket.AF_UNIX)
    link.connect(sys.argv[1])
    try:
        Component(link, int(sys.argv[2])).run()
    except KeyboardInterrupt:
        pass  # unloaded


if __name__ == "__main__":
    main()
