"""The wires to motors: one contract, and what keeps it."""

from armillary.drivers.driver import BufferedDriver, Capabilities, Command, Driver, Feedback, Lifecycle, Stage
from armillary.drivers.errors import DriverError, WrongOrder
from armillary.drivers.ideal import IdealDriver

__all__ = [
    "BufferedDriver",
    "Capabilities",
    "Command",
    "Driver",
    "DriverError",
    "Feedback",
    "IdealDriver",
    "Lifecycle",
    "Stage",
    "WrongOrder",
]
