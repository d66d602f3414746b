"""JointState of 22 joints by rospy, run by the system's Python: `say SECONDS RATE`, or `hear COUNT` (delays in ms as JSON);
`listen` to a cell's joints, or `pester` it."""

import json
import sys
import time

import rospy
from sensor_msgs.msg import JointState

JOINTS = [f"joint_{k}" for k in range(22)]
TOPIC = "/latency"


def say(seconds, rate):
    publisher = rospy.Publisher(TOPIC, JointState, queue_size=50)
    while publisher.get_num_connections() == 0:
        time.sleep(0.01)
    time.sleep(0.3)
    numbers, begin = [0.1] * 22, time.monotonic()
    for k in range(int(seconds * rate)):
        time.sleep(max(begin + k / rate - time.monotonic(), 0.0))
        state = JointState(name=JOINTS, position=numbers, velocity=numbers, effort=[time.monotonic(), *numbers[1:]])
        publisher.publish(state)
    time.sleep(0.5)


def hear(count):
    delays = []
    rospy.Subscriber(TOPIC, JointState, lambda state: delays.append(time.monotonic() - state.effort[0]), tcp_nodelay=True)
    print("ready", flush=True)
    end = time.monotonic() + 60.0
    quiet, seen = time.monotonic(), 0
    while len(delays) < count and time.monotonic() < end:
        time.sleep(0.05)
        if len(delays) != seen:
            quiet, seen = time.monotonic(), len(delays)
        if seen and time.monotonic() - quiet > 2.0:
            break
    print(json.dumps([1e3 * delay for delay in delays]), flush=True)


def listen():
    """To a cell, for as long as one is let."""
    rospy.Subscriber("/joint_states", JointState, lambda _: None, tcp_nodelay=True)
    print("ready", flush=True)
    rospy.spin()


def pester():
    """A cell with set-points that it does not follow, by a joint that it has not."""
    publisher = rospy.Publisher("/joint_set_points", JointState, queue_size=1)
    print("ready", flush=True)
    while not rospy.is_shutdown():
        publisher.publish(JointState(name=["elbow"], position=[0.0]))
        time.sleep(0.05)


if __name__ == "__main__":
    rospy.init_node("latency_" + sys.argv[1], anonymous=True, disable_signals=True)
    if sys.argv[1] == "say":
        say(float(sys.argv[2]), float(sys.argv[3]))
    elif sys.argv[1] == "hear":
        hear(int(sys.argv[2]))
    else:
        {"listen": listen, "pester": pester}[sys.argv[1]]()
