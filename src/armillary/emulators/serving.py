"""An emulator that serves until it is ended, with faults put into it by lines on standard input."""

import os
import select
import signal
import sys
from collections.abc import Callable

from armillary.errors import ArmillaryError

__all__ = ["serve_until_ended"]


def serve_until_ended(
    serve: Callable[[], object], close: Callable[[], object], put_in: Callable[[str], str | None] | None
) -> None:
    """Serve until SIGTERM or Ctrl-C, and close behind it.

    Args:
        serve: Does what there is to do, and waits a little where there is nothing.
        put_in: Takes a fault as a line, and answers with what is printed, if anything; None where there are none.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    lines = None if put_in is None else _FaultLines(put_in)
    try:
        while True:
            serve()
            if lines is not None:
                lines.hear()
    except KeyboardInterrupt:
        pass
    finally:
        close()


class _FaultLines:
    def __init__(self, put_in: Callable[[str], str | None]) -> None:
        self._put_in, self._ended, self._rest = put_in, False, b""

    def hear(self) -> None:
        """What has come by now; a line that has not come whole waits."""
        wire = sys.stdin.fileno()
        if self._ended or not select.select([wire], [], [], 0)[0]:
            return
        data = os.read(wire, 4096)
        self._ended = not data
        *lines, self._rest = (self._rest + (data or b"\n")).split(b"\n")
        for line in filter(None, (line.decode("utf-8", "replace").strip() for line in lines)):
            try:
                if answer := self._put_in(line):
                    print(answer, flush=True)
            except ArmillaryError as error:
                print(error, file=sys.stderr, flush=True)
