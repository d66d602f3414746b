"""What a cell says and takes in ROS's words, whichever way it is carried."""
