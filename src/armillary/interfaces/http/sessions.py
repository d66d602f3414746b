"""Who is logged in: a session per browser, known by a secret in a cookie that no script can read."""

import hashlib
import secrets
import threading
import time
from dataclasses import dataclass, field

from armillary.interfaces.http.roles import Role

__all__ = ["COOKIE", "Session", "Sessions"]

COOKIE = "armillary_session"
_LASTS = 12 * 3600.0  # s without a request after which a session is over
_MOST = 500  # sessions at once; the oldest go


@dataclass(eq=False)
class Session:
    """One browser's.

    Attributes:
        number: What others may know it by: no secret.
        user: Who. local: He came by the link that was printed on this machine, and has no password.
        locked: He sees, and can stop; nothing else until he gives his password.
        over: He is logged out. A link that was opened before may still hold on to it: it has no role any more.
    """

    number: str
    user: str
    role: Role
    local: bool = False
    locked: bool = False
    used: float = field(default_factory=time.monotonic)
    over: bool = False


class Sessions:
    """All of them. They live as long as the pendant runs: secrets are kept nowhere. Safe for many threads."""

    def __init__(self) -> None:
        self._of: dict[str, Session] = {}
        self._links: set[str] = set()
        self._lock = threading.Lock()

    def one_time_link(self) -> str:
        """A secret that lets one browser in, once, as who runs the cell on this machine."""
        secret = secrets.token_urlsafe(24)
        with self._lock:
            self._links.add(_hidden(secret))
        return secret

    def enter(self, link: str, user: str) -> str | None:
        """The secret of a new session for a link that has not been used; None for another."""
        with self._lock:
            if _hidden(link) not in self._links:
                return None
            self._links.discard(_hidden(link))
        return self.begin(user, Role.ADMINISTRATOR, local=True)

    def begin(self, user: str, role: Role, *, local: bool = False) -> str:
        """The secret of a new session."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._of) >= _MOST:
                self._end(min(self._of.values(), key=lambda each: each.used))
            self._of[_hidden(secret)] = Session(secrets.token_hex(8), user, role, local)
        return secret

    def of(self, secret: str | None) -> Session | None:
        """The session of a secret, if it is not over."""
        if not secret:
            return None
        with self._lock:
            session = self._of.get(_hidden(secret))
            if session is None:
                return None
            if time.monotonic() - session.used > _LASTS:
                self._end(session)
                return None
            session.used = time.monotonic()
            return session

    def end(self, session: Session) -> None:
        """Log out. Nothing happens where it is over already."""
        with self._lock:
            self._end(session)

    def all(self) -> list[Session]:
        with self._lock:
            return list(self._of.values())

    def end_of(self, user: str, *, but: Session | None = None) -> list[Session]:
        """Log a person out everywhere: his role or password has changed, or he is gone. Which sessions those were.

        Args:
            but: The session at which he did it himself: it goes on.
        """
        with self._lock:
            ended = [
                each
                for each in self._of.values()
                if each.user.casefold() == user.casefold() and not each.local and each is not but
            ]
            for each in ended:
                self._end(each)
        return ended

    def _end(self, session: Session) -> None:
        self._of = {secret: each for secret, each in self._of.items() if each is not session}
        # Whoever still holds the object (a link, the lease) can do nothing with it.
        session.over, session.locked, session.role = True, True, Role.NOBODY


def _hidden(secret: str) -> str:
    """What is kept of a secret: enough to know it again, and compared without telling by time how much was right."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
