"""The servo boards of paper 1's humanoid: a Mega that takes servo frames, and four Nanos of six servos behind it on Modbus RTU.

    armillary emulate servo_boards --port /tmp/servo-frame --status /tmp/servo-boards.json

Both wires are pseudo-terminals. As the real ones, the boards say nothing back to who sends frames; what they did is in the status
file.
"""

import argparse
import json
import os
import select
import signal
import sys
import time
import tty
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from armillary.emulators.servo_boards_mega import MegaBoard
from armillary.emulators.servo_boards_nano import NanoBoard, NanoBus, Servo
from armillary.errors import ArmillaryError
from armillary.protocols.servo_frame import FrameLayout

__all__ = ["ServoBoards", "Terminal", "main"]

_LOOK = 0.005  # s between looks while nothing comes
_TELL = 0.05  # s between writings of the status
_CHUNK = 4096


class Terminal:
    """A pseudo-terminal that others open by its path, which may have a name of its own.

    Attributes:
        descriptor: Of our end. path: Of theirs.
        open: Whether somebody had it open when it was last read.
    """

    def __init__(self, link: Path | None = None) -> None:
        """Raises:
        ArmillaryError: The link cannot be made.
        """
        self.descriptor, other = os.openpty()
        tty.setraw(other)
        os.set_blocking(self.descriptor, False)
        self.path, self._link, self.open = os.ttyname(other), link, False
        os.close(other)  # so that we hear when whoever opened it is gone
        if link is not None:
            try:
                if link.is_symlink():
                    link.unlink()
                link.symlink_to(self.path)
            except OSError as error:
                os.close(self.descriptor)
                raise ArmillaryError(f"{link}: the port cannot get this name: {error.strerror}; give another") from None

    def read(self) -> bytes:
        """What has come."""
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            self.open = True
            return b""
        except OSError:  # nobody has it open
            self.open = False
            return b""
        self.open = True
        return data

    def write(self, data: bytes) -> None:
        """Send; what nobody takes is lost, as on a wire."""
        try:
            os.write(self.descriptor, data)
        except OSError:
            pass

    def close(self) -> None:
        os.close(self.descriptor)
        if self._link is not None and self._link.is_symlink() and os.readlink(self._link) == self.path:
            self._link.unlink()


class ServoBoards:
    """The boards on their wires.

    Attributes:
        mega, nanos: What they are made of. mega is None where the bus is left to others.
        port, bus: The wire of the frames, and that between the boards.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        layout = FrameLayout(options.joints, 2 if options.fine else 1)

        def servo() -> Servo:
            return Servo(options.speed, options.dead_band, options.start)

        self.mega = None if options.nanos_only else MegaBoard(layout, lower=options.lower, upper=options.upper)
        addresses = range(1, -(-layout.joints // 6) + 1) if self.mega is None else self.mega.addresses
        boards = {address: NanoBoard(servo, silence=options.silence) for address in addresses}
        self.nanos = NanoBus(boards, deaf=frozenset(options.deaf))
        self.bus = Terminal(options.bus)
        self.port = None if self.mega is None else Terminal(options.port)
        self._joints, self._status, self._told, self._resets = layout.joints, options.status, 0.0, 0
        self._master = -1 if self.mega is None else os.open(self.bus.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        if self._master >= 0:
            tty.setraw(self._master)

    def look(self) -> None:
        """Wait a little for what comes, and do what is to be done."""
        descriptors = [self.bus.descriptor] + ([] if self.mega is None or self.port is None else [self._master])
        if self.port is not None and self.port.open:
            descriptors.append(self.port.descriptor)
        came, _, _ = select.select(descriptors, [], [], _LOOK)
        if self.bus.descriptor in came and not self.bus.open:
            time.sleep(_LOOK)  # it is closed at the other end, which is always "something came"
        now = time.monotonic()
        if data := self.bus.read():
            self.bus.write(self.nanos.feed(data, now))
        if self.mega is not None and self.port is not None:
            self._master_turn(self.mega, self.port, now)
        self.nanos.advance(now)
        if self._status is not None and now - self._told > _TELL:
            self._told = now
            self._tell(self._status)

    def _master_turn(self, mega: MegaBoard, port: Terminal, now: float) -> None:
        was_open = port.open
        data = port.read()
        if port.open and not was_open:
            mega.reset()
            self._resets += 1
        mega.feed(data, now)
        try:
            mega.hear(os.read(self._master, _CHUNK))
        except BlockingIOError:
            pass
        if request := mega.request(now):
            os.write(self._master, request)

    def status(self) -> dict[str, Any]:
        """What the boards did and where their servos are, in the order of the frame [degree]."""
        servos = [servo for board in self.nanos.boards.values() for servo in board.servos][: self._joints]
        told: dict[str, Any] = {
            "goals": [round(servo.goal, 3) for servo in servos],
            "outputs": [round(servo.output, 3) for servo in servos],
            "angles": [round(servo.angle, 3) for servo in servos],
            "held": [board.held for board in self.nanos.boards.values()],
            "writes": {address: board.writes for address, board in self.nanos.boards.items()},
        }
        if self.mega is not None and self.port is not None:
            told["bytes"] = asdict(self.mega.decoder.counts)
            told["frames"] = asdict(self.mega.gate.counts)
            told["answered"], told["unanswered"], told["refused"] = self.mega.answered, self.mega.unanswered, self.mega.refused
            told["open"], told["resets"] = self.port.open, self._resets
        return told

    def _tell(self, path: Path) -> None:
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(self.status()))
        os.replace(part, path)

    def close(self) -> None:
        for terminal in (self.bus, self.port):
            if terminal is not None:
                terminal.close()
        if self._master >= 0:
            os.close(self._master)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="armillary emulate servo_boards", description="the Mega and its Nanos, on pseudo-terminals"
    )
    parser.add_argument("--port", type=Path, help="a name for the port that takes frames")
    parser.add_argument("--bus", type=Path, help="a name for the Modbus wire between the boards")
    parser.add_argument("--nanos-only", action="store_true", help="no Mega: another master may open the bus")
    parser.add_argument("--joints", type=int, default=22, help="positions in a frame (22)")
    parser.add_argument("--fine", action="store_true", help="positions of two bytes, in hundredths of a degree")
    parser.add_argument("--silence", type=float, default=0.2, help="without a frame for so long the servos hold [s] (0.2)")
    parser.add_argument("--speed", type=float, default=300.0, help="of a servo [degree/s] (300)")
    parser.add_argument("--dead-band", type=float, default=0.5, help="of a servo [degree] (0.5)")
    parser.add_argument("--start", type=float, default=90.0, help="where the servos are at first [degree] (90)")
    parser.add_argument("--lower", type=float, default=0.0, help="the least angle that is followed [degree] (0)")
    parser.add_argument("--upper", type=float, default=180.0, help="the greatest angle that is followed [degree] (180)")
    parser.add_argument("--deaf", type=int, action="append", default=[], help="a Nano that does not answer (1 to 4), for tests")
    parser.add_argument("--status", type=Path, help="a file that says what the boards do, twenty times a second")
    parser.add_argument("--with-parent", action="store_true", help="end when whoever started it ends")
    return parser


def _leave(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the boards until they are told to end (SIGTERM, SIGINT)."""
    options = _parser().parse_args(arguments)
    parent = os.getppid()
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, _leave)
    try:
        boards = ServoBoards(options)
    except ArmillaryError as error:
        print(f"servo boards: {error}", file=sys.stderr)
        return 2
    try:
        ports = {"bus": boards.bus.path} if boards.port is None else {"port": boards.port.path, "bus": boards.bus.path}
        print(json.dumps(ports), flush=True)
        while not options.with_parent or os.getppid() == parent:
            boards.look()
    finally:
        boards.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
