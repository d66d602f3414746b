"""A running cell in ROS 2, by DDS alone (cyclonedds): no ROS 2 is needed here."""
