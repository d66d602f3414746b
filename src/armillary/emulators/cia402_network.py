"""Emulated drives on a bus: canopen's local nodes without threads, and time that passes for all of them."""

import heapq
import random
import struct
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from armillary.emulators.cia402_gateway import BusUnavailable, Wire
from armillary.protocols.cia402_pdo import SYNC
from armillary.protocols.socketcand import CanFrame

__all__ = ["DriveNetwork"]

_LONGEST = 0.002  # s that the bus is waited for


class _Periodic:
    """A message that canopen wants sent again and again: heartbeats."""

    def __init__(self, message: Any, period: float, now: float) -> None:
        self.message, self.period, self.next, self.ended = message, period, now, False

    def stop(self) -> None:
        self.ended = True

    def modify_data(self, message: Any) -> None:
        self.message = message


class DriveNetwork:
    """A bus, canopen's network on it, and a clock. canopen sees it as its bus.

    Attributes:
        network: canopen's own.
        dead: Numbers of nodes of which nothing is sent any more; mute: whose heartbeats are not.
        delays: By how much frames of a node are late [s].
    """

    channel_info = "emulated drives"

    def __init__(self, wire: Wire, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises:
        BusUnavailable: canopen is not installed.
        """
        try:
            canopen: Any = import_module("canopen")
        except ImportError:
            raise BusUnavailable("emulated drives need canopen; run: pip install 'armillary[canopen]'") from None
        self.wire, self._clock = wire, clock
        self.network: Any = canopen.Network(bus=self)
        self.dead: set[int] = set()
        self.mute: set[int] = set()
        self.delays: dict[int, float] = {}
        self._periodic: list[_Periodic] = []
        self._late: list[tuple[float, int, CanFrame]] = []
        self._count = 0

    def send(self, message: Any) -> None:
        """What canopen sends."""
        self.put(CanFrame(message.arbitration_id, bytes(message.data)))

    def send_periodic(self, message: Any, period: float) -> _Periodic:
        """What canopen wants sent again and again."""
        task = _Periodic(message, period, self._clock())
        self._periodic.append(task)
        return task

    def shutdown(self) -> None:
        self.wire.close()

    def put(self, frame: CanFrame) -> None:
        """Send a frame of a drive, unless that is dead; late where it is to be."""
        node = frame.id & 0x7F
        if node in self.dead or (node in self.mute and frame.id & 0x780 == 0x700):
            return
        if delay := self.delays.get(node, 0.0):
            self._count += 1
            heapq.heappush(self._late, (self._clock() + delay, self._count, frame))
        else:
            self.wire.send(frame)

    def garble(self, node: int, random_: random.Random) -> None:
        """Send what no drive would: messages of wrong lengths and contents."""
        for _ in range(50):
            base = random_.choice((0x80, 0x180, 0x280, 0x580, 0x700, 0x480))
            size = random_.choice((0, 1, 3, 7)) if base in (0x80, 0x180) else random_.randrange(9)
            self.wire.send(CanFrame(base + node, random_.randbytes(size)))

    def turn(self, heard: Callable[[float], None]) -> None:
        """Wait for the bus a moment; hand over what came, and send what is due.

        Args:
            heard: Called with the time [s] before each SYNC, and at the end.
        """
        now = self._clock()
        due = min((task.next for task in self._periodic), default=now + _LONGEST)
        for frame in self.wire.receive(min(max(due - now, 0.0), _LONGEST)):
            if frame.id == SYNC:  # set-points count from here on
                heard(self._clock())
            try:
                self.network.notify(frame.id, bytearray(frame.data), time.time())
            except struct.error:
                pass  # canopen takes no frames that are too short; a drive goes on
        now = self._clock()
        heard(now)
        self._periodic = [task for task in self._periodic if not task.ended]
        for task in self._periodic:
            if now >= task.next:
                task.next = max(task.next + task.period, now)
                self.send(task.message)
        while self._late and self._late[0][0] <= now:
            self.wire.send(heapq.heappop(self._late)[2])
