"""How a drive is set up before it may move: its process data, its heartbeats, its limits."""

from dataclasses import dataclass

from armillary.drivers.cia402_bus import Cia402Bus
from armillary.drivers.cia402_options import Cia402Options
from armillary.drivers.errors import DriverError
from armillary.protocols.cia402 import Mode, Object
from armillary.protocols.cia402_pdo import PDO_IDS, Pdo

__all__ = ["DriveBounds", "pdos_in_use", "set_up", "within"]

_PROFILE = 402
_OFF = 1 << 31  # of a PDO's identifier: it is not used
_ASYNC = 255
_MOST = 2**31 - 1


@dataclass(frozen=True)
class DriveBounds:
    """What one motor may do [counts, counts/s^2].

    Attributes:
        lower, upper: Its range; None where several joints move it, and there is none of its own.
        following: The following error that is a fault. braking: The deceleration of a quick stop.
    """

    lower: int | None
    upper: int | None
    following: int
    braking: int


def set_up(bus: Cia402Bus, node: int, options: Cia402Options, bounds: DriveBounds) -> None:
    """Write all of it into a drive that is pre-operational.

    Raises:
        DriverError: It does not answer, is no drive, or refuses.
    """
    kind = int.from_bytes(bus.read(node, Object.DEVICE_TYPE), "little") & 0xFFFF
    if kind != _PROFILE:
        raise DriverError(
            f"node {node} is no drive: it is a device of profile {kind}, and not of CiA 402; name the drives under nodes"
        )
    period = round(1000.0 * options.sync)
    bus.write(node, Object.CYCLE_PERIOD, 0, 1000 * period, 4, must=False)
    bus.write(node, Object.INTERPOLATION_PERIOD, 1, period, 1)
    bus.write(node, Object.INTERPOLATION_PERIOD, 2, -3, 1)
    bus.write(node, Object.INTERPOLATION_MODE, 0, -1 if options.velocity_offset else 0, 2, must=options.velocity_offset)
    bus.write(node, Object.HEARTBEAT_CONSUMER, 1, options.master << 16 | round(1000.0 * options.watchdog), 4)
    bus.write(node, Object.HEARTBEAT_PRODUCER, 0, round(1000.0 * options.watchdog / 3.0), 2)
    bus.write(node, Object.FOLLOWING_WINDOW, 0, bounds.following, 4)
    bus.write(node, Object.QUICK_STOP_DECELERATION, 0, bounds.braking, 4)
    bus.write(node, Object.QUICK_STOP_OPTION, 0, 6, 2, must=False)  # brake by that ramp, and stay stopped
    if bounds.lower is not None and bounds.upper is not None:
        bus.write(node, Object.POSITION_LIMITS, 1, bounds.lower, 4, must=False)
        bus.write(node, Object.POSITION_LIMITS, 2, bounds.upper, 4, must=False)
    _process_data(bus, node, options)
    bus.write(node, Object.MODE, 0, Mode.CYCLIC_POSITION, 1)


def pdos_in_use(options: Cia402Options) -> dict[str, tuple[Pdo, ...]]:
    """The PDOs of the data sheet that carry what this driver says and hears, each once."""
    eds = options.eds
    found = {
        "receive": [eds.carrier("receive", Object.CONTROL_WORD), eds.carrier("receive", Object.TARGET_POSITION)],
        "transmit": [eds.carrier("transmit", Object.STATUS_WORD), eds.carrier("transmit", Object.POSITION)],
    }
    return {direction: tuple(dict.fromkeys(pdos)) for direction, pdos in found.items()}


def _process_data(bus: Cia402Bus, node: int, options: Cia402Options) -> None:
    used = pdos_in_use(options)
    often = options.reports < options.sync  # SYNC is too seldom to be told by
    for direction, first, mapping in (
        ("receive", Object.RECEIVE_PDO, Object.RECEIVE_MAPPING), ("transmit", Object.TRANSMIT_PDO, Object.TRANSMIT_MAPPING)
    ):  # fmt: skip
        for pdo in options.eds.pdos(direction):
            at, identifier = first + pdo.number - 1, PDO_IDS[direction][pdo.number - 1] + node
            bus.write(node, at, 1, _OFF | identifier, 4)
            if pdo not in used[direction]:
                continue
            # Orders count at once, set-points with SYNC: a stop does not wait for it.
            orders = direction == "receive" and Object.TARGET_POSITION not in pdo.indices
            bus.write(node, at, 2, _ASYNC if orders or (direction == "transmit" and often) else 1, 1)
            if direction == "transmit":
                bus.write(node, at, 5, round(1000.0 * options.reports) if often else 0, 2, must=often)
            _map(bus, node, mapping + pdo.number - 1, pdo)
            bus.write(node, at, 1, identifier, 4)


def _map(bus: Cia402Bus, node: int, at: int, pdo: Pdo) -> None:
    """Map a PDO as the data sheet has it, unless it is so already: many drives refuse to be told what cannot change."""
    count = bus.read(node, at, 0)[0]
    present = tuple(int.from_bytes(bus.read(node, at, sub), "little") for sub in range(1, count + 1))
    if present == pdo.words:
        return
    bus.write(node, at, 0, 0, 1)
    for sub, word in enumerate(pdo.words, start=1):
        bus.write(node, at, sub, word, 4)
    bus.write(node, at, 0, len(pdo.words), 1)


def within(value: float) -> int:
    """A number of counts that an object can hold."""
    return int(min(max(round(value), -_MOST), _MOST))
