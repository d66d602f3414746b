"""Being on time: what the system gives a process that must be, and the wait for the next tick."""

import ctypes
import gc
import os
import time
from dataclasses import dataclass

__all__ = ["Granted", "Ticker", "go_first", "leave_core", "may_take_priority", "take_priority"]

_LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE
_EARLY = 150e-6  # s: so long before the tick it wakes and spins the rest


@dataclass(frozen=True)
class Granted:
    """What the system gave. Each that it did not has a reason.

    Attributes:
        fifo: Real-time scheduling.
        locked: Memory that is never swapped out.
        pinned: The core it runs on, or -1.
        refused: Why not, in words.
        frozen: The garbage collector does not run.
    """

    fifo: bool
    locked: bool
    pinned: int
    refused: tuple[str, ...]
    frozen: bool = True

    def __str__(self) -> str:
        given = ("SCHED_FIFO", self.fifo), ("locked memory", self.locked), ("frozen garbage collector", self.frozen)
        got = [name for name, has in given if has]
        if self.pinned >= 0:
            got.append(f"core {self.pinned}")
        said = ", ".join(got) or "nothing"
        return f"real time: {said}" + (f" ({'; '.join(self.refused)})" if self.refused else "")


def take_priority(*, priority: int = 80, core: int | None = None) -> Granted:
    """Ask for all that makes ticks punctual. To be called when everything is imported and warmed up.

    Args:
        core: To stay on; the last one where left out and there are several.
    """
    refused = []
    gc.collect()
    gc.freeze()
    gc.disable()
    locked = ctypes.CDLL(None, use_errno=True).mlockall(_LOCK_ALL) == 0
    if not locked:
        refused.append(f"memory is not locked: {os.strerror(ctypes.get_errno())}")
    pinned = -1
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1 or core is not None:
        wanted = cores[-1] if core is None else core
        try:
            os.sched_setaffinity(0, {wanted})
            pinned = wanted
        except OSError as error:
            refused.append(f"not pinned to core {wanted}: {error.strerror}")
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        fifo = True
    except OSError as error:
        fifo = False
        refused.append(f"no SCHED_FIFO: {error.strerror}; give it CAP_SYS_NICE or an rtprio limit")
    return Granted(fifo, locked, pinned, tuple(refused))


def leave_core() -> None:
    """Stay off the core that the executor takes (`take_priority`), where there are others."""
    cores = sorted(os.sched_getaffinity(0))
    try:
        if len(cores) > 1:
            os.sched_setaffinity(0, set(cores[:-1]))
    except OSError:
        pass  # then it is in the way, as far as the executor's priority lets it


def go_first() -> None:
    """Be served before others of the ordinary kind, where that is allowed: less than real time, and costs nothing."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    except OSError:
        pass  # then it takes its turn


def may_take_priority() -> bool:
    """Whether the system would give real-time scheduling; it is tried, and given back."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except OSError:
        return False
    return True


class Ticker:
    """Ticks at a fixed period: sleeps until shortly before each, and spins the rest.

    A tick that was missed is not caught up: the next one is the next of the grid.
    """

    def __init__(self, period: float, *, spin: bool = True) -> None:
        """Args:
        spin: False sleeps all the way: less punctual, less power.
        """
        self.period, self._early = period, _EARLY if spin else 0.0
        self._next = time.monotonic() + period

    def begin(self) -> None:
        """Count from now: the next tick is a period away."""
        self._next = time.monotonic() + self.period

    def wait(self) -> tuple[float, float]:
        """Wait for the next tick; when it was due [s, the monotonic clock], and how late it is."""
        due = self._next
        left = due - time.monotonic()
        if left > self._early:
            time.sleep(left - self._early)
        now = time.monotonic()
        while now < due:
            now = time.monotonic()
        late = now - due
        skipped = int(late / self.period)
        self._next = due + (1 + skipped) * self.period
        return due, late
