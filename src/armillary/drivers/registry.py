"""Motor sides by name: ours, and those that other packages add."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.driver import Driver
from armillary.drivers.errors import DriverError
from armillary.model import Coupling, Model
from armillary.motion import limits_of
from armillary.plugin import Plugins

__all__ = ["DriverRequest", "Factory", "factory_of", "is_hosted", "known_drivers", "make_driver"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DriverRequest:
    """What a driver is made for.

    Attributes:
        model: The robot.
        start: Where it begins, for robots that are not real, shape (n,).
        options: What cell.toml says under [driver.options]; checked by the driver, which alone knows them.
        period: Of a tick [s].
        lock_step: Time is counted in ticks, and `read` waits for the answer.
        patience: The watchdog may be so long [s].
        address: Where a twin listens: host and port.
        clock: The executor's time [s].
        coupling: How motors move joints, where the cell says so ([actuation]).
    """

    model: Model
    start: Array
    options: Mapping[str, Any] = field(default_factory=dict)
    period: float = 0.001
    lock_step: bool = False
    patience: float = 0.02
    address: tuple[str, int] = ("127.0.0.1", 0)
    clock: Callable[[], float] = monotonic
    coupling: Coupling | None = None

    def only(self, *known: str) -> None:
        """Refuse options that are not among those a driver knows."""
        for name in self.options:
            if name not in known:
                has = ", ".join(known) or "none"
                raise DriverError(f"driver.options: '{name}' is not known to this driver; it has: {has}")


Factory = Callable[[DriverRequest], Driver]


def _ideal() -> Factory:
    from armillary.drivers.ideal import IdealDriver

    def make(request: DriverRequest) -> Driver:
        request.only()
        acceleration = limits_of(request.model).acceleration
        watchdog = np.inf if request.lock_step else request.patience
        return IdealDriver(request.start, acceleration, watchdog=watchdog, clock=request.clock)

    return make


def _physics() -> Factory:
    from armillary.drivers.physics import PhysicsDriver

    def make(request: DriverRequest) -> Driver:
        request.only("address")
        model, address = request.model, request.address
        if "address" in request.options:  # a twin that somebody else has started
            address = _address(request.options["address"])
        return PhysicsDriver(address, model.joints, digest=model.digest, lock_step=request.lock_step, watchdog=request.patience)

    return make


def _servo_frame() -> Factory:
    from armillary.drivers.servo_frame import make_servo_frame

    return make_servo_frame


def _pmac() -> Factory:
    from armillary.drivers.pmac import make_pmac

    return make_pmac


def _cia402() -> Factory:
    from armillary.drivers.cia402 import make_cia402

    return make_cia402


def _ros1() -> Factory:
    from armillary.drivers.ros1 import make_ros1

    return make_ros1


def _address(text: object) -> tuple[str, int]:
    host, _, port = str(text).rpartition(":")
    if not host or not port.isdigit():
        raise DriverError(f"driver.options: address {text!r} is none; write host:port")
    return host, int(port)


_DRIVERS: Plugins[Factory] = Plugins(
    "armillary.drivers",
    "driver",
    {"physics": _physics, "ideal": _ideal, "servo_frame": _servo_frame, "pmac": _pmac, "cia402": _cia402, "ros1": _ros1},
    error=DriverError,
)
_IN_EXECUTOR = ("physics", "ideal")  # they never wait; any other has a process of its own


def known_drivers() -> list[str]:
    """Names of the drivers that there are, ours first. Others are entry points of installed packages in `armillary.drivers`: each
    a function of a `DriverRequest` that returns a `Driver`."""
    return _DRIVERS.names


def factory_of(name: str) -> Factory:
    """How a driver is made.

    Raises:
        DriverError: There is none of this name, or it cannot be loaded.
    """
    return _DRIVERS.find(name)


def make_driver(name: str, request: DriverRequest) -> Driver:
    """A driver by its name."""
    return factory_of(name)(request)


def is_hosted(name: str) -> bool:
    """Whether a driver has a process of its own, since it may wait or bring threads."""
    return name not in _IN_EXECUTOR
