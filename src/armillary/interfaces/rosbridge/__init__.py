"""rosbridge v2: ROS by WebSocket, for clients that have nothing of ROS but JSON."""
