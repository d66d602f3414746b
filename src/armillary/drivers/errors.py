"""What can go wrong on the way to the motors."""

from armillary.errors import ArmillaryError

__all__ = ["DriverError", "WrongOrder"]


class DriverError(ArmillaryError):
    """A motor side that cannot be reached, or does not do what it was told."""


class WrongOrder(DriverError):
    """A driver was asked for something that its lifecycle does not allow now."""
