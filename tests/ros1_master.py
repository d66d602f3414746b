"""ROS 1 as the system has it, for tests: one master for all of a test process, and programs run by the system's Python."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

__all__ = ["SYSTEM_PYTHON", "messages_folder", "must_have_ros1", "ros1_environment"]

SYSTEM_PYTHON = "/usr/bin/python3"


def must_have_ros1(*programs: str) -> None:
    """Skips the test where ROS 1 is not installed."""
    there = Path("/usr/lib/python3/dist-packages/rospy").is_dir() and shutil.which("roscore") is not None
    if not there or any(shutil.which(program) is None for program in programs):
        pytest.skip("ROS 1 is not installed (make peers)")


@cache
def ros1_environment() -> dict[str, str]:
    """The environment of everything that is to meet at this process's master, which is started by the first call."""
    must_have_ros1()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(tempfile.mkdtemp(prefix="ros1_"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    # What this process itself imports of ROS looks here too.
    os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1", ROS_HOME=str(home), XDG_CACHE_HOME=str(home))
    master = subprocess.Popen(
        ["roscore", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ.copy()
    )
    atexit.register(_end, master)
    deadline = time.monotonic() + 30.0
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            break
        except OSError:
            assert time.monotonic() < deadline and master.poll() is None, "roscore does not start"
            time.sleep(0.05)
    return {**os.environ, "PYTHONPATH": str(messages_folder())}


def _end(roscore: "subprocess.Popen[bytes]") -> None:
    """It ends what it has started: its master and rosout."""
    roscore.terminate()
    try:
        roscore.wait(20.0)
    except subprocess.TimeoutExpired:
        roscore.kill()


@cache
def messages_folder() -> Path:
    """The messages that this ROS lacks, for the system's Python."""
    from armillary.ros1 import MessagePackages, import_rospy

    import_rospy()
    return MessagePackages().folder
