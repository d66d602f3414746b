"""The socket that the pendant listens at."""

import socket

from armillary.runtime.errors import RuntimeProblem

__all__ = ["LOOPBACK", "listen"]

LOOPBACK = ("127.0.0.1", "::1", "localhost")  # what this machine alone can reach
_PORT = 8642


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on the port that was asked for; on the usual one, or any that is free, where none was.

    Raises:
        RuntimeProblem: The port is taken, there is none of this number, or the address is none of this machine.
    """
    # TCP by name: on a socket that only happens to be it asyncio leaves Nagle's delay on, and answers wait for 40 ms.
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    tries = [port] if port is not None else [_PORT, 0]
    for number in tries:
        try:
            listening.bind((host, number))
            listening.listen(128)  # who has read the link is not turned away, however soon he comes
            return listening
        except (OSError, OverflowError) as error:
            why = str(error.strerror or error) if isinstance(error, OSError) else "there is no such port"
    listening.close()
    raise RuntimeProblem(f"the pendant cannot listen to {host} port {tries[-1]}: {why}; give another --port") from None
