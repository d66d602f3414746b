"""A station as a program sees it: starts it or finds one that runs, asks its front, reads its state."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.motion import BadMotion, NoMotion
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.channel import Board, memory_folder
from armillary.runtime.control_lease import NoControl
from armillary.runtime.errors import Refused, RuntimeProblem
from armillary.runtime.message import Message
from armillary.runtime.start_up import await_ready
from armillary.runtime.states import State
from armillary.runtime.station_channels import JOGGER, PREFIX, PROCESSES, RECORDER, sweep
from armillary.runtime.station_settings import StationSettings
from armillary.runtime.wire import Receiver

__all__ = ["Station"]

Array = NDArray[np.float64]
_NEVER_REFUSED = ("stop", "release")  # whatever was wrong with something before
# Errors by their names, as other processes report them: what is not here is a RuntimeProblem.
_ERRORS: dict[str, type[ArmillaryError]] = {
    "Refused": Refused,
    "NoMotion": NoMotion,
    "BadMotion": BadMotion,
    "NoControl": NoControl,
}


class Station:
    """A running station. Safe for many threads.

    Attributes:
        folder: Where its channels lie.
        settings: What it runs.
        happenings: What has happened, newest last: dicts with time, event, state, text.
    """

    def __init__(self, folder: Path, n: int, *, process: "subprocess.Popen[str] | None" = None) -> None:
        """Connect to the station of a folder; see `start` and `connect`."""
        self.folder, self.settings = folder, StationSettings.read(folder)
        self._process = process
        self._boards = {
            name: Board(folder / name, kind)
            for name, kind in (("state", state_kind(n)), ("processes", PROCESSES), ("recorder", RECORDER), ("jogger", JOGGER))
        }
        self.happenings: deque[dict[str, Any]] = deque(maxlen=1000)
        self._lock, self._number = threading.Lock(), 0
        self._replies: dict[int, dict[str, Any]] = {}
        self._quiet: deque[int] = deque(maxlen=1000)  # what was told last and not waited for
        self._arrived = threading.Condition()
        self._closed = self._broken = False
        self._refusal: ArmillaryError | None = None  # of something that was told and not waited for
        self._join()

    @classmethod
    def start(cls, settings: StationSettings, n: int, *, progress: Callable[[str], None] | None = None) -> "Station":
        """Start a station's processes.

        Raises:
            RuntimeProblem: They do not start; says why.
        """
        sweep()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=memory_folder()))
        settings.write(folder)
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # forked from: one thread
        process = subprocess.Popen(
            [sys.executable, "-m", "armillary.runtime.supervisor", str(folder), str(os.getpid())], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True,
        )  # fmt: skip
        try:
            await_ready(process, progress)
            return cls(folder, n, process=process)
        except BaseException:
            _end(process)
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _join(self) -> None:
        """Be a client of the front: of the first, or of one that was started again."""
        self._connection = _connect(self.folder / "front.sock")
        self._wire, self._broken = Receiver(self._connection), False
        threading.Thread(target=self._listen, args=(self._wire,), name="station", daemon=True).start()
        self.client = int(self.ask("hello")["client"])

    def _be_there(self) -> None:
        if self._closed:
            raise RuntimeProblem("this cell is closed; open or connect one")
        if self._broken:
            self._broken = False
            self._connection.close()
            try:
                self._join()
            except RuntimeProblem:
                self._broken = True
                raise

    @property
    def state(self) -> NDArray[np.void]:
        """What the executor said last: a record of `state_kind`."""
        if self._closed:
            raise RuntimeProblem("this cell is closed; open or connect one")
        return self._boards["state"].read()[1][0]

    @property
    def processes(self) -> dict[str, dict[str, Any]]:
        """What the supervisor says of each process: its number, how often it was started again, and why."""
        text = bytes(self._boards["processes"].read()[1]["text"][0]).decode()
        return dict(json.loads(text)) if text else {}

    @property
    def assumptions(self) -> list[str]:
        """What was assumed of the robot and of its twin, in words."""
        found: list[str] = []
        for name in ("assumptions.json", "twin.json"):
            path = self.folder / name
            if path.is_file():
                said = json.loads(path.read_text())
                found += said["assumptions"] if isinstance(said, dict) else said
        return found

    @property
    def pendant(self) -> dict[str, Any]:
        """Where its teach pendant is: address, port, and the link that lets one browser in; empty where there is none."""
        return self._said("pendant")

    @property
    def rosbridge(self) -> dict[str, Any]:
        """Where its rosbridge is: address, port, and the token that lets one in from elsewhere; empty where there is none."""
        return self._said("rosbridge")

    def _said(self, server: str) -> dict[str, Any]:
        path = self.folder / f"{server}.json"
        return dict(json.loads(path.read_text())) if path.is_file() else {}

    @property
    def recording(self) -> dict[str, Any]:
        """What the recorder does: file, bytes written, records lost, what troubles it."""
        value = self._boards["recorder"].read()[1][0]
        return {
            "file": bytes(value["file"]).decode(errors="replace"), "written": int(value["written"]), "lost": int(value["lost"]),
            "problem": bytes(value["problem"]).decode(errors="replace"),
        }  # fmt: skip

    @property
    def gone(self) -> bool:
        """Whether its front does not answer any more."""
        return self._broken

    @property
    def jog_held_by(self) -> str:
        """What slows or stops the present jog, in words; "" for nothing."""
        return bytes(self._boards["jogger"].read()[1]["held_by"][0]).decode(errors="replace")

    def ask(
        self,
        kind: str,
        values: Mapping[str, Any] | None = None,
        arrays: Mapping[str, Array] | None = None,
        *,
        timeout: float = 60.0,
    ) -> dict[str, Any]:
        """Ask the front for something, and wait for the answer.

        Raises:
            Refused: It is not done, and why. Or NoMotion, BadMotion, NoControl: likewise.
            RuntimeProblem: The front does not answer. One that was started again is found by the next call.
        """
        self._be_there()
        with self._lock:
            self._number += 1
            number = self._number
            try:
                self._wire.send(Message(kind, number, time.monotonic(), values or {}, arrays or {}))
            except OSError as error:
                self._broken = True
                raise RuntimeProblem(f"the station's front is gone: {error.strerror}") from None
        with self._arrived:
            if not self._arrived.wait_for(lambda: number in self._replies or self._broken, timeout):
                raise RuntimeProblem(f"the station does not answer '{kind}' for {timeout:g} s")
            reply = self._replies.pop(number, None)
        if reply is None:
            raise RuntimeProblem("the station's front is gone; what was asked last may not have been done")
        if reply["refused"]:
            raise _refusal(reply)
        return dict(reply["values"])

    def tell(self, kind: str, values: Mapping[str, Any] | None = None, arrays: Mapping[str, Array] | None = None) -> None:
        """Tell the front something that is not waited for (a jog, a set-point).

        Raises:
            Refused: What was told before was refused.
            RuntimeProblem: The front is gone.
        """
        self._be_there()
        refusal, self._refusal = self._refusal, None
        with self._lock:
            self._number += 1
            try:
                self._quiet.append(self._number)
                self._wire.send(Message(kind, self._number, time.monotonic(), {**(values or {}), "quiet": True}, arrays or {}))
            except OSError as error:
                self._broken = True
                raise RuntimeProblem(f"the station's front is gone: {error.strerror}") from None
        if refusal is not None and kind not in _NEVER_REFUSED:  # said behind what is told now: that is not held up by it
            raise refusal

    def order(self, order: str) -> None:
        """Have something done: "power_on", "initialise", "hold", "resume", "step", "reset", "power_off", "follow"."""
        self.ask("order", {"order": order})

    def wait(self, *states: State, timeout: float = 60.0) -> State:
        """Wait until it is in one of the states; which."""
        deadline = time.monotonic() + timeout
        while True:
            state = State(int(self.state["state"]))
            if state in states:
                return state
            if self._broken:
                raise RuntimeProblem("the station is gone")
            if time.monotonic() > deadline:
                raise RuntimeProblem(f"it does not become {states[0].name}: it is {state.name} for {timeout:g} s")
            time.sleep(0.001)

    def close(self) -> None:
        """Let go of the station; one that was started here stops on the path, powers off and ends. Any number of times."""
        if self._closed:
            return
        if self._process is not None and self.settings.pace == "lock_step" and not self._broken:
            try:
                self.ask("statistics")  # it is answered where time stands still: what was moved has come to rest
            except RuntimeProblem:
                pass
        self._closed = True
        if self._process is not None:
            _end(self._process)
            shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self._connection.shutdown(socket.SHUT_RDWR)  # closing alone says nothing while a thread reads from it
        except OSError:
            pass
        self._connection.close()
        for board in self._boards.values():
            board.close()

    def _listen(self, wire: Receiver) -> None:
        try:
            while (message := wire.receive()) is not None:
                if message.kind == "answer" and int(message.values["to"]) in self._quiet:
                    self._refusal = _refusal(message.values)
                elif message.kind == "answer":
                    with self._arrived:
                        self._replies[int(message.values["to"])] = dict(message.values)
                        self._arrived.notify_all()
                elif message.kind == "happened":
                    self.happenings.append(dict(message.values))
        except ArmillaryError:
            pass  # whatever the front sends that is no message: it is of no use any more
        with self._arrived:
            if wire is self._wire:
                self._broken = True
            self._arrived.notify_all()


def _refusal(reply: Mapping[str, Any]) -> ArmillaryError:
    return _ERRORS.get(str(reply.get("kind")), RuntimeProblem)(str(reply["refused"]))


def _connect(path: Path) -> socket.socket:
    """To a front, which may be about to listen."""
    deadline = time.monotonic() + 3.0
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return connection
        except OSError as error:
            connection.close()
            if time.monotonic() > deadline:
                raise RuntimeProblem(f"the station's front does not answer: {error.strerror}") from None
        time.sleep(0.01)


def _end(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
