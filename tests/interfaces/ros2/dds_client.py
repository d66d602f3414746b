"""A client in ROS 2, by topics alone: everything of the table, services, the action. Says what it saw as JSON. Run as: python
dds_client.py DOMAIN
"""

import json
import sys
import time
import uuid

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from armillary.interfaces.ros.spoken import SPOKEN, Way
from armillary.interfaces.ros2.dds_types import dds_type, name_in_ros2
from armillary.interfaces.ros2.dds_wire import LOOPBACK

domain = Domain(int(sys.argv[1]), LOOPBACK)
participant = DomainParticipant(int(sys.argv[1]))
qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.Volatile, Policy.History.KeepLast(50))
kept = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.TransientLocal, Policy.History.KeepLast(1))


def reader(name, kind, qos=qos, **of):
    made = DataReader(participant, Topic(participant, name, dds_type(kind, **of), qos=qos), qos=qos)
    end = time.time() + 20
    while not made.get_matched_publications():  # what is said before is not heard
        assert time.time() < end, f"nobody says {name}"
        time.sleep(0.02)
    return made


def writer(name, kind):
    of = dds_type(kind)
    made = DataWriter(participant, Topic(participant, "rt/" + name, of, qos=qos), qos=qos)
    end = time.time() + 20
    while not made.get_matched_subscriptions():
        assert time.time() < end, f"nobody hears {name}"
        time.sleep(0.05)
    return lambda **values: made.write(of.of(values))


class Client:
    def __init__(self, name, kind):
        self.asked = dds_type(kind + "_Request", numbered=True)
        topic = Topic(participant, f"rq/{name}Request", self.asked, qos=qos)
        self.writer = DataWriter(participant, topic, qos=qos)
        self.reader = reader(f"rr/{name}Reply", kind + "_Response", numbered=True)
        end = time.time() + 20
        while time.time() < end and not (self.writer.get_matched_subscriptions() and self.reader.get_matched_publications()):
            time.sleep(0.05)
        self.number = 0

    def begin(self, **values):
        self.number += 1
        self.writer.write(self.asked.of(values, (77, self.number)))
        return self.number

    def end(self, number):
        for sample in self.reader.take_iter(timeout=duration(seconds=60)):
            if sample.number == (77, number):
                return sample.values
        raise AssertionError("nobody answers")

    def call(self, **values):
        return self.end(self.begin(**values))


saw = {}
ASKED = {"/power": {"data": True}, "/follow_set_points": {"data": False}, "/programs/start": {"name": "nothing.arm"}}
saw["everything"] = []
for each in SPOKEN:
    name, kind = each.name.strip("/"), name_in_ros2(each.kind)
    if each.way == Way.OUT:
        made = reader("rt/" + name, kind, qos=kept if each.latched else qos)
        if each.rate or each.joints or each.latched:
            next(made.take_iter(timeout=duration(seconds=20)))
    elif each.way == Way.IN:
        writer(name, kind)
    elif each.way == Way.SERVICE:
        package, _, what = each.kind.rpartition("/")
        Client(name, f"{package}/srv/{what}").call(**ASKED.get(each.name, {}))
    else:
        continue
    saw["everything"].append([each.name, each.way.value])
names = [f"joint_{k}" for k in range(1, 7)]
state = next(reader("rt/joint_states", "sensor_msgs/msg/JointState").take_iter(timeout=duration(seconds=20))).values
names, here = list(state["name"]), list(map(float, state["position"]))
saw["programs"] = list(Client("programs/list", "armillary_msgs/srv/ListPrograms").call()["names"])
power = Client("power", "std_srvs/srv/SetBool")
saw["off"] = power.call(data=False)
saw["on"] = power.call(data=True)

base = "control_msgs/action/FollowJointTrajectory"
send = Client("follow_joint_trajectory/_action/send_goal", base + "_SendGoal")
result = Client("follow_joint_trajectory/_action/get_result", base + "_GetResult")
cancel = Client("follow_joint_trajectory/_action/cancel_goal", "action_msgs/srv/CancelGoal")
feedback = reader("rt/follow_joint_trajectory/_action/feedback", base + "_FeedbackMessage")
log = reader("rt/rosout", "rcl_interfaces/msg/Log")


def goal(positions, seconds, names=names):
    point = {"positions": positions, "time_from_start": {"sec": seconds, "nanosec": 0}}
    return {"trajectory": {"joint_names": names, "points": [point]}}


one = {"uuid": uuid.uuid4().bytes}
there = [q + 0.1 for q in here]
saw["accepted"] = send.call(goal_id=one, goal=goal(there, 1))["accepted"]
done = result.call(goal_id=one)
saw["done"] = done["status"], done["result"]["error_code"]
saw["feedback"] = sum(bytes(each.values["goal_id"]["uuid"]) == one["uuid"] for each in feedback.take(50))

two = {"uuid": uuid.uuid4().bytes}
saw["accepted_2"] = send.call(goal_id=two, goal=goal([q + 0.4 for q in there], 20))["accepted"]
waits = result.begin(goal_id=two)
answer = cancel.call(goal_info={"goal_id": two})
saw["cancelling"] = answer["return_code"], len(answer["goals_canceling"])
saw["cancelled"] = result.end(waits)["status"]
saw["again"] = cancel.call(goal_info={"goal_id": two})["return_code"]
saw["nobody"] = cancel.call(goal_info={"goal_id": {"uuid": uuid.uuid4().bytes}})["return_code"]

three = {"uuid": uuid.uuid4().bytes}
saw["refused"] = send.call(goal_id=three, goal=goal(there, 1, ["nothing"] * 6))["accepted"]
saw["why"] = [each.values["msg"] for each in log.take(50)]
late = reader("rt/follow_joint_trajectory/_action/status", "action_msgs/msg/GoalStatusArray", qos=kept)
listed = next(late.take_iter(timeout=duration(seconds=20))).values["status_list"]
saw["status"] = [int(each["status"]) for each in listed]
saw["unknown"] = result.call(goal_id={"uuid": uuid.uuid4().bytes})["status"]

states = reader("rt/joint_states", "sensor_msgs/msg/JointState")


def joint():
    for sample in states.take(100):
        joint.last = float(sample.values["position"][0])
    return joint.last


def still():
    last, end = None, time.time() + 30
    while time.time() < end and (last is None or abs(joint() - last) > 1e-6):
        last = joint()
        time.sleep(0.5)
    return last


def moved_while(say, before=lambda: None):
    start, end = still(), time.time() + 60
    while abs(joint() - start) < 0.002 and time.time() < end:
        before()
        for _ in range(5):
            say(start)
            time.sleep(0.02)
    return joint() - start


joint.last = there[0]
jog = writer("jog_joints", "sensor_msgs/msg/JointState")
saw["jogged"] = moved_while(lambda _: jog(name=["joint_1"], velocity=[0.1]))
follow = Client("follow_set_points", "std_srvs/srv/SetBool")
points = writer("joint_set_points", "sensor_msgs/msg/JointState")
# Again and again: a jog may not be over yet, and on a busy machine a set-point may come late.
saw["followed"] = moved_while(lambda at: points(name=["joint_1"], position=[at - 0.02]), lambda: follow.call(data=True))
saw["unfollowed"] = follow.call(data=False)["success"]
writer("cmd_vel", "geometry_msgs/msg/Twist")()
end, said = time.time() + 20, []
while not any("/cmd_vel" in text for text in said) and time.time() < end:
    said += [each.values["msg"] for each in log.take(50)]
    time.sleep(0.02)
saw["said"] = said
start = Client("programs/start", "armillary_msgs/srv/StartProgram")
stop = Client("programs/stop", "std_srvs/srv/Trigger")
saw["wrong"] = start.call(name="../nothing.arm")["success"]
saw["program"] = start.call(name="welcome.arm")
saw["twice"] = start.call(name="welcome.arm")
saw["stopped"] = stop.call()["success"]
print(json.dumps(saw, default=int))
