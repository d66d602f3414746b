"""What cell.toml says of servo boards: the port, the frame, and how each joint's angle becomes its servo's."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.errors import DriverError
from armillary.protocols.servo_frame import BadServoFrame, FrameLayout

__all__ = ["OPTIONS", "ServoFrameOptions", "ServoOption", "check_servos", "read_options"]

Array = NDArray[np.float64]
_BITS = 10  # on the wire for each byte: start, eight, stop
_RATE, _FILLS = 200.0, 0.8  # frames each second where nothing is said, if no more of the wire than this share is full then


@dataclass(frozen=True)
class ServoOption:
    """One joint's servo.

    Attributes:
        offset: Its angle where the joint is at zero [degree].
        direction: 1, or -1 where it turns the other way.
        ratio: Degrees of the servo for one of the joint.
        lower, upper: Its range [degree]; what is outside is never sent.
        speed: With which the boards turn it [degree/s].
    """

    offset: float = 90.0
    direction: float = 1.0
    ratio: float = 1.0
    lower: float = 0.0
    upper: float = 180.0
    speed: float = 300.0


@dataclass(frozen=True, eq=False)
class ServoFrameOptions:
    """All that the driver is told.

    Attributes:
        port: The serial port. baud: Its speed [bit/s].
        layout: Of the frame.
        slots: For each position in the frame the number of its joint in q, or -1 for a servo that is not ours.
        rate: Frames each second.
        watchdog: Without a frame for so long the boards hold [s]: what their firmware was built with.
        boot: What the master board takes to start when its port is opened [s].
        rest: What is sent for servos that are not ours [degree].
        servos: In the order of q.
    """

    port: str
    baud: int
    layout: FrameLayout
    slots: tuple[int, ...]
    rate: float
    watchdog: float
    boot: float
    rest: float
    servos: tuple[ServoOption, ...]

    @property
    def scale(self) -> Array:
        """Degrees of each servo for a radian of its joint, shape (n,); the sign is the direction."""
        return np.array([math.degrees(servo.direction * servo.ratio) for servo in self.servos])

    @property
    def wire_time(self) -> float:
        """That a frame takes on the wire [s]."""
        return _BITS * self.layout.size / self.baud

    def of(self, name: str) -> Array:
        """One number of each servo, shape (n,)."""
        return np.array([getattr(servo, name) for servo in self.servos])


OPTIONS = ("port", "baud", "fine", "joints", "rate", "watchdog", "boot", "rest", "servos")
_SERVO = tuple(each.name for each in fields(ServoOption))


def read_options(options: Mapping[str, Any], joints: Sequence[str]) -> ServoFrameOptions:
    """The options of a robot with these joints.

    Raises:
        DriverError: One is missing or cannot be; says which and what to write.
    """
    port = options.get("port")
    if not isinstance(port, str) or not port:
        raise DriverError('driver.options: the servo boards\' serial port is missing; write, for example, port = "/dev/ttyACM0"')
    order = options.get("joints", list(joints))
    slots = _slots(order, joints)
    fine = options.get("fine", False)
    if not isinstance(fine, bool):
        raise DriverError(f"driver.options: fine is {fine!r}; write true or false")
    try:
        layout = FrameLayout(len(slots), 2 if fine else 1)
    except BadServoFrame as error:
        raise DriverError(f"driver.options: joints: {error}") from None
    baud = int(_number(options, "baud", 115_200.0, 300.0, 4_000_000.0))
    most = baud / (_BITS * layout.size)
    rate = _number(options, "rate", min(_RATE, max(_FILLS * most, 1.0)), 1.0, 500.0)
    if rate > most:
        raise DriverError(
            f"driver.options: {rate:g} frames of {layout.size} bytes a second do not fit through {baud} baud; "
            f"{most:.0f} do: lower rate, or raise baud on both ends"
        )
    watchdog = _number(options, "watchdog", 0.2, 0.02, 5.0)
    if watchdog < 2.0 / rate:
        raise DriverError(f"driver.options: a watchdog of {watchdog:g} s trips between frames; write {2.0 / rate:g} or more")
    return ServoFrameOptions(
        port, baud, layout, slots, rate, watchdog, _number(options, "boot", 2.0, 0.0, 4.0),
        _number(options, "rest", 90.0, 0.0, 180.0), _servos(options.get("servos", {}), joints, layout),
    )  # fmt: skip


def check_servos(options: ServoFrameOptions, joints: Sequence[str], lower: Array, upper: Array, velocity: Array) -> None:
    """That the servos can do all that the joints may; otherwise a proven motion would fail on its way.

    Args:
        lower, upper, velocity: Of the joints, shape (n,) [rad, rad/s].

    Raises:
        DriverError: One cannot; says which and what would do.
    """
    half = 0.5 * options.layout.step
    for k, (joint, servo) in enumerate(zip(joints, options.servos)):
        scale = float(options.scale[k])
        low, high = sorted((servo.offset + scale * float(lower[k]), servo.offset + scale * float(upper[k])))
        if not servo.lower - half <= low <= high <= servo.upper + half:
            would_do = servo.offset + 0.5 * (servo.lower + servo.upper) - 0.5 * (low + high)
            fits = high - low <= servo.upper - servo.lower + 2.0 * half
            remedy = f"offset = {would_do:.1f} would do" if fits else "narrow the joint's limits in cell.toml, or give a ratio"
            raise DriverError(
                f"driver.options.servos.{joint}: the joint may go where its servo would be at {low:.1f} to {high:.1f} degrees, "
                f"and that does {servo.lower:g} to {servo.upper:g}; {remedy}"
            )
        if not abs(scale) * velocity[k] <= servo.speed * 1.001:
            raise DriverError(
                f"driver.options.servos.{joint}: the joint may turn its servo at {abs(scale) * velocity[k]:.0f} degrees/s, "
                f"and that does {servo.speed:g}; narrow the joint's velocity in cell.toml, or give the servo's speed"
            )


def _slots(order: object, joints: Sequence[str]) -> tuple[int, ...]:
    if not isinstance(order, list) or not all(isinstance(name, str) for name in order):
        raise DriverError('driver.options: joints is no list of names; "" stands for a servo that is not this robot\'s')
    named = [name for name in order if name]
    for name in named:
        if name not in joints:
            raise DriverError(f"driver.options: joints: '{name}' is no joint of this robot; it has: {', '.join(joints)}")
        if named.count(name) > 1:
            raise DriverError(f"driver.options: joints: '{name}' is there twice")
    for name in joints:
        if name not in named:
            raise DriverError(f"driver.options: joints: '{name}' has no place in the frame; add it, or move a group without it")
    return tuple(joints.index(name) if name else -1 for name in order)


def _servos(given: object, joints: Sequence[str], layout: FrameLayout) -> tuple[ServoOption, ...]:
    if not isinstance(given, Mapping):
        raise DriverError("driver.options: servos is no table; write [driver.options.servos.NAME]")
    for name in given:
        if name not in joints:
            raise DriverError(f"driver.options: servos: '{name}' is no joint of this robot; it has: {', '.join(joints)}")
    return tuple(_servo(name, given.get(name, {}), layout) for name in joints)


def _servo(joint: str, given: object, layout: FrameLayout) -> ServoOption:
    where = f"driver.options.servos.{joint}"
    if not isinstance(given, Mapping):
        raise DriverError(f"{where} is no table")
    for name in given:
        if name not in _SERVO:
            raise DriverError(f"{where}: '{name}' is not known; there are: {', '.join(_SERVO)}")
    most = layout.most * layout.step
    servo = ServoOption(
        _number(given, "offset", 90.0, -720.0, 720.0, where), _number(given, "direction", 1.0, -1.0, 1.0, where),
        _number(given, "ratio", 1.0, 0.01, 100.0, where), _number(given, "lower", 0.0, 0.0, most, where),
        _number(given, "upper", 180.0, 0.0, most, where), _number(given, "speed", 300.0, 1.0, 5000.0, where),
    )  # fmt: skip
    if abs(servo.direction) != 1.0:
        raise DriverError(f"{where}: direction is {servo.direction:g}; it is 1 or -1")
    if servo.lower >= servo.upper:
        raise DriverError(f"{where}: lower {servo.lower:g} is not below upper {servo.upper:g}")
    return servo


def _number(options: Mapping[str, Any], name: str, otherwise: float, least: float, most: float, where: str = "") -> float:
    value = options.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise DriverError(f"{where or 'driver.options'}: {name} is {value!r}; give a number from {least:g} to {most:g}")
    return float(value)
