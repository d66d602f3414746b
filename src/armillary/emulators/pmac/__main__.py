"""The emulator as a process: `python -m armillary.emulators.pmac --port 0`."""

import argparse
import os
import selectors
import signal
import sys
from collections.abc import Sequence

from armillary.emulators.pmac.fault import put_in
from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.motor import MotorLimits
from armillary.emulators.pmac.server import Server
from armillary.emulators.pmac.variables import MOST_MOTORS
from armillary.errors import ArmillaryError
from armillary.protocols.pmac import PORT

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Listen until it is ended. The first line of output is the port."""
    parser = argparse.ArgumentParser(prog="armillary emulate pmac", description=__doc__)
    parser.add_argument(
        "--port", type=int, default=PORT, help="to listen on, on this machine alone; 0 for any (default: %(default)s)"
    )
    parser.add_argument("--motors", type=int, default=8, help="that are connected (default: %(default)s)")
    parser.add_argument(
        "--positions", type=float, nargs="*", default=[], metavar="COUNTS", help="where the motors stand at first"
    )
    parser.add_argument("--speed", type=float, default=MotorLimits.speed, help="that a motor reaches [counts/s]")
    parser.add_argument("--acceleration", type=float, default=MotorLimits.acceleration, help="of a motor at most [counts/s^2]")
    parser.add_argument(
        "--faults", action="store_true", help="take faults from standard input, a line each: stuck 3, amplifier 1"
    )
    options = parser.parse_args(arguments)
    if not 1 <= options.motors <= MOST_MOTORS:
        parser.error(f"{options.motors} motors; a PMAC has 1 to {MOST_MOTORS}")
    machine = Machine(
        options.motors, limits=MotorLimits(options.speed, options.acceleration), positions=[*options.positions]
    )  # fmt: skip
    try:
        server = Server(machine, port=options.port)
    except ArmillaryError as error:
        print(error, file=sys.stderr)
        return 2
    print(server.port, flush=True)
    _serve(server, faults=options.faults)
    return 0


def _serve(server: Server, *, faults: bool) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    stdin = selectors.DefaultSelector()
    if faults:
        stdin.register(sys.stdin.fileno(), selectors.EVENT_READ)
    try:
        while True:
            server.serve()
            for key, _ in stdin.select(0) if faults else ():
                faults = _hear_faults(server, key.fd)
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _hear_faults(server: Server, wire: int) -> bool:
    """Whether there may be more."""
    data = os.read(wire, 4096)
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            put_in(server.machine, line)
        except ArmillaryError as error:
            print(error, file=sys.stderr, flush=True)
    return bool(data)


if __name__ == "__main__":
    sys.exit(main())
