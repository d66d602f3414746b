"""The emulated servo boards in a process of their own, for the tests."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["BoardsProcess"]


class BoardsProcess:
    """The boards, with the names of their ports.

    Attributes:
        port, bus: Where frames are taken; the Modbus wire.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.port, self.bus, self._status = folder / "port", folder / "bus", folder / "status.json"
        self._status.unlink(missing_ok=True)
        command = [sys.executable, "-m", "armillary.emulators.servo_boards", "--with-parent"]
        names = ["--port", str(self.port), "--bus", str(self.bus), "--status", str(self._status)]
        self.process = subprocess.Popen([*command, *names, *arguments], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.said = json.loads(self.process.stdout.readline())
        self.until(lambda status: True)

    def status(self) -> dict[str, Any]:
        """What the boards said last."""
        try:
            told: dict[str, Any] = json.loads(self._status.read_text())
        except FileNotFoundError:
            return {}
        return told

    def until(self, holds: Callable[[dict[str, Any]], bool], most: float = 20.0) -> dict[str, Any]:
        """The first status of which something holds."""
        end = time.monotonic() + most
        while time.monotonic() < end:
            status = self.status()
            if status and holds(status):
                return status
            time.sleep(0.02)
        raise AssertionError(f"it did not come to that; the boards say: {self.status()}")

    def pause(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def close(self) -> None:
        if self.process.poll() is None:
            self.go_on()
            self.process.terminate()
        self.process.wait(10.0)
        if self.process.stdout is not None:
            self.process.stdout.close()
