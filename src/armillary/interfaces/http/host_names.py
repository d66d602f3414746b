"""The names that a pendant is reached by: a page of another name that leads here is nobody's pendant."""

import ipaddress
import re
import socket

from starlette.requests import HTTPConnection

__all__ = ["HostNames"]

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(:\d{1,5})?")


class HostNames:
    """Addresses, localhost, this machine's own name, and those of its certificate.

    Who owns a name can let it lead to this machine while a page of theirs is open (DNS rebinding): that page then asks here as if
    it were ours. An address cannot be led elsewhere.
    """

    def __init__(self, more: tuple[str, ...] = ()) -> None:
        """Args:
        more: Names beside those of the machine: of its certificate, and the one that it listens to.
        """
        own = socket.gethostname().lower()
        self.names = {"localhost", own, f"{own}.local", own.partition(".")[0], *(name.lower() for name in more)}

    def __contains__(self, host: str) -> bool:
        """Whether a Host header names this machine; with or without a port."""
        found = _HOST.fullmatch(host.strip())
        if found is None:
            return False
        name = found[1].strip("[]").rstrip(".").lower()
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self.names
        return True

    def knows(self, connection: HTTPConnection) -> bool:
        return connection.headers.get("host", "") in self
