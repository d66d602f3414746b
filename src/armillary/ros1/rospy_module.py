"""rospy where the system has it: Debian's packages, or a distribution of ROS in /opt/ros."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from armillary.errors import ArmillaryError

__all__ = ["NoRos1", "import_rospy", "must_have_master", "stay_on_this_machine"]

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


def stay_on_this_machine() -> bool:
    """Have this process's node listen to this machine alone, where its master is here and nobody has said otherwise; whether.

    By itself rospy listens to every interface, and ROS 1 asks nobody for a name. For a node that is not initialised yet.
    """
    host = urlsplit(os.environ.get("ROS_MASTER_URI") or _MASTER).hostname or ""
    here = host in ("localhost", "::1") or host.startswith("127.")
    if not here or os.environ.get("ROS_IP") or os.environ.get("ROS_HOSTNAME"):
        return False
    os.environ["ROS_IP"] = "127.0.0.1"
    return True


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
