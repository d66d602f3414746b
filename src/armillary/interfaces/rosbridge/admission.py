"""Who may connect to rosbridge, and what he may do there.

On this machine's own address anybody may, as with ROS itself, but no page of another site in a browser that happens to run here.
From elsewhere a token or a user's name and password is needed; who may only look hears everything and moves nothing.
"""

import base64
import binascii
import hmac
import secrets
from urllib.parse import parse_qs, urlsplit

from armillary.errors import ArmillaryError
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.users import UserStore

__all__ = ["Admission", "NotAdmitted"]

_HERE = ("127.0.0.1", "::1", "localhost")


class NotAdmitted(ArmillaryError):
    """Somebody who may not connect. status: Of HTTP."""

    def __init__(self, text: str, status: int = 401) -> None:
        super().__init__(text)
        self.status = status


class Admission:
    """Attributes:
    token: That lets anybody in who knows it, as an operator.
    """

    def __init__(self, users: UserStore, host: str) -> None:
        """Args:
        host: That is listened to.
        """
        self.token = secrets.token_urlsafe(24)
        self._users, self._open = users, host in _HERE

    def role_of(self, target: str, origin: str | None, authorization: str | None) -> Role:
        """What somebody may do. Checking a password takes a tenth of a second: not for an event loop.

        Args:
            target: The path that is asked for, with its query.

        Raises:
            NotAdmitted: He may not connect.
            BadLogin: His name and password are not known.
        """
        given = parse_qs(urlsplit(target).query).get("token", [""])[0]
        scheme, _, rest = (authorization or "").partition(" ")
        if scheme.lower() == "bearer":
            given = rest.strip()
        if given:
            if not hmac.compare_digest(given.encode(), self.token.encode()):
                raise NotAdmitted("this token is none of this cell's; it is new with every start")
            return Role.OPERATOR
        if scheme.lower() == "basic":
            return self._users.check(*_name_and_password(rest)).role
        if origin is not None and (urlsplit(origin).hostname or "") not in _HERE:
            raise NotAdmitted(f"pages of {origin[:100]} may not connect without a token", 403)
        if not self._open:
            raise NotAdmitted("a token (?token=...) or a user's name and password (Basic) is needed here")
        return Role.OPERATOR


def _name_and_password(encoded: str) -> tuple[str, str]:
    try:
        name, colon, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        colon = ""
    if not colon:
        raise NotAdmitted("the Authorization header is no name and password")
    return name, password
