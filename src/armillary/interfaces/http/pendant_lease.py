"""Which browser moves the robot: one at a time, taken over only by rules that all can see."""

import time
from dataclasses import dataclass

from armillary.interfaces.http.sessions import Session
from armillary.runtime.control_lease import NoControl

__all__ = ["PendantLease"]

_GONE = 5.0  # s without a link after which another may take it
_ASKS = 60.0  # s for which who has asked for it counts as asking


@dataclass
class PendantLease:
    """The lease among browsers.

    Control is had by one session. Another may have it when its holder gives it (to who asks, where somebody does), is logged
    out, or has been without a link for five seconds; and at once where the same person takes it on another screen, or by force,
    which stops the robot first and is an administrator's alone.

    Attributes:
        holder: The session, or None.
    """

    holder: Session | None = None
    links: int = 0  # of the holder's browser
    since: float = 0.0  # when the last of them was lost
    _asker: Session | None = None
    _asked: float = 0.0

    @property
    def asker(self) -> Session | None:
        """Who asks the holder for it now."""
        return self._asker if time.monotonic() - self._asked < _ASKS else None

    @property
    def asked_by(self) -> str:
        """His name, or ""."""
        return "" if self.asker is None else self.asker.user

    def may_take(self, session: Session) -> bool:
        """Whether a session can have it without anybody being asked."""
        holder = self.holder
        if holder is None or holder is session or (holder.user == session.user and holder.local == session.local):
            return True
        return self.links == 0 and time.monotonic() - self.since > _GONE

    def take(self, session: Session, links: int, *, force: bool = False) -> None:
        """Have it.

        Raises:
            NoControl: Somebody else has it, and has been asked for it now.
        """
        if not force and not self.may_take(session):
            self._asker, self._asked = session, time.monotonic()
            assert self.holder is not None
            raise NoControl(f"{self.holder.user} has control and has been asked for it; wait until it is given")
        self.holder, self._asker, self.links, self.since = session, None, links, time.monotonic()

    def give_back(self, session: Session) -> bool:
        """Have it no longer; whether this session had it."""
        if self.holder is not session:
            return False
        self.holder, self._asker, self.links = None, None, 0
        return True

    def linked(self, session: Session, links: int) -> None:
        """How many links a session has now."""
        if self.holder is session:
            if self.links and not links:
                self.since = time.monotonic()
            self.links = links
