#!/usr/bin/python3
"""LinuxCNC's display of ours: nobody looks at it. It does what we ask (on, home, run, stop), and tells us what LinuxCNC says.

Run by the system's Python, which has LinuxCNC's modules and nothing of ours: this file imports nothing of Armillary. It speaks
lines of JSON over the socket that the environment names. When we are gone it stops the machine and ends, and LinuxCNC with it.
"""

import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["Display", "main"]

_POLL = 0.01  # s
_PATIENCE = 10.0  # s that a step may take
_SEEN = 0.1  # s in which a change comes through HAL to us
_ENDS = 5.0  # s after we are gone in which it must have ended
_FAILED = (1, 11)  # kinds of LinuxCNC's messages that are errors


class Gone(Exception):
    """We are, or want it to end."""


class Display:
    """What is asked, one by one, and what is said."""

    def __init__(self, link: socket.socket) -> None:
        linuxcnc: Any = import_module("linuxcnc")  # LinuxCNC's: where it runs it is there
        self.linuxcnc, self.link = linuxcnc, link
        self.stat, self.command, self.errors = linuxcnc.stat(), linuxcnc.command(), linuxcnc.error_channel()
        self.asked: queue.Queue[dict[str, Any]] = queue.Queue()
        self.last: dict[str, Any] | None = None
        self.running, self.problem, self.began = False, "", 0.0
        self.joints = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Lines of ours, until we are gone."""
        try:
            for line in self.link.makefile("r"):
                self.asked.put(json.loads(line))
        except (OSError, ValueError):
            pass
        self.asked.put({"do": "end"})
        time.sleep(_ENDS)
        os._exit(1)

    def say(self, said: str, **values: Any) -> None:
        try:
            self.link.sendall((json.dumps({"said": said, **values}) + "\n").encode())
        except OSError:
            pass  # the end follows

    def run(self) -> None:
        while self.joints < 1:  # it is about to set up its joints
            self.stat.poll()
            self.joints = self.stat.joints
            time.sleep(_POLL)
        self.say("here", version=self.linuxcnc.version)
        try:
            while True:
                try:
                    self.do(self.asked.get(timeout=_POLL))
                except queue.Empty:
                    pass
                self.look()
        except Gone:
            pass
        self.command.abort()
        self.command.state(self.linuxcnc.STATE_ESTOP)
        self.command.wait_complete(1.0)

    def look(self) -> None:
        """What has changed, and whether a program has ended."""
        linuxcnc, stat = self.linuxcnc, self.stat
        stat.poll()
        while (message := self.errors.poll()) is not None:
            kind, text = message
            if kind in _FAILED:
                self.problem = self.problem or text.strip()
            self.say("message", error=kind in _FAILED, text=text.strip(), line=self.line())
        state = {
            "estop": bool(stat.estop), "on": bool(stat.enabled), "homed": all(stat.homed[: self.joints]),
            "idle": stat.interp_state == linuxcnc.INTERP_IDLE, "line": self.line(),
        }  # fmt: skip
        if state != self.last:
            self.last = state
            self.say("state", **state)
        if self.running and time.monotonic() - self.began > 0.1 and self.is_over():
            self.running = False
            self.say("finished", problem=self.problem, line=self.line(), position=list(stat.actual_position[:9]))

    def line(self) -> int:
        """Of the program: where the tool is, or where the interpreter is that has not got so far."""
        return int(self.stat.motion_line or self.stat.current_line)

    def is_over(self) -> bool:
        stat = self.stat
        off = not stat.enabled or stat.estop
        rests = stat.interp_state == self.linuxcnc.INTERP_IDLE and stat.inpos and stat.queue == 0
        if off and not self.problem:
            self.problem = "LinuxCNC is in emergency stop" if stat.estop else "the machine is off"
        return off or (rests and stat.exec_state in (self.linuxcnc.EXEC_DONE, self.linuxcnc.EXEC_ERROR))

    def do(self, asked: dict[str, Any]) -> None:
        what = asked["do"]
        if what == "end":
            raise Gone
        problem = getattr(self, f"do_{what}")(asked)
        self.say("did", do=what, problem=problem)

    def do_on(self, asked: dict[str, Any]) -> str:  # noqa: ARG002
        """Out of emergency stop, power on, every joint homed where it is."""
        linuxcnc, command = self.linuxcnc, self.command
        if (
            self.stat.estop
        ):  # for whatever reason: it is the user's too now, so that leaving it is seen by all, watchdog and robot
            command.state(linuxcnc.STATE_ESTOP)
            command.wait_complete(_PATIENCE)
            time.sleep(_SEEN)
        self.drain()
        command.state(linuxcnc.STATE_ESTOP_RESET)
        if not self.until(lambda: not self.stat.estop):
            return self.why("LinuxCNC stays in emergency stop")
        command.state(linuxcnc.STATE_ON)
        if not self.until(lambda: self.stat.enabled and self.stat.task_state == linuxcnc.STATE_ON):
            return self.why("LinuxCNC does not turn the machine on")
        if all(self.stat.homed[: self.joints]):
            return ""
        command.mode(linuxcnc.MODE_MANUAL)
        command.wait_complete(_PATIENCE)
        command.teleop_enable(0)
        command.wait_complete(_PATIENCE)
        command.home(-1)
        if not self.until(lambda: all(self.stat.homed[: self.joints])):
            return self.why("LinuxCNC does not home")
        return ""

    def do_run(self, asked: dict[str, Any]) -> str:
        linuxcnc, command = self.linuxcnc, self.command
        self.drain()
        if self.stat.interp_state != linuxcnc.INTERP_IDLE:
            return "LinuxCNC is busy with another program"
        command.mode(linuxcnc.MODE_AUTO)
        command.wait_complete(_PATIENCE)
        command.program_open(asked["program"])
        if command.wait_complete(_PATIENCE) == linuxcnc.RCS_ERROR:
            self.look()
            return self.why("LinuxCNC cannot open the program")
        self.problem, self.running, self.began = "", True, time.monotonic()
        command.auto(linuxcnc.AUTO_RUN, 0)
        command.wait_complete(1.0)
        return ""

    def do_line(self, asked: dict[str, Any]) -> str:
        """One line, as if typed."""
        self.drain()
        self.command.mode(self.linuxcnc.MODE_MDI)
        self.command.wait_complete(_PATIENCE)
        self.problem, self.running, self.began = "", True, time.monotonic()
        self.command.mdi(asked["text"])
        return ""

    def do_estop(self, asked: dict[str, Any]) -> str:  # noqa: ARG002
        self.command.state(self.linuxcnc.STATE_ESTOP)
        return ""

    def do_off(self, asked: dict[str, Any]) -> str:  # noqa: ARG002
        self.command.state(self.linuxcnc.STATE_OFF)
        return ""

    def do_abort(self, asked: dict[str, Any]) -> str:  # noqa: ARG002
        self.command.abort()
        return ""

    def drain(self) -> None:
        """What was said before is not of what comes now."""
        self.look()
        self.problem = ""

    def why(self, otherwise: str) -> str:
        said, self.problem = self.problem, ""
        return f"{otherwise}: {said}" if said else otherwise

    def until(self, true: Callable[[], bool]) -> bool:
        """Wait for something to be so; False where it takes too long, or something else is asked."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and self.asked.empty():
            self.look()
            if true():
                return True
            time.sleep(_POLL)
        return False


def main() -> None:
    link = socket.socket(socket.AF_UNIX)
    link.connect(os.environ["ARMILLARY_DISPLAY"])
    Display(link).run()


if __name__ == "__main__":
    main()
