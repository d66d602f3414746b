"""ROS 1 by its own rospy, where it is installed: found, the messages that it lacks made, and messages to and fro."""

from armillary.ros1.message_conversion import message_from, message_to
from armillary.ros1.message_packages import MessagePackages
from armillary.ros1.rospy_module import NoRos1, import_rospy, must_have_master, stay_on_this_machine

__all__ = [
    "MessagePackages", "NoRos1", "import_rospy", "message_from", "message_to", "must_have_master", "stay_on_this_machine",
]  # fmt: skip
