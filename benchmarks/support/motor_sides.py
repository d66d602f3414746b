"""Drivers with the emulators behind them: each emulator in a process of its own, in which is noted what comes and what moves."""

import argparse
import multiprocessing
import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description import open_cell
from armillary.drivers import Driver
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.errors import ArmillaryError
from armillary.model import Coupling, Model, coupling_from, load_model
from armillary.runtime.realtime import take_priority

Array = NDArray[np.float64]
PATIENCE = 0.2  # s: how late a tick may be; the machine is shared, and nothing real moves
HOME = np.array([0.0, -0.349066, 0.174533, 0.0, -1.396263, 0.0])  # of industrial6
_STARTS = 60.0  # s in which an emulator must be up


class Notes:
    """What happens at the motor side, written down there.

    Attributes:
        taken: Set-points that came since it was started; by drive, where each gets its own.
        played: Those that were begun to be played, where there is a buffer.
        fewest: Set-points in the buffer when the next came, at least, without a motion's first.
    """

    def __init__(self) -> None:
        self.taken: dict[int, int] = {}
        self.played, self.fewest = 0, 10**9
        self._times: deque[float] = deque(maxlen=300_000)
        self._track: deque[tuple[float, Array]] = deque(maxlen=300_000)

    def took(self, drive: int = 0, count: int = 1, *, counts_now: bool = True) -> None:
        self.taken[drive] = self.taken.get(drive, 0) + count
        if counts_now:
            self.beat(count)

    def beat(self, count: int = 1) -> None:
        """From now on what came counts."""
        self._times.extend([time.monotonic()] * count)

    def stands_at(self, places: Array) -> None:
        now = time.monotonic()
        if not self._track or (now - self._track[-1][0] >= 0.0009 and (places != self._track[-1][1]).any()):
            self._track.append((now, places))

    def told(self) -> dict[str, Any]:
        """All of it, for the benchmark; times and places are forgotten."""
        track, times = list(self._track), np.array(self._times)
        self._times.clear()
        self._track.clear()
        return {
            "taken": dict(self.taken), "played": self.played, "fewest": self.fewest, "times": times,
            "moments": np.array([moment for moment, _ in track]), "places": np.array([places for _, places in track]),
        }  # fmt: skip


class MotorSide(ABC):
    """A driver and the emulator behind it. `emulated` runs in the emulator's process, all else in the benchmark's.

    Attributes:
        name: Of the driver. robot, group: What it moves. model, home: Likewise.
        interval: From one set-point to the next [s].
        what: A set-point's name here.
        asked, moved: How far a plan goes before the motors must move at all, and how far they are then noticed [rad].
        measures: Whether its feedback is measured. buffered: Whether set-points are written ahead, and played by its own clock.
        pause: Between two set-points of a burst, so that threads of the driver get their turn [s].
    """

    name: str
    robot, group = "industrial6", ""
    interval: float
    what = "set-points"
    asked = moved = 1e-3
    measures, buffered = True, False
    pause = 0.0002

    def __init__(self) -> None:
        self.model: Model = load_model(self.robot, group=self.group or None)
        self.home: Array = HOME

    @abstractmethod
    def emulated(self, notes: Notes) -> tuple[str, Callable[[], None]]:
        """Its address, and one turn of its loop."""

    @abstractmethod
    def options(self, address: str) -> dict[str, Any]:
        """For the driver, as cell.toml has them."""

    @abstractmethod
    def sent(self, driver: Driver) -> int:
        """Set-points that the driver counts since it was opened."""

    def joints(self, places: Array) -> Array:
        """Joint positions of motor positions, shape (k, n) [rad]."""
        return places

    def goal(self, rng: np.random.Generator) -> Array:
        """Somewhere to go."""
        return self.home + rng.uniform(-0.5, 0.5, len(self.home))

    def driver(self, address: str, **others: Any) -> Driver:
        given = {**self.options(address), **others}
        return make_driver(self.name, DriverRequest(self.model, self.home, given, coupling=coupling_of_industrial6()))

    def faster(self) -> dict[str, Any]:
        """Options that let it take the most."""
        return {}


@cache
def coupling_of_industrial6() -> Coupling:
    actuation = open_cell("industrial6").cell.actuation
    assert actuation is not None
    return coupling_from(actuation)


class Twin(MotorSide):
    """The physics twin."""

    name, interval, pause = "physics", 0.001, 0.0

    def emulated(self, notes: Notes) -> tuple[str, Callable[[], None]]:
        from armillary.twin import Physics, TwinSettings
        from armillary.twin.server import Server

        physics: Any = Physics(self.model, TwinSettings(watchdog=PATIENCE, contacts=False), self.home)
        physics.advance(20)
        follow = physics.follow

        def noted(command: Any) -> None:
            notes.took()
            notes.stands_at(physics.q.copy())  # where it is now; what the command does is worked out ahead
            follow(command)

        physics.follow = noted
        server = Server(physics)
        return f"127.0.0.1:{server.port}", server.serve

    def options(self, address: str) -> dict[str, Any]:
        return {"address": address}

    def sent(self, driver: Any) -> int:
        return int(driver._number)


class Pmac(MotorSide):
    """The PMAC: segments of its spline, in its rotary buffer."""

    name, interval, what, buffered = "pmac", 0.05, "segments", True

    def emulated(self, notes: Notes) -> tuple[str, Callable[[], None]]:
        from armillary.emulators.pmac import Machine, Server
        from armillary.emulators.pmac.rotary import RotaryBuffer
        from armillary.emulators.pmac.statement import Kind

        class Noted(RotaryBuffer):
            def add(self, line: Any) -> None:
                waiting = len(self)
                super().add(line)
                if moves(line):
                    notes.took()
                    self.added = getattr(self, "added", 0) + 1
                    if self.added > 30:
                        notes.fewest = min(notes.fewest, waiting)

            def next(self) -> Any:
                line = super().next()
                notes.played += line is not None and moves(line)
                return line

            def clear(self) -> None:
                super().clear()
                self.added = 0

        def moves(line: Any) -> bool:
            return any(statement.kind == Kind.MOVE for statement in line.statements)

        import armillary.emulators.pmac.machine as module

        vars(module)["RotaryBuffer"] = Noted
        machine = Machine(6, positions=[*coupling_of_industrial6().to_motors(self.home)])
        server = Server(machine, port=0)

        def turn() -> None:
            server.serve(0.001)
            notes.stands_at(np.array([motor.position for motor in machine.motors.values()]))

        return f"127.0.0.1:{server.port}", turn

    def options(self, address: str) -> dict[str, Any]:
        return {"address": address, "answers": 2.0, "watchdog": 2.0}

    def sent(self, driver: Any) -> int:
        return int(driver.lines)

    def joints(self, places: Array) -> Array:
        coupling = coupling_of_industrial6()
        return np.array([coupling.to_joints(counts) for counts in places])

    def faster(self) -> dict[str, Any]:
        return {"ahead": 200}


class Cia402(MotorSide):
    """Drives on CAN: set-points that count with SYNC."""

    name, interval = "cia402", 0.01

    def emulated(self, notes: Notes) -> tuple[str, Callable[[], None]]:
        from armillary.emulators.cia402 import DriveBank
        from armillary.emulators.cia402_drive import MotorLimits
        from armillary.emulators.cia402_gateway import Gateway
        from armillary.protocols.cia402_pdo import PDO_IDS, SYNC

        wire = Gateway(0)
        bank = DriveBank(wire, range(1, 7), [*coupling_of_industrial6().to_motors(self.home)], MotorLimits())
        for node in bank.nodes:
            bank.bus.network.subscribe(PDO_IDS["receive"][1] + node, lambda *_, node=node: notes.took(node, counts_now=False))
        bank.bus.network.subscribe(SYNC, lambda *_: notes.beat())

        def turn() -> None:
            bank.serve()
            notes.stands_at(np.array([node.drive.position for node in bank.nodes.values()]))

        return f"127.0.0.1:{wire.port}", turn

    def options(self, address: str) -> dict[str, Any]:
        # A pause of this computer is a step for the drives: what is measured here is not whether they bear that.
        return {"interface": "socketcand", "address": address, "watchdog": 2.0, "following_error": 0.5}

    def sent(self, driver: Any) -> int:
        return int(driver.sent)

    joints = Pmac.joints

    def faster(self) -> dict[str, Any]:
        return {"sync": 0.002}  # as many as fit through 1 Mbit/s


class ServoFrame(MotorSide):
    """Paper 1's frame and boards, in whole degrees; where the horns are only the boards know."""

    name, robot, group, interval, what = "servo_frame", "inmoov", "controlled", 0.02, "frames"
    measures = False
    asked, moved = float(np.deg2rad(0.5)), float(np.deg2rad(0.25))  # half a count is rounded up, and then all of it is gone

    def __init__(self) -> None:
        super().__init__()
        model = self.model
        self._ratios = np.array([0.9 if joint == "head_pan_joint" else 1.0 for joint in model.joints])
        self._offsets = 90.0 - self._ratios * np.degrees(0.5 * (model.lower + model.upper))
        self.home = self._whole(np.clip(np.zeros(model.n), model.lower + 0.2, model.upper - 0.2))

    def _whole(self, q: Array) -> Array:
        """Where the servos are at whole degrees: so the first half degree from there is what is rounded."""
        servos = np.round(self._ratios * np.degrees(q) + self._offsets)
        found: Array = np.radians((servos - self._offsets) / self._ratios)
        return found

    def emulated(self, notes: Notes) -> tuple[str, Callable[[], None]]:
        from armillary.emulators.servo_boards import ServoBoards

        boards = ServoBoards(argparse.Namespace(
            joints=self.model.n, fine=False, speed=300.0, dead_band=0.5, start=90.0, nanos_only=False, lower=0.0, upper=180.0,
            silence=0.2, deaf=[], bus=None, port=None, status=None,
        ))  # fmt: skip
        assert boards.mega is not None and boards.port is not None
        counts = boards.mega.gate.counts

        def turn() -> None:
            before = counts.taken
            boards.look()
            if counts.taken > before:
                notes.took(count=counts.taken - before)
            notes.stands_at(np.array([servo.angle for nano in boards.nanos.boards.values() for servo in nano.servos]))

        return boards.port.path, turn

    def options(self, address: str) -> dict[str, Any]:
        servos = {
            joint: {"offset": float(offset), "ratio": float(ratio)}
            for joint, offset, ratio in zip(self.model.joints, self._offsets, self._ratios, strict=True)
        }
        return {"port": address, "servos": servos, "boot": 0.1}

    def sent(self, driver: Any) -> int:
        return int(driver.sent)

    def joints(self, places: Array) -> Array:
        found: Array = np.radians((places[:, : self.model.n] - self._offsets) / self._ratios)
        return found

    def goal(self, rng: np.random.Generator) -> Array:
        away = 0.5 * (self.home + self.model.upper - 0.1)
        return self._whole(self.home + rng.uniform(0.2, 1.0, self.model.n) * (away - self.home))

    def faster(self) -> dict[str, Any]:
        return {"rate": 500.0, "baud": 4_000_000}


SIDES: tuple[type[MotorSide], ...] = (Twin, Pmac, Cia402, ServoFrame)


def run_emulator(kind: type[MotorSide], wire: Connection) -> None:
    """The emulator's process, until the benchmark lets go of it."""
    notes = Notes()
    try:
        address, turn = kind().emulated(notes)
    except (ArmillaryError, ImportError) as error:
        wire.send(error if isinstance(error, ArmillaryError) else ArmillaryError(str(error)))
        return
    wire.send(address)
    take_priority(priority=60, core=sorted(os.sched_getaffinity(0))[0])  # the real one has a processor of its own
    while True:
        turn()
        if wire.poll(0):
            try:
                wire.recv()
            except EOFError:
                return
            wire.send(notes.told())


class Emulator:
    """An emulator in a process of its own.

    Attributes:
        address: Where it is reached.
    """

    def __init__(self, side: MotorSide) -> None:
        context = multiprocessing.get_context("spawn")
        self._wire, other = context.Pipe()
        self._process = context.Process(target=run_emulator, args=(type(side), other), daemon=True)
        self._process.start()
        other.close()
        if not self._wire.poll(_STARTS):
            raise SystemExit(f"the emulator of {side.name} does not start")
        said = self._wire.recv()
        if isinstance(said, ArmillaryError):
            raise said
        self.address: str = said

    def told(self) -> dict[str, Any]:
        self._wire.send("tell")
        found: dict[str, Any] = self._wire.recv()
        return found

    def close(self) -> None:
        self._wire.close()
        self._process.join(5.0)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(5.0)

    def __enter__(self) -> "Emulator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
