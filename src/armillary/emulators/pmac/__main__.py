"""The emulator as a process: `python -m armillary.emulators.pmac --port 0`."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from armillary.emulators.pmac.fault import put_in
from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.motor import MotorLimits
from armillary.emulators.pmac.server import Server
from armillary.emulators.pmac.variables import MOST_MOTORS
from armillary.emulators.serving import serve_until_ended
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
        "--faults",
        action="store_true",
        help="take faults from standard input, a line each: stuck 3, amplifier 1; and say where the motors are: status",
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
    serve_until_ended(server.serve, server.close, partial(put_in, machine) if options.faults else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
