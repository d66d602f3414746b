"""The beat of a bus with drives: SYNC at its period, and the master's heartbeat, in a thread of its own."""

import threading
import time
from collections.abc import Callable

from armillary.drivers.cia402_bus import Cia402Bus
from armillary.drivers.cia402_options import Cia402Options
from armillary.drivers.errors import DriverError
from armillary.protocols.cia402_pdo import HEARTBEAT, SYNC

__all__ = ["Cia402Cycle"]

_OPERATIONAL = b"\x05"


class Cia402Cycle:
    """Calls for set-points once each period and sends SYNC behind them, until it is ended or the bus is lost.

    Attributes:
        syncs: How many were sent. missed: Periods that were left out, since the computer was busy.
        latest: By how much a SYNC was late at most [s].
    """

    def __init__(self, bus: Cia402Bus, options: Cia402Options, turn: Callable[[float], None]) -> None:
        """Args:
        turn: Called with the time of the SYNC to come [s]; sends what is to count with it.
        """
        self._bus, self._options, self._turn = bus, options, turn
        self.syncs = self.missed = 0
        self.latest = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cia402 cycle", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2.0)

    def _run(self) -> None:
        period, due = self._options.sync, time.monotonic()
        beats, beat = self._options.watchdog / 4.0, -1.0
        while not self._ended.is_set():
            now = time.monotonic()
            try:
                if now - beat >= beats or beats - (now - beat) < 0.5 * period:
                    beat = now
                    self._bus.send(HEARTBEAT + self._options.master, _OPERATIONAL)
                self._turn(due)
                self._bus.send(SYNC, b"")
            except DriverError:
                return  # the bus has kept why
            self.syncs += 1
            self.latest = max(self.latest, now - due)
            due += period
            late = time.monotonic() - due
            if late > period:  # what was missed is not made up for: drives would get two at once
                left_out = int(late / period)
                self.missed += left_out
                due += left_out * period
            self._ended.wait(max(due - time.monotonic(), 0.0))
