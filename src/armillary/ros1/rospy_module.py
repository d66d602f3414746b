"""rospy where the system has it: Debian's packages, or a distribution of ROS in /opt/ros."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

from armillary.errors import ArmillaryError

__all__ = ["NoRos1", "import_rospy", "must_have_master"]

_DEBIAN = "/usr/lib/python3/dist-packages"
_MASTER = "http://localhost:11311"


class NoRos1(ArmillaryError):
    """ROS 1 is not there, or its master does not answer."""


def import_rospy() -> Any:
    """The module. What the system's Python has is looked through last: nothing of ours is replaced by it.

    Raises:
        NoRos1: It is not installed.
    """
    places = [_DEBIAN, *(str(each) for each in sorted(Path("/opt/ros").glob("*/lib/python3/dist-packages"), reverse=True))]
    for place in ["", *places]:
        if place and place not in sys.path and Path(place, "rospy").is_dir():
            sys.path.append(place)
        try:
            return importlib.import_module("rospy")
        except ImportError as error:
            why = str(error)
    raise NoRos1(f"rospy cannot be imported ({why}); install ROS 1: sudo apt-get install python3-rospy ros-core (make peers)")


def must_have_master() -> str:
    """Where ROS's master is.

    Raises:
        NoRos1: None answers.
    """
    rosgraph = importlib.import_module("rosgraph")
    address = os.environ.get("ROS_MASTER_URI", _MASTER)
    if not rosgraph.is_master_online():
        raise NoRos1(f"no ROS master answers at {address}; start one (roscore), or set ROS_MASTER_URI")
    return address
