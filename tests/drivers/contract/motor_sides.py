"""The motor sides that the contract and the papers' programs are tried on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.drivers.contract.cia402_side import Cia402
from tests.drivers.contract.motor_side import MotorSide, Moved
from tests.drivers.contract.pmac_side import Pmac
from tests.drivers.contract.ros1_side import Ros1
from tests.drivers.contract.servo_frame_side import ServoFrame

__all__ = ["EVERY_SIDE", "MOTOR_SIDES", "started"]

MOTOR_SIDES: dict[str, type[MotorSide]] = {kind.name: kind for kind in (Cia402, Pmac, Ros1, ServoFrame)}
# rospy leaves sockets to the garbage collector.
_LEAKS = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
EVERY_SIDE = [pytest.param(name, marks=_LEAKS if name == Ros1.name else ()) for name in MOTOR_SIDES]


@contextmanager
def started(name: str, folder: Path, moved: Moved | None = None) -> Iterator[MotorSide]:
    """A motor side that is up, and ended afterwards."""
    side = MOTOR_SIDES[name](folder, moved)
    side.start()
    try:
        yield side
    finally:
        side.close()
