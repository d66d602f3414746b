"""Armillary: any robot's description in, a working robot cell out."""

from armillary.errors import ArmillaryError

__all__ = ["ArmillaryError", "__version__"]

__version__ = "0.1.0.dev0"
