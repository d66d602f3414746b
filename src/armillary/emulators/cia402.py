"""Drives of the profile CiA 402 on a CAN bus that is not there: `python -m armillary.emulators.cia402 --nodes 6`.

The bus is a socketcand server on this machine alone: python-can reaches it with interface "socketcand", host "127.0.0.1", the
port that is printed first, and any channel. With --interface socketcan --channel vcan0 the drives are on a bus of the kernel's.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence

from armillary.emulators.cia402_drive import Drive, MotorLimits
from armillary.emulators.cia402_gateway import BusUnavailable, Gateway, KernelBus, Wire
from armillary.emulators.cia402_network import DriveNetwork
from armillary.emulators.cia402_node import DriveNode
from armillary.emulators.serving import serve_until_ended
from armillary.errors import ArmillaryError

__all__ = ["BadFault", "DriveBank", "main"]

PORT = 28600  # socketcand's own is 29536; this one is nobody's
_FAULTS = (
    "stuck N, weak N, emcy N CODE, dead N, mute N (no heartbeats), late N MILLISECONDS, garbage N, reboot N, bus_off, well N, "
    "status N, status"
)  # fmt: skip


class BadFault(ArmillaryError):
    """A fault that there is none of."""


class DriveBank:
    """Drives on one bus.

    Attributes:
        nodes: By their numbers. bus: That they are on.
    """

    def __init__(self, wire: Wire, numbers: Sequence[int], positions: Sequence[float], limits: MotorLimits) -> None:
        self.bus = DriveNetwork(wire)
        self._passed = time.monotonic()
        self._random = random.Random(402)
        self.nodes = {
            number: DriveNode(number, Drive(positions[k] if k < len(positions) else 0.0, limits), self.bus)
            for k, number in enumerate(numbers)
        }

    def serve(self) -> None:
        """A turn: what came, what is due."""
        self.bus.turn(self._pass_time)

    def _pass_time(self, now: float) -> None:
        # After a pause of this process the motors stood still, as time did for them; nothing leaps.
        passed, self._passed = min(max(now - self._passed, 0.0), 0.1), now
        for number, node in self.nodes.items():
            node.drive.pass_time(passed)
            if number not in self.bus.dead:
                node.turn(now)

    def put_in(self, text: str) -> str:
        """Put a fault in, by its name and the number of a node; see --faults.

        Raises:
            BadFault: There is no such fault, or no such node.
        """
        words = text.lower().split()
        if words == ["bus_off"] and isinstance(self.bus.wire, Gateway):
            self.bus.wire.go_off()
            return ""
        if words == ["status"]:
            places = " ".join(f"{node.drive.position:.3f}" for node in self.nodes.values())
            powered = " ".join(str(number) for number, node in self.nodes.items() if node.drive.powered)
            return f"positions {places} powered {powered}".rstrip()
        node = self.nodes.get(int(words[1])) if len(words) >= 2 and words[1].isdigit() else None
        value = words[2] if len(words) > 2 else ""
        if node is None or not self._put_into(node, words[0], value):
            raise BadFault(f"{text.strip()!r} is no fault; write one of: {_FAULTS}")
        if words[0] != "status":
            return ""
        drive = node.drive
        return f"{node.id} {drive.state.value}: position {drive.position:.3f} demand {drive.demand:.3f} syncs {drive.syncs}"

    def _put_into(self, node: DriveNode, kind: str, value: str) -> bool:
        bus, drive = self.bus, node.drive
        if kind in ("stuck", "weak"):
            drive.friction = 1.0 if kind == "stuck" else 0.999
        elif kind == "emcy" and _hex(value) is not None:
            drive.fail(_hex(value) or 0)
        elif kind == "dead":
            bus.dead.add(node.id)
        elif kind == "mute":
            bus.mute.add(node.id)
        elif kind == "late" and value.isdigit():
            bus.delays[node.id] = int(value) / 1000.0
        elif kind == "garbage":
            bus.garble(node.id, self._random)
        elif kind == "reboot":
            node.start()
        elif kind == "well":
            self._mend(node)
        elif kind != "status":
            return False
        return True

    def _mend(self, node: DriveNode) -> None:
        bus = self.bus
        node.drive.friction = 0.0
        if node.id in bus.dead:
            bus.dead.discard(node.id)
            node.start()
        bus.mute.discard(node.id)
        bus.delays.pop(node.id, None)
        if isinstance(bus.wire, Gateway):
            bus.wire.off = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Be on the bus until it is ended. The first line of output is the port, or the channel."""
    options = _parser().parse_args(arguments)
    numbers = [*range(options.first, options.first + options.nodes)]
    if not numbers or numbers[0] < 1 or numbers[-1] > 126:
        print("nodes have numbers from 1 to 126", file=sys.stderr)
        return 2
    try:
        wire: Wire
        if options.interface == "socketcand":
            wire = Gateway(options.port)
        else:
            wire = KernelBus(options.interface, options.channel)
        bank = DriveBank(wire, numbers, options.positions, MotorLimits(options.speed, options.acceleration))
    except (BusUnavailable, ImportError) as error:
        said = (
            error if isinstance(error, ArmillaryError) else "emulated drives need canopen; run: pip install 'armillary[canopen]'"
        )
        print(said, file=sys.stderr)
        return 2
    print(wire.port if isinstance(wire, Gateway) else options.channel, flush=True)
    serve_until_ended(bank.serve, wire.close, bank.put_in if options.faults else None)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="armillary emulate cia402", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=6, help="how many drives (default: %(default)s)")
    parser.add_argument("--first", type=int, default=1, help="number of the first; the others follow (default: %(default)s)")
    parser.add_argument("--interface", default="socketcand", choices=("socketcand", "socketcan"), help="(default: %(default)s)")
    parser.add_argument("--channel", default="vcan0", help="of socketcan (default: %(default)s)")
    parser.add_argument("--port", type=int, default=PORT, help="of socketcand; 0 for any (default: %(default)s)")
    parser.add_argument(
        "--positions", type=float, nargs="*", default=[], metavar="COUNTS", help="where the motors stand at first"
    )
    parser.add_argument("--speed", type=float, default=MotorLimits.speed, help="that a motor reaches [counts/s]")
    parser.add_argument("--acceleration", type=float, default=MotorLimits.acceleration, help="of a motor at most [counts/s^2]")
    parser.add_argument("--faults", action="store_true", help=f"take faults from standard input, a line each: {_FAULTS}")
    return parser


def _hex(text: str) -> int | None:
    try:
        return int(text, 16)
    except ValueError:
        return None


if __name__ == "__main__":
    sys.exit(main())
