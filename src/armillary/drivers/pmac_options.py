"""What cell.toml says of a PMAC: where it is, and what of it is ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from armillary.drivers.errors import DriverError
from armillary.protocols.pmac import PORT

__all__ = ["OPTIONS", "PmacOptions", "read_options"]


@dataclass(frozen=True)
class PmacOptions:
    """All that the driver is told.

    Attributes:
        host, port: Of its Ethernet interface.
        system: The coordinate system that is ours, from 1.
        motors: Numbers of the motors, in the order of the actuation model's; empty for 1, 2, 3, ...
        segment: Of a spline's piece [s], in whole milliseconds.
        ahead: Segments that are written ahead.
        lead: Segments of rest at each end of a motion, which give the spline room.
        ramp: In which the time base goes between 0 and 100 % [s], for holds and overrides.
        watchdog: Without a sign of life for so long the PMAC's own PLC program holds [s].
        following_error: That a motor is killed at [rad or m of the joints that it moves].
        variables: The first of the P-variables that are ours.
        plc: Number of the PLC program that is ours.
        answers: An answer must come in this time [s].
    """

    host: str
    port: int
    system: int = 1
    motors: tuple[int, ...] = ()
    segment: float = 0.05
    ahead: int = 20
    lead: int = 1
    ramp: float = 0.2
    watchdog: float = 0.5
    following_error: float = 0.05
    variables: int = 100
    plc: int = 1
    answers: float = 0.5

    @property
    def timer(self) -> int:
        """The I-variable that counts down to when the PLC program holds: the coordinate system's own timer, Isx11."""
        return 5000 + 100 * self.system + 11


OPTIONS = (
    "address", "system", "motors", "segment", "ahead", "lead", "ramp", "watchdog", "following_error", "variables", "plc",
    "answers",
)  # fmt: skip


def read_options(options: Mapping[str, Any]) -> PmacOptions:
    """The options of cell.toml.

    Raises:
        DriverError: One is missing or cannot be; says which and what to write.
    """
    address = options.get("address")
    host, _, port = str(address or "").rpartition(":")
    if not host and isinstance(address, str):
        host, port = port, str(PORT)
    if not isinstance(address, str) or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise DriverError(f'driver.options: address is {address!r}; write where the PMAC is: address = "192.6.94.5:{PORT}"')
    motors = options.get("motors", [])
    if not isinstance(motors, list) or not all(isinstance(each, int) and not isinstance(each, bool) for each in motors):
        raise DriverError(f"driver.options: motors is {motors!r}; write their numbers: motors = [1, 2, 3]")
    segment = _number(options, "segment", 0.05, 0.005, 1.0)
    if abs(1000.0 * segment - round(1000.0 * segment)) > 1e-9:
        raise DriverError(f"driver.options: segment is {segment:g} s; PMAC takes whole milliseconds")
    read = PmacOptions(
        host, int(port), _whole(options, "system", 1, 1, 16), tuple(motors), segment, _whole(options, "ahead", 20, 8, 200),
        _whole(options, "lead", 1, 0, 4), _number(options, "ramp", 0.2, 0.02, 5.0), _number(options, "watchdog", 0.5, 0.1, 5.0),
        _number(options, "following_error", 0.05, 1e-5, 1.0), _whole(options, "variables", 100, 1, 8000),
        _whole(options, "plc", 1, 1, 31), _number(options, "answers", 0.5, 0.05, 5.0),
    )  # fmt: skip
    if read.ahead * segment < 2.0 * read.ramp:
        raise DriverError(
            f"driver.options: {read.ahead} segments of {segment:g} s are written ahead, and a hold needs up to {read.ramp:g} s; "
            f"write ahead = {math.ceil(2.0 * read.ramp / segment)} or more"
        )
    return read


def _whole(options: Mapping[str, Any], name: str, otherwise: int, least: int, most: int) -> int:
    value = options.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise DriverError(f"driver.options: {name} is {value!r}; give a whole number from {least} to {most}")
    return value


def _number(options: Mapping[str, Any], name: str, otherwise: float, least: float, most: float) -> float:
    value = options.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise DriverError(f"driver.options: {name} is {value!r}; give a number from {least:g} to {most:g}")
    return float(value)
