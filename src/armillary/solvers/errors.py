"""What can be wrong with a question put to a solver. That a pose cannot be reached is no error: it is an answer."""

from armillary.errors import ArmillaryError
from armillary.model import UnknownFrame

__all__ = ["BadTarget", "SolverError", "UnknownMethod", "UnmovedFrame"]


class SolverError(ArmillaryError):
    """A solver cannot be asked this."""


class BadTarget(SolverError):
    """A target that is no pose, or a way of holding it that does not exist."""


class UnknownMethod(SolverError):
    """A method that is not installed."""


class UnmovedFrame(UnknownFrame):
    """A frame that no commanded joint moves."""

    def __init__(self, tip: str, base: str) -> None:
        super().__init__(tip, [])
        self.args = (f"no commanded joint moves the frame '{tip}' against {base}; choose another tip, base or group of joints",)
