"""Another process in ROS 2, with nothing of ours but the types and what we say it must set: it must see the cell by ROS 2's
names, types and qualities, and moves it. Says what it saw as JSON. Run as: python dds_peer.py DOMAIN
"""

import json
import sys
import time

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from armillary.interfaces.ros2.dds_types import dds_type

participant = DomainParticipant(int(sys.argv[1]))


def quality(latched):
    durability = Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile
    return Qos(Policy.Reliability.Reliable(duration(seconds=1)), durability, Policy.History.KeepLast(10))


def reader(name, kind, latched=False):
    topic = Topic(participant, name, dds_type(kind), qos=quality(latched))
    return DataReader(participant, topic, qos=quality(latched))


def first(name, kind, latched=False):
    return next(reader(name, kind, latched).take_iter(timeout=duration(seconds=20))).values


saw = {}
state = first("rt/joint_states", "sensor_msgs/msg/JointState")
saw["names"], saw["position"] = list(state["name"]), list(map(float, state["position"]))
saw["stamp"] = abs(state["header"]["stamp"]["sec"] - time.time()) < 5
saw["frames"] = sorted(each["child_frame_id"] for each in first("rt/tf", "tf2_msgs/msg/TFMessage")["transforms"])
saw["fixed"] = len(first("rt/tf_static", "tf2_msgs/msg/TFMessage", True)["transforms"])
saw["described"] = first("rt/robot_description", "std_msgs/msg/String", True)["data"][:40]
saw["level"] = first("rt/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")["status"][0]["level"]
kind = dds_type("trajectory_msgs/msg/JointTrajectory")
topic = Topic(participant, "rt/joint_trajectory", kind, qos=quality(False))
writer = DataWriter(participant, topic, qos=quality(False))
end = time.time() + 20
while not writer.get_matched_subscriptions() and time.time() < end:
    time.sleep(0.05)
goal = [q + 0.1 for q in saw["position"]]
point = {"positions": goal, "velocities": [], "accelerations": [], "effort": [], "time_from_start": {"sec": 1, "nanosec": 0}}
header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
writer.write(kind.of({"header": header, "joint_names": saw["names"], "points": [point]}))
states = reader("rt/joint_states", "sensor_msgs/msg/JointState")
end, saw["moved"] = time.time() + 30, False
while time.time() < end and not saw["moved"]:
    for sample in states.take(100):
        saw["moved"] |= max(abs(a - b) for a, b in zip(sample.values["position"], goal)) < 1e-6
    time.sleep(0.02)
print(json.dumps(saw, default=int))
