"""What cell.toml says of drives on a CAN bus: the bus, the nodes, how often, and how joints become counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.errors import DriverError
from armillary.model import Coupling
from armillary.protocols.cia402 import Object
from armillary.protocols.cia402_pdo import BadEds, Eds, frame_bits, own_eds, read_eds

__all__ = ["OPTIONS", "Cia402Options", "check_room", "coupling_of", "read_options"]

Array = NDArray[np.float64]
_FULL = 0.9  # share of the bus that process data may fill: heartbeats and orders need room too


@dataclass(frozen=True, eq=False)
class Cia402Options:
    """All that the driver is told.

    Attributes:
        interface, channel, bitrate: Of python-can. host, port: Of a socketcand server, where that is the interface.
        nodes: Numbers of the drives, in the order of the actuation model's motors, or of the joints.
        sync: Between two set-points of the drives [s], in whole milliseconds.
        watchdog: Without the master's heartbeat for so long drives brake by themselves; without a drive's word it is lost [s].
        following_error: That a drive fails at [rad or m of the joints that it moves].
        velocity_offset: Set-points carry velocities, and the drives' interpolation uses them.
        rated_torque: Of each motor, as its joint has it [N m or N]; empty where it is not known.
        master: The node number that this driver's own heartbeat has.
        counts, zero: Counts for a rad or m of each joint, and at its zero; empty where the cell's [actuation] holds.
        eds: The drives' data sheet.
    """

    interface: str
    channel: str
    bitrate: int
    host: str
    port: int
    nodes: tuple[int, ...]
    sync: float
    watchdog: float
    following_error: float
    velocity_offset: bool
    rated_torque: tuple[float, ...]
    master: int
    counts: tuple[float, ...]
    zero: tuple[float, ...]
    eds: Eds

    @property
    def bus(self) -> str:
        """Its name, for messages."""
        return f"{self.host}:{self.port}" if self.interface == "socketcand" else self.channel

    @property
    def reports(self) -> float:
        """From one word of a drive about itself to the next [s]: with SYNC, or more often where that is seldom."""
        return min(self.sync, 0.01)


OPTIONS = (
    "interface", "channel", "bitrate", "address", "nodes", "sync", "watchdog", "following_error", "velocity_offset",
    "rated_torque", "master", "counts_per_unit", "zero", "eds",
)  # fmt: skip


def read_options(options: Mapping[str, Any], joints: Sequence[str]) -> Cia402Options:
    """The options of a robot with these joints.

    Raises:
        DriverError: One is missing or cannot be; says which and what to write.
    """
    n = len(joints)
    nodes = options.get("nodes", [*range(1, n + 1)])
    if not isinstance(nodes, list) or not all(_is_whole(each, 1, 126) for each in nodes) or not len({*nodes}) == len(nodes) == n:
        raise DriverError(f"driver.options: nodes is {nodes!r}; write {n} different numbers from 1 to 126, one for each motor")
    interface, channel = _text(options, "interface", "socketcan"), _text(options, "channel", "can0")
    host, port = _address(options, interface)
    sync = _number(options, "sync", 0.01, 0.001, 0.05)
    if abs(1000.0 * sync - round(1000.0 * sync)) > 1e-9:
        raise DriverError(f"driver.options: sync is {sync:g} s; drives take whole milliseconds: write 0.001 to 0.05")
    watchdog = _number(options, "watchdog", max(0.15, 4.0 * sync), 0.03, 5.0)
    if watchdog < 3.0 * sync - 1e-9:
        raise DriverError(f"driver.options: a watchdog of {watchdog:g} s trips between set-points; write {3.0 * sync:g} or more")
    counts, zero = _numbers(options, "counts_per_unit", n), _numbers(options, "zero", n) or (0.0,) * n
    if "zero" in options and not counts:
        raise DriverError("driver.options: zero goes with counts_per_unit; where [actuation] holds, its own zero does")
    if any(each == 0.0 for each in counts):
        raise DriverError("driver.options: counts_per_unit has a 0; a motor without counts moves nothing")
    offset, master = options.get("velocity_offset", False), options.get("master", 127)
    if not isinstance(offset, bool):
        raise DriverError(f"driver.options: velocity_offset is {offset!r}; write true or false")
    if not _is_whole(master, 1, 127) or master in nodes:
        raise DriverError(f"driver.options: master is {master!r}; give a number from 1 to 127 that no drive has")
    read = Cia402Options(
        interface, channel, int(_number(options, "bitrate", 1e6, 1e4, 1e6)), host, port, tuple(nodes), sync, watchdog,
        _number(options, "following_error", 0.05, 1e-6, 10.0), offset, _numbers(options, "rated_torque", n), master, counts,
        zero, _eds(options),
    )  # fmt: skip
    check_room(read)
    return read


def check_room(options: Cia402Options) -> None:
    """See that all set-points and answers fit on the bus between two SYNCs.

    Raises:
        DriverError: They do not, or the data sheet does not carry what is needed; says what would.
    """
    try:
        eds = options.eds
        eds.carrier("receive", Object.CONTROL_WORD)
        eds.carrier("transmit", Object.STATUS_WORD)
        sizes = [eds.carrier("receive", Object.TARGET_POSITION).size, eds.carrier("transmit", Object.POSITION).size]
        if options.velocity_offset:
            eds.carrier("receive", Object.VELOCITY_OFFSET)
    except BadEds as error:
        raise DriverError(f"driver.options: eds: {error}") from None
    bits = frame_bits([0, *sizes * len(options.nodes)])
    least = bits / (_FULL * options.bitrate)
    if least > options.sync:
        raise DriverError(
            f"driver.options: {len(options.nodes)} drives every {1e3 * options.sync:g} ms are {bits} bits each time, and do not "
            f"fit through {options.bitrate} bit/s; write sync = {np.ceil(1e3 * least) / 1e3:g} or more, or raise the bit rate"
        )


def coupling_of(options: Cia402Options, joints: Sequence[str], actuation: Coupling | None) -> tuple[Array, Array]:
    """Counts of each motor for a unit of each joint, shape (n, n), and those at zero, shape (n,).

    Raises:
        DriverError: The cell says nothing of these joints.
    """
    if options.counts:
        return np.diag(options.counts), np.array(options.zero)
    if actuation is None or {*actuation.joints} != {*joints}:
        raise DriverError(
            f"driver 'cia402': cell.toml says nothing of how motors move the joints {', '.join(joints)}; write joints, coupling "
            "and counts_per_deg under [actuation], or counts_per_unit = [...] under [driver.options]"
        )
    order = [actuation.joints.index(joint) for joint in joints]
    return actuation.matrix[:, order].copy(), np.array(actuation.zero)


def _eds(options: Mapping[str, Any]) -> Eds:
    name = _text(options, "eds", "", empty=True)
    if not name:
        return own_eds()
    try:
        return read_eds(Path(name).expanduser().read_text(errors="replace"), name)
    except (OSError, BadEds) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise DriverError(f"driver.options: eds: {name}: {said}; name the drives' EDS file, or leave it out") from None


def _address(options: Mapping[str, Any], interface: str) -> tuple[str, int]:
    if interface != "socketcand":
        if "address" in options:
            raise DriverError(f'driver.options: address is for interface = "socketcand"; this is {interface!r}')
        return "", 0
    host, _, port = str(options.get("address", "")).rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise DriverError('driver.options: where the socketcand server is, is missing; write address = "127.0.0.1:28600"')
    return host, int(port)


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _text(options: Mapping[str, Any], name: str, otherwise: str, *, empty: bool = False) -> str:
    value = options.get(name, otherwise)
    if not isinstance(value, str) or not (value or empty):
        raise DriverError(f"driver.options: {name} is {value!r}; write a text in quotes")
    return value


def _numbers(options: Mapping[str, Any], name: str, n: int) -> tuple[float, ...]:
    values = options.get(name, [])
    good = isinstance(values, list) and all(
        isinstance(v, int | float) and not isinstance(v, bool) and np.isfinite(v) for v in values
    )
    if not good or len(values) not in (0, n):
        raise DriverError(f"driver.options: {name} is {values!r}; write a list of {n} numbers")
    return tuple(float(value) for value in values)


def _number(options: Mapping[str, Any], name: str, otherwise: float, least: float, most: float) -> float:
    value = options.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise DriverError(f"driver.options: {name} is {value!r}; give a number from {least:g} to {most:g}")
    return float(value)
