"""The physics twin: the same robot, in MuJoCo, in a process of its own."""
