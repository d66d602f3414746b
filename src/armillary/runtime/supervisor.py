"""Starts a station's processes, watches them, starts them again, and ends them: `python -m armillary.runtime.supervisor FOLDER`.

The robot is read and everything compiled once; the processes are forked from there, so that they start at once, and share that
memory. The supervisor itself has one thread and waits for nothing.
"""

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from armillary.compiling import on_compiling
from armillary.drivers.registry import is_hosted
from armillary.errors import ArmillaryError
from armillary.model.compiled import is_compiled
from armillary.motion.law_kernels import examine
from armillary.motion.pace_kernels import steepest
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.executor_process import ExecutorProcess, warm_up
from armillary.runtime.prepared import Prepared, prepare
from armillary.runtime.realtime import leave_core, may_take_priority
from armillary.runtime.states import State
from armillary.runtime.station_channels import StationChannels
from armillary.runtime.station_settings import StationSettings
from armillary.solvers.differential_kernels import tick

__all__ = ["Supervisor", "main"]

_LOOK = 0.01  # s between looks at the processes
_SERVERS = {  # by name: this layer knows nothing of the web
    "pendant": "armillary.interfaces.http.server", "rosbridge": "armillary.interfaces.rosbridge.server",
}  # fmt: skip
_READY = {"twin": "twin.json", "driver_host": "driver.json"}  # what they write before the executor can begin
_TIMED = ("executor", "twin", "driver_host")  # whose cores are their own affair; the others leave the executor's alone
_STARTS = 180.0  # s that a process may take; one that ends before is seen at once, and a slow computer is no reason to give up
_PAUSE = 0.5  # s before a process is started again that has just been
_OFTEN, _LONG = 5, 5.0  # times in a row that a process may end within seconds of its start; then it is given a rest [s]


@dataclass
class _Child:
    """A process: what it does, and what became of it."""

    name: str
    work: Callable[[str], None]  # told why the one before has ended, or ""
    pid: int = 0
    began: float = 0.0
    restarts: int = 0
    quick: int = 0
    said: str = ""


class Supervisor:
    """A station's processes."""

    def __init__(self, folder: Path, parent: int) -> None:
        """Args:
        parent: The process that started it. It may be gone by now: importing alone takes a second.
        """
        self._parent = parent
        self.folder, self.settings = folder, StationSettings.read(folder)
        self.denied = self.settings.real_time and not self.settings.steps and not may_take_priority()
        if self.denied:  # ticks come when the system lets them: more must be borne, by the motor side too
            self.settings = replace(self.settings, real_time=False)
        (folder / "supervisor.pid").write_text(str(os.getpid()))
        self._compiled = 0
        on_compiling(self._compiling)
        self.prepared: Prepared = prepare(self.settings, progress=lambda line: _say("progress", line))
        self._warm_up()
        self.channels = StationChannels(folder, self.prepared.model.n)
        self._state = np.zeros(1, dtype=state_kind(self.prepared.model.n))
        works: dict[str, Callable[[str], None]] = {}
        if self.settings.driver == "physics" and "address" not in self.settings.options:
            works["twin"] = self._twin
        elif is_hosted(self.settings.driver):
            works["driver_host"] = self._driver_host
        works["executor"] = self._executor
        if self.settings.record:
            works["recorder"] = lambda _: _run("armillary.runtime.recorder_process", "run", self.folder, self.prepared)
        works["planner"] = lambda _: _run("armillary.runtime.planner_process", "run", self.folder, self.prepared)
        works["jogger"] = lambda _: _run("armillary.runtime.jogger_process", "run", self.folder, self.prepared)
        works["front"] = lambda _: _run("armillary.runtime.front", "run", self.folder, self.prepared)
        for name, module in _SERVERS.items():
            if getattr(self.settings, name):
                works[name] = self._serving(module)
        self.children = {name: _Child(name, work) for name, work in works.items()}
        self._ending = False

    def _warm_up(self) -> None:
        """Compile what the processes need where that was never done on this machine: once, and before they part ways."""
        if not all(is_compiled(kernel) for kernel in (examine, steepest, tick)):
            _say("progress", "getting ready: the first time on this machine everything is compiled, about a minute")
            self._compile_apart()
        warm_up(self.prepared.model, self.settings.period)

    def _compile_apart(self) -> None:
        """In a process of its own, which keeps it on the disk: what plans is not to be in the executor, forked from here."""
        pid = os.fork()
        if pid == 0:
            try:
                for module in ("armillary.runtime.planner_process", "armillary.runtime.jogger_process"):
                    _run(module, "warm_up", self.prepared)
            finally:
                os._exit(0)  # what went wrong is said by who needs it
        os.waitpid(pid, 0)

    def _compiling(self, name: str, begins: bool) -> None:
        if begins:
            self._compiled += 1
            what = f"{self._compiled} functions, now {name}"
            _say("progress", f"getting ready: what is used for the first time on this machine is compiled ({what})")

    def run(self) -> None:
        """Until it is told to end, or who started it is gone."""
        signal.signal(signal.SIGTERM, self._end_soon)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            for name in self.children:
                self._start(name, "")
                if name in _READY:
                    self._wait_for(_READY[name], name)
            self._wait_for("executor.ready", "executor")
            self._wait_for("planner.ready", "planner")
            self._wait_for("front.sock", "front")
            for name in _SERVERS:
                if name in self.children:
                    self._wait_for(f"{name}.json", name)
            (self.folder / "assumptions.json").write_text(json.dumps(self.prepared.assumptions))
            _say("ready", self._report())
            while not self._ending and os.getppid() == self._parent:
                self._look()
                time.sleep(_LOOK)
        finally:
            self._end()

    # What the processes do.

    def _twin(self, why: str) -> None:
        twin = dict(self.settings.twin)
        twin.setdefault("mode", "lock_step" if self.settings.steps else "real_time")
        twin.setdefault("period", self.settings.period)
        if not self.settings.steps:
            twin.setdefault("watchdog", self.settings.borne)
        number, state = self.channels.boards["state"].read()
        # It stands where the one before stood: a robot does not jump when its simulation is started anew.
        measured = state["measured_q"][0]
        start = measured if why and number > 1 and np.isfinite(measured).all() else self.prepared.start
        before = self.folder / "twin.json"
        port = json.loads(before.read_text())["port"] if before.is_file() else 0
        request = {
            "source": self.settings.source, "group": self.settings.group, "start": [float(value) for value in start],
            "port": port, "settings": twin, "ready_file": str(before),
        }  # fmt: skip
        path = self.folder / "twin_settings.json"
        path.write_text(json.dumps(request))
        _run("armillary.twin.server", "run", path, self.prepared)

    def _serving(self, module: str) -> Callable[[str], None]:
        return lambda _: _run(module, "run", self.folder, self.prepared)

    def _driver_host(self, _: str) -> None:
        _run("armillary.runtime.driver_host", "run", self.folder, self.prepared)

    def _executor(self, why: str) -> None:
        fault = f"the executor had ended ({why}); the motors braked" if why else ""
        process = ExecutorProcess(self.folder, self.prepared, fault=fault)
        process.run(denied=self.denied)

    # Starting, watching, ending.

    def _start(self, name: str, why: str) -> None:
        child = self.children[name]
        pid = os.fork()
        if pid == 0:
            self._become(child, why)
        child.pid, child.began = pid, time.monotonic()

    def _become(self, child: _Child, why: str) -> None:
        """Never returns: the forked process does its work and is gone."""
        code = 0
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            (self.folder / f"{child.name}.pid").write_text(str(os.getpid()))
            if child.name not in _TIMED and self.settings.real_time and not self.settings.steps:
                leave_core()
            child.work(why)
        except (ArmillaryError, OSError) as error:
            (self.folder / f"{child.name}.said").write_text(str(error))
            code = 1
        except BaseException as error:  # what a person needs is what it was, not where in our code
            (self.folder / f"{child.name}.said").write_text(f"{type(error).__name__}: {error}")
            if os.environ.get("ARMILLARY_DEBUG"):
                import traceback

                traceback.print_exc()
            code = 1
        finally:
            os._exit(code)

    def _look(self) -> None:
        for child in self.children.values():
            if child.pid:
                pid, status = os.waitpid(child.pid, os.WNOHANG)
                if pid:
                    self._ended(child, status)
            elif time.monotonic() - child.began > (_PAUSE if child.quick < _OFTEN else _LONG):
                child.restarts += 1
                self._start(child.name, child.said)
        board = self.channels.boards["processes"]
        board.value["time"], board.value["text"] = time.monotonic(), json.dumps(self._report()).encode()[:16000]
        board.write()

    def _ended(self, child: _Child, status: int) -> None:
        child.pid = 0
        lasted = time.monotonic() - child.began
        child.quick = child.quick + 1 if lasted < 5.0 else 0
        file = self.folder / f"{child.name}.said"
        said = file.read_text() if file.is_file() else ""
        file.unlink(missing_ok=True)
        by = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
        child.said = said or by
        child.began = time.monotonic() - (_PAUSE if lasted > 1.0 else 0.0)  # at once, unless it ends again and again
        _say("ended", {"process": child.name, "why": child.said})

    def _report(self) -> dict[str, dict[str, object]]:
        return {
            child.name: {"pid": child.pid, "restarts": child.restarts, "said": child.said[:300]}
            for child in self.children.values()
        }

    def _wait_for(self, file: str, name: str) -> None:
        deadline = time.monotonic() + _STARTS
        while not (self.folder / file).exists():
            pid, status = os.waitpid(self.children[name].pid, os.WNOHANG)
            if pid:
                self._ended(self.children[name], status)
                raise RuntimeProblem(f"the {name} does not start: {self.children[name].said}")
            if time.monotonic() > deadline:
                raise RuntimeProblem(f"the {name} does not start: nothing for {_STARTS:g} s")
            time.sleep(0.005)

    def _end_soon(self, *_: object) -> None:
        self._ending = True

    def _end(self) -> None:
        """Stop on the path and power off; then end everything, the recorder after the executor."""
        panic = self.channels.boards["panic"]
        panic.value["category"] = 1
        panic.value["stops"] += 1
        panic.write()
        deadline = time.monotonic() + 10.0
        executor = self.children["executor"]
        while executor.pid and time.monotonic() < deadline:
            self.channels.boards["state"].read(self._state)
            if State(int(self._state["state"][0])) == State.OFF or not self._state["moves"][0]:
                break
            self._reap(executor)
            time.sleep(_LOOK)
        for name in (*_SERVERS, "front", "planner", "jogger", "executor", "driver_host", "twin", "recorder"):
            if name in self.children:
                self._finish(self.children[name], 5.0 if name == "recorder" else 1.0)
        self.channels.close()

    def _finish(self, child: _Child, patience: float) -> None:
        if child.pid and child.name == "executor":
            time.sleep(0.05)  # its last ticks: drives off
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not child.pid:
                return
            os.kill(child.pid, number)
            deadline = time.monotonic() + patience
            while child.pid and time.monotonic() < deadline:
                self._reap(child)
                time.sleep(0.002)

    def _reap(self, child: _Child) -> None:
        if child.pid and os.waitpid(child.pid, os.WNOHANG)[0]:
            child.pid = 0


def _run(module: str, function: str, *arguments: object) -> None:
    """By name: what a process needs is imported in it alone."""
    getattr(importlib.import_module(module), function)(*arguments)


def _say(kind: str, what: object) -> None:
    """To who has started it: a line of JSON."""
    try:
        print(json.dumps({kind: what}), flush=True)
    except OSError:
        pass  # gone


def main() -> None:
    try:
        Supervisor(Path(sys.argv[1]), int(sys.argv[2])).run()
    except ArmillaryError as error:
        _say("error", str(error))
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
