"""Our robot as LinuxCNC's hardware: its joint commands in, position, velocity and torque back, and stops both ways."""

import os
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.interfaces.linuxcnc.machine import Machine
from armillary.interfaces.linuxcnc.sample_frame import FrameReader, SampleFrame, encode_feedback
from armillary.runtime import State
from armillary.runtime.board_kinds import external_kind
from armillary.runtime.channel import Board

__all__ = ["RobotLink", "StreamCounts"]

Array = NDArray[np.float64]
_CYCLE = 0.001  # s between two answers to LinuxCNC
_BEGINS = 0.5  # s after it was asked to follow in which a robot may not move yet
_SILENT = 2.0  # s without a tick of the robot's executor, and LinuxCNC is stopped
_POWERS_OFF = 0.4  # s that an emergency stop may still take when it is reset; LinuxCNC's watchdog bears half a second
_SAFE = (State.READY, State.MOVING, State.HOLDING)


@dataclass(frozen=True)
class StreamCounts:
    """How complete LinuxCNC's stream was.

    Attributes:
        samples: That came. missing: That did not, by their numbers. overruns: That LinuxCNC had no room for.
        set_points: That were sent on to the robot's executor.
    """

    samples: int = 0
    missing: int = 0
    overruns: int = 0
    set_points: int = 0


class RobotLink:
    """Takes LinuxCNC's samples for a cell, in a thread of its own. Nothing here raises: what is wrong stops both, and is said.

    While LinuxCNC's motion is enabled the cell follows its commands; enabled no more, it stops. A fault of the cell, or a stop
    that was not LinuxCNC's, is an emergency stop of LinuxCNC until it is reset there.
    """

    def __init__(self, cell: Cell, machine: Machine, path: Path, *, history: bool = False) -> None:
        """Args:
        path: Of the socket that our component in LinuxCNC connects to.
        history: Whether every sample is kept, for `commands`.
        """
        self._cell, self._machine = cell, machine
        self._board = Board(cell.station.folder / "external", external_kind(machine.n))
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(path))
        self._server.listen(1)
        self._ends = threading.Event()
        self._samples = self._missing = self._overruns = self._set_points = 0
        self._next: int | None = None  # the number of the sample that must come
        self._last: Array | None = None
        self._keeps, self._kept = history, list[tuple[int, Array]]()
        self._enabled = self._user_enable = self._stopped_by_user = False
        self._following, self._asked = False, 0.0
        self.trouble = ""  # why LinuxCNC is in emergency stop because of us, or ""
        self.stopped_for = ""  # why the robot was stopped last because of LinuxCNC, or ""
        self.here = self.gone = False
        self._thread = threading.Thread(target=self._run, name="linuxcnc robot", daemon=True)
        self._thread.start()

    @property
    def following(self) -> bool:
        """Whether the robot follows LinuxCNC now."""
        return self._following

    @property
    def counts(self) -> StreamCounts:
        return StreamCounts(self._samples, self._missing, self._overruns, self._set_points)

    @property
    def behind(self) -> float:
        """How far the robot's set-points are from LinuxCNC's newest command: the largest of the joints [rad or m]."""
        if self._last is None:
            return 0.0
        return float(np.abs(self._machine.to_ours(self._last) - self._cell.station.state["q"]).max())

    def commands(self) -> tuple[Array, Array]:
        """Kept samples while it followed: LinuxCNC's time, shape (k,) [s], and joints as ours, shape (k, n)."""
        if not self._kept:
            return np.zeros(0), np.zeros((0, self._machine.n))
        numbers = np.concatenate([np.arange(first, first + len(rows)) for first, rows in self._kept])
        return self._machine.period * numbers, self._machine.to_ours(np.concatenate([rows for _, rows in self._kept]))

    def close(self) -> None:
        """Stop the robot where it still follows, and end."""
        self._ends.set()
        self._thread.join(timeout=5.0)
        self._server.close()
        if not self._thread.is_alive():
            self._board.close()

    # The thread.

    def _run(self) -> None:
        _go_first()
        self._server.settimeout(0.2)
        connection = None
        while connection is None and not self._ends.is_set():
            try:
                connection, _ = self._server.accept()
            except OSError:
                continue
        if connection is None:
            return
        with connection:
            try:
                self._speak(connection)
            except (OSError, ValueError, ArmillaryError) as error:
                self._fail(str(error))
        self.gone = True
        self._let_go("LinuxCNC is gone" if not self._ends.is_set() else "it ends")

    def _speak(self, connection: socket.socket) -> None:
        reader, said = FrameReader(self._machine.n), 0.0
        connection.sendall(self._answer())
        self.here = True
        while not self._ends.is_set():
            if select.select([connection], [], [], _CYCLE)[0]:
                data = connection.recv(1 << 18)
                if not data:
                    return
                for frame in reader.feed(data):
                    self._take(frame)
                if self._following and self._enabled and self._last is not None:
                    self._pass_on()
            if time.monotonic() - said >= _CYCLE:
                said = time.monotonic()
                connection.sendall(self._answer())

    def _take(self, frame: SampleFrame) -> None:
        """Count, keep, and do what has changed."""
        self._overruns = frame.overruns
        if len(frame.joints):
            if self._next is not None and frame.first != self._next:
                self._missing += (frame.first - self._next) & 0xFFFFFFFF
            self._next = (frame.first + len(frame.joints)) & 0xFFFFFFFF
            self._samples += len(frame.joints)
            before = self._last if self._last is not None else frame.joints[0]
            self._before = frame.joints[-2] if len(frame.joints) > 1 else before
            self._last = frame.joints[-1]
            if self._keeps and self._following and frame.enabled.all():
                self._kept.append((frame.first, frame.joints))
        self._user_changed(frame)
        enabled = bool(frame.enabled[-1]) if len(frame.enabled) else self._enabled
        if enabled != self._enabled:
            self._enabled = enabled
            if enabled:
                self._follow()
            else:
                self._let_go(self._why_off(frame))

    def _user_changed(self, frame: SampleFrame) -> None:
        """LinuxCNC's own emergency stop powers the robot off; its reset powers it on again."""
        if frame.user_enable == self._user_enable:
            return
        self._user_enable = frame.user_enable
        if not frame.user_enable:
            self._let_go("LinuxCNC's emergency stop")
            self._stopped_by_user = self._try(lambda: self._cell.stop(1))
            return
        end = time.monotonic() + _POWERS_OFF
        while self._stopped_by_user and self._state() not in (State.OFF, State.FAULTED) and time.monotonic() < end:
            time.sleep(0.005)  # it still comes to rest
        self.trouble, state = "", self._state()
        if state == State.FAULTED:
            self._try(self._cell.reset)
        elif state in (State.OFF, State.STOPPED):
            self._try(self._cell.power_on)
        self._stopped_by_user = False

    def _state(self) -> State:
        return State(int(self._cell.station.state["state"]))

    def _follow(self) -> None:
        self.stopped_for = ""
        if self._try(self._cell.follow):
            self._following, self._asked = True, time.monotonic()

    def _pass_on(self) -> None:
        """LinuxCNC's newest command, as a set-point of ours."""
        assert self._last is not None
        q = self._machine.to_ours(self._last)
        if not np.isfinite(q).all():
            self._fail("LinuxCNC's commands are no numbers")
            return
        v = (self._last - self._before) / (self._machine.scale * self._machine.period)
        # On the board itself, and not through the front: a thousand messages a second would wait there behind others. That the
        # robot follows was asked of the front, which gave control for it, and whoever takes that away stops the robot.
        value = self._board.value
        value["q"], value["v"], value["time"] = q, v, time.monotonic()
        value["since"], value["holds"] = value["time"], 0
        value["number"] += 1
        self._board.write()
        self._set_points += 1

    def _let_go(self, why: str) -> None:
        """Follow no more: the robot stops on its path."""
        if self._following:
            self._following, self.stopped_for = False, why
            self._try(lambda: self._cell.stop(2))

    def _why_off(self, frame: SampleFrame) -> str:
        late = [joint.name for k, joint in enumerate(self._machine.joints) if frame.following >> k & 1]
        if late:
            return f"LinuxCNC's following error: {', '.join(late)}"
        return (
            "LinuxCNC's machine is off" if frame.user_enable and not self.trouble else self.trouble or "LinuxCNC's emergency stop"
        )

    def _try(self, call: Callable[[], object]) -> bool:
        try:
            call()
            return True
        except ArmillaryError as error:
            self._fail(str(error))
            return False

    def _fail(self, why: str) -> None:
        """Something is wrong on our side: LinuxCNC is in emergency stop until it is reset there."""
        self.trouble = self.trouble or why

    def _answer(self) -> bytes:
        record, machine = self._cell.station.state, self._machine
        state = State(int(record["state"]))
        if state == State.FAULTED:
            self._fail(bytes(record["fault"]).decode(errors="replace"))
        elif self._following and state != State.MOVING and float(record["time"]) - self._asked > _BEGINS:
            self._fail(f"the robot is {state.name} though LinuxCNC moves it: {self._last_words()}")
        elif self._following and time.monotonic() - max(float(record["time"]), self._asked) > _SILENT:
            self._fail("the robot's executor is silent")
        if self.trouble and self._following:
            self._following, self.stopped_for = False, self.trouble
            if state == State.MOVING:
                self._try(lambda: self._cell.stop(2))
        # While LinuxCNC's user has stopped it the robot is off by his will, and nothing is wrong.
        ok = not self.trouble and (state in _SAFE or self._stopped_by_user or not self._user_enable)
        measured = record["measured_q"] if np.isfinite(record["measured_q"]).all() else record["q"]
        scale = np.abs(machine.scale) / machine.scale
        return encode_feedback(
            machine.to_linuxcnc(measured), machine.scale * record["measured_v"], scale * record["measured_torque"],
            ok=ok, faults=self._faults() if self.trouble else 0,
        )  # fmt: skip

    def _faults(self) -> int:
        """Bit by bit, the joints that our trouble names; all where it names none."""
        named = sum(1 << k for k, joint in enumerate(self._machine.joints) if joint.name in self.trouble)
        return named or (1 << self._machine.n) - 1

    def _last_words(self) -> str:
        happened = self._cell.station.happenings
        return str(happened[-1].get("text") or happened[-1].get("event", "")).lower() if happened else "it was stopped"


def _go_first() -> None:
    """This thread before others of the ordinary kind, where that is allowed."""
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -15)
    except OSError:
        pass  # then it takes its turn
