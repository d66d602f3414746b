"""The station's end of the line to an executor: starts it, orders, listens."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.motion import Certificate, Trajectory, limits_of
from armillary.motion.certificate import world_hash
from armillary.runtime.board_kinds import LIFE, state_kind
from armillary.runtime.channel import Board, Pipe, memory_folder
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.executor import Refused
from armillary.runtime.message import Message, motion_message
from armillary.runtime.states import State

__all__ = ["Link"]

Array = NDArray[np.float64]
_BEAT = 0.02  # s between signs of life
_MOST = 1500  # segments of a motion: some milliseconds of the tick that takes it in
_STARTS = 120.0  # s: the first time everything is compiled


class Link:
    """An executor in a process of its own.

    Attributes:
        granted: What of real time it got, in words.
        happenings: What has happened there, newest last: dicts with time, event, state, text.
    """

    def __init__(
        self,
        source: str,
        model: Model,
        start: Array,
        *,
        group: str = "",
        world: str = "",
        period: float = 0.001,
        spin: bool = True,
    ) -> None:
        """Args:
        source: Of the robot, as for `load_model`: the executor reads it itself.
        model: The same robot here.
        start: Where an ideal robot begins.
        world: What proofs must be bound to (`world_hash`); the robot alone where left out.
        spin: Real time and spinning; without, it sleeps and is less punctual.
        """
        self.model = model
        self._folder = Path(tempfile.mkdtemp(prefix="armillary-", dir=memory_folder()))
        settings = {
            "source": str(source), "group": group, "start": [float(value) for value in start], "period": period, "spin": spin,
            "world": world or world_hash(model, limits_of(model), None),
        }  # fmt: skip
        (self._folder / "settings.json").write_text(json.dumps(settings))
        self._state = Board(self._folder / "state", state_kind(model.n), create=True)
        self._life = Board(self._folder / "life", LIFE, create=True)
        self._orders, self._answers = (
            Pipe(self._folder / "orders", 1 << 24, create=True),
            Pipe(self._folder / "answers", create=True),
        )
        self._number, self._replies = 0, dict[int, tuple[str, dict[str, Any]]]()
        self.happenings: deque[dict[str, Any]] = deque(maxlen=1000)
        self.granted = ""
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._life.value["override"] = 1.0
        self._beat()
        command = [sys.executable, "-m", "armillary.runtime.executor_process", str(self._folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self._heart = threading.Thread(target=self._beats, name="sign of life", daemon=True)
        self._heart.start()
        try:
            self._until(lambda: bool(self.granted), _STARTS, "the executor does not start")
        except RuntimeProblem:
            self.close()
            raise

    @property
    def state(self) -> NDArray[np.void]:
        """What the executor said last: a record of `state_kind`."""
        return self._state.read()[1][0]

    def order(self, kind: str, *, timeout: float = 2.0) -> None:
        """Have something done: "power_on", "initialise", "hold", "resume", "reset", "power_off".

        Raises:
            Refused: It is not done, and why.
            RuntimeProblem: The executor does not answer.
        """
        with self._lock:
            self._number += 1
            message = Message(kind, self._number, time.monotonic())
        self._send(message, timeout)

    def statistics(self) -> dict[str, Any]:
        """How punctual the executor was since it was asked last, and how long its work took: quantiles and bins, by step [s]."""
        with self._lock:
            self._number += 1
            message = Message("statistics", self._number, time.monotonic())
        return self._send(message, 2.0)

    def run(self, trajectory: Trajectory, certificate: Certificate, *, timeout: float = 2.0) -> None:
        """Have a proven trajectory moved.

        Raises:
            Refused: It is not taken, and why. One of very many segments is not, since it would be taken in within one tick.
        """
        if len(trajectory.durations) > _MOST:
            raise Refused(f"{len(trajectory.durations)} segments at once are too many: hand it over in parts of up to {_MOST}")
        with self._lock:
            self._number += 1
            message = motion_message(self._number, time.monotonic(), trajectory, certificate)
        self._send(message, timeout)

    def stop(self, category: int = 2) -> None:
        """Stop: 2 on the path, 1 on the path and then power off, 0 power off at once. Waits behind nothing."""
        with self._lock:
            self._life.value["category"] = category
            self._life.value["stops"] += 1
        self._beat()

    def override(self, rate: float) -> None:
        """Let motions run at a share of their speed."""
        if not 0.0 <= rate <= 2.0:
            raise Refused(f"an override of {rate} is none; give 0 to 2")
        with self._lock:
            self._life.value["override"] = rate
        self._beat()

    def wait(self, *states: State, timeout: float = 60.0) -> State:
        """Wait until it is in one of the states; which."""
        self._until(lambda: State(int(self.state["state"])) in states, timeout, f"it does not become {states[0].name}")
        return State(int(self.state["state"]))

    def close(self) -> None:
        """End the executor: it stops on the path first. Possible at any time, any number of times."""
        if self._closed.is_set():
            return
        if self.process.poll() is None:
            self.stop(1)
            deadline = time.monotonic() + 10.0
            while self.process.poll() is None and time.monotonic() < deadline:
                with self._lock:
                    self._number += 1
                    self._orders.send(Message("end", self._number, time.monotonic()).encode())
                try:
                    self.process.wait(0.2)
                except subprocess.TimeoutExpired:
                    continue
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGKILL)
                self.process.wait()
        self._closed.set()
        self._heart.join(1.0)
        for channel in (self._state, self._life, self._orders, self._answers):
            channel.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self.process.stderr is not None:
            self.process.stderr.close()

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, message: Message, timeout: float) -> dict[str, Any]:
        if not self._orders.send(message.encode()):
            raise RuntimeProblem("the executor does not take orders: its pipe is full")
        self._until(lambda: message.number in self._replies, timeout, "the executor does not answer")
        refused, values = self._replies.pop(message.number)
        if refused:
            raise Refused(refused)
        return values

    def _until(self, done: Any, timeout: float, what: str) -> None:
        deadline = time.monotonic() + timeout
        while True:
            self._listen()
            if done():
                return
            if self.process.poll() is not None:
                said = self.process.stderr.read().strip() if self.process.stderr is not None else ""
                raise RuntimeProblem(f"the executor has ended ({self.process.returncode}): {said or 'it said nothing'}")
            if time.monotonic() > deadline:
                raise RuntimeProblem(f"{what}: nothing for {timeout:g} s")
            time.sleep(0.001)

    def _listen(self) -> None:
        with self._lock:
            while (data := self._answers.receive()) is not None:
                message = Message.decode(data)
                if message.kind == "answer":
                    self._replies[int(message.values["to"])] = (str(message.values["refused"]), dict(message.values["values"]))
                elif message.kind == "ready":
                    self.granted = str(message.values["granted"])
                elif message.kind == "happened":
                    self.happenings.append(dict(message.values))

    def _beat(self) -> None:
        with self._lock:
            self._life.value["time"] = time.monotonic()
            self._life.write()

    def _beats(self) -> None:
        while not self._closed.wait(_BEAT):
            self._beat()
