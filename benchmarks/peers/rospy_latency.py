"""JointState of 22 joints by rospy, run by the system's Python: `say SECONDS RATE`, or `hear COUNT` (delays in ms as JSON)."""

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


if __name__ == "__main__":
    rospy.init_node("latency_" + sys.argv[1], anonymous=True, disable_signals=True)
    say(float(sys.argv[2]), float(sys.argv[3])) if sys.argv[1] == "say" else hear(int(sys.argv[2]))
