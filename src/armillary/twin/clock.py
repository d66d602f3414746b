"""How far the physics is to go: with the clock and the commands, or one period for each command."""

from dataclasses import dataclass
from math import floor

from armillary.protocols.twin import Mode
from armillary.twin.settings import TwinSettings

__all__ = ["Due", "TwinClock"]

_SLEPT = 0.1  # s without the clock being looked at: the process was stopped, and that time is skipped
_LATE = 2.5  # periods after the last one by which a command is expected at the latest
_BEHIND = 1.5  # periods that it stays behind the clock then, so that the command still finds its place


@dataclass(frozen=True)
class Due:
    """What is to be done.

    Attributes:
        periods: To advance.
        fault: Why it must brake, or "".
        followed: Whether the command may be.
    """

    periods: int
    fault: str = ""
    followed: bool = True


class TwinClock:
    """The twin's time.

    Attributes:
        time: Of the physics [s]: of the machine's monotonic clock, or of the commands.
    """

    def __init__(self, settings: TwinSettings, now: float) -> None:
        self.time, self._settings = now, settings
        self._placed = False  # whether commands have set the phase of the periods
        self._heard = now  # when the last command came, by the clock that counts

    def begin(self, now: float) -> None:
        """Nothing moves: time is what it is, and the next command sets the phase."""
        if self._settings.mode == Mode.REAL_TIME:
            self.time = now
        self._placed = False

    def command(self, time: float, now: float) -> Due:
        """A command came that holds at a time [s]."""
        settings = self._settings
        if settings.mode == Mode.LOCK_STEP:
            self.time = time
            return Due(1)
        age = now - time
        if not abs(age) <= settings.watchdog:
            return Due(0, f"a command was {age * 1e3:.0f} ms old when it came", followed=False)
        self._heard = now
        if not self._placed:
            self._placed, self.time = True, time
            return Due(1)
        if not abs(time - self.time) < 10.0:
            return Due(0, f"a command's time is {time - self.time:.3g} s from the one before", followed=False)
        periods = max(round((time - self.time) / settings.period), 0)
        self.time += periods * settings.period
        return Due(periods)

    def idle(self, now: float, follows: bool) -> Due:
        """No command came; what is due by the clock.

        Args:
            follows: It moves by commands, and must not be left alone.
        """
        settings = self._settings
        if settings.mode != Mode.REAL_TIME:
            return Due(0)
        behind = now - self.time
        if behind > max(_SLEPT, 2.0 * settings.watchdog):
            self.begin(now)
            return Due(0, f"the twin itself did not run for {behind * 1e3:.0f} ms" if follows else "")
        quiet = now - self._heard
        fault = f"no command for {quiet * 1e3:.0f} ms" if follows and quiet > settings.watchdog else ""
        allowed = _BEHIND if self._placed else 0.0
        periods = floor(behind / settings.period - allowed) if behind >= self._patience else 0
        self.time += periods * settings.period
        return Due(periods, fault)

    def wait(self, now: float) -> float:
        """How long nothing will be due [s]."""
        if self._settings.mode != Mode.REAL_TIME:
            return 0.2
        return max(self.time + self._patience - now, 0.0)

    @property
    def _patience(self) -> float:
        """After so long without a command the clock goes on alone [s]."""
        return (_LATE if self._placed else 1.0) * self._settings.period
