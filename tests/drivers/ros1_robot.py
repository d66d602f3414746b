"""A robot that only speaks ROS 1, as the system's rospy has it: takes short trajectories, says where its joints are.

As ros_control's joint_trajectory_controller does: each trajectory takes the place of the one before, from where the joints are,
and its last point is held. Or as its position controllers: plain numbers in the order of the joints, each held until the next.
Run as: python3 ros1_robot.py NAMESPACE trajectory|positions NAME=POSITION...
A line on standard input asks where it is.
"""

import select
import sys

import rospy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

RATE = 200


class Robot:
    def __init__(self, space, kind, names, q):
        self.names, self.q, self.v = names, q, [0.0] * len(q)
        self.goal, self.until, self.said = list(q), 0.0, 0
        self.states = rospy.Publisher(space + "/joint_states", JointState, queue_size=1)
        command = space + "/joint_trajectory_controller/command"
        of, take = (JointTrajectory, self.take) if kind == "trajectory" else (Float64MultiArray, self.take_positions)
        rospy.Subscriber(command, of, take, queue_size=1, tcp_nodelay=True)

    def take(self, message):
        if not message.points:
            self.goal, self.until = list(self.q), 0.0
            return
        point = message.points[-1]
        for name, position in zip(message.joint_names, point.positions):
            if name in self.names:  # others have theirs
                self.goal[self.names.index(name)] = position
        self.until = rospy.get_time() + point.time_from_start.to_sec()
        self.said += 1

    def take_positions(self, message):
        assert len(message.data) == len(self.names), "a controller of a group takes all of its joints"
        self.goal, self.until = list(message.data), 0.0
        self.said += 1

    def run(self):
        rate = rospy.Rate(RATE)
        while not rospy.is_shutdown():
            left = max(self.until - rospy.get_time(), 0.0)
            share = min(1.0 / RATE / left, 1.0) if left > 0.0 else 1.0
            before = list(self.q)
            self.q = [q + share * (goal - q) for q, goal in zip(self.q, list(self.goal))]
            self.v = [(b - a) * RATE for a, b in zip(before, self.q)]
            state = JointState(name=self.names, position=self.q, velocity=self.v)
            state.header.stamp = rospy.Time.now()
            self.states.publish(state)
            if select.select([sys.stdin], [], [], 0)[0] and sys.stdin.readline():
                print(*self.q, flush=True)
            rate.sleep()


def main():
    arguments = rospy.myargv(sys.argv)[1:]
    pairs = [text.split("=") for text in arguments[2:]]
    rospy.init_node("robot")
    robot = Robot(arguments[0], arguments[1], [name for name, _ in pairs], [float(value) for _, value in pairs])
    print("ready", flush=True)
    robot.run()


if __name__ == "__main__":
    main()
