"""A running cell as a node of ROS 1, by rospy."""
