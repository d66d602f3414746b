"""A client as a user of ROS 1 writes it: run by the system's Python with its own rospy. Says what it saw as JSON."""

import json
import sys

import actionlib
import roslib.message
import rospy
import tf2_ros
from control_msgs.msg import FollowJointTrajectoryAction, FollowJointTrajectoryGoal
from geometry_msgs.msg import Twist
from rosgraph_msgs.msg import Log
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ASKED = {"/power": {"data": True}, "/follow_set_points": {"data": False}, "/programs/start": {"name": "nothing.arm"}}


def point(positions, seconds):
    return JointTrajectoryPoint(positions=positions, time_from_start=rospy.Duration(seconds))


def joint():
    return rospy.wait_for_message("/joint_states", JointState, 20).position[0]


def still():
    """Where the first joint is when it moves no more."""
    last, end = joint(), rospy.get_time() + 30.0
    while rospy.get_time() < end:
        rospy.sleep(0.5)
        if abs(joint() - last) < 1e-6:
            break
        last = joint()
    return last


def moved_while(say, before=lambda: None):
    """Say something again and again until the first joint has moved by it; how far."""
    start, end = still(), rospy.get_time() + 60.0
    while abs(joint() - start) < 0.002 and rospy.get_time() < end:
        before()
        for _ in range(5):
            say(start)
            rospy.sleep(0.02)
    return joint() - start


def heard_by(name, kind):
    publisher = rospy.Publisher(name, kind, queue_size=1)
    while publisher.get_num_connections() == 0:
        rospy.sleep(0.05)
    return publisher


def everything(name, kind, way, by_itself):
    """A topic is heard once, or somebody hears it; a service answers."""
    if way == "says" and by_itself:
        assert rospy.wait_for_message(name, roslib.message.get_message_class(kind), 20)._type == kind
    elif way == "says":
        said = rospy.Subscriber(name, roslib.message.get_message_class(kind), lambda _: None)
        while said.get_num_connections() == 0:
            rospy.sleep(0.05)
    elif way == "hears":
        heard_by(name, roslib.message.get_message_class(kind)).unregister()
    elif way == "answers":
        rospy.wait_for_service(name, 20)
        rospy.ServiceProxy(name, roslib.message.get_service_class(kind))(**ASKED.get(name, {}))


def looked_up(root, frames):
    """Where frames are in the root, as tf2 puts them together from /tf and /tf_static: translation, and x, y, z, w."""
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer)
    found = {}
    for frame in frames:
        T = buffer.lookup_transform(root, frame, rospy.Time(0), rospy.Duration(20)).transform
        found[frame] = [getattr(T.translation, axis) for axis in "xyz"] + [getattr(T.rotation, axis) for axis in "xyzw"]
    found["in odom"] = buffer.lookup_transform("odom", root, rospy.Time(0), rospy.Duration(20)).transform.rotation.w
    listener.unregister()
    return found


def main():
    rospy.init_node("client", disable_signals=True)
    saw = {"described": rospy.get_param("/robot_description")[:60]}
    saw["everything"] = []
    for name, kind, way, by_itself in json.loads(sys.argv[1]):
        everything(name, kind, way, by_itself)
        saw["everything"].append([name, kind, way, by_itself])
    state = rospy.wait_for_message("/joint_states", JointState, 20)
    saw["names"], start = list(state.name), list(state.position)
    tf = rospy.wait_for_message("/tf", TFMessage, 20)
    saw["looked_up"], saw["while"] = looked_up(sys.argv[2], ["link_3", "link_6"]), start
    saw["frames"] = sorted(each.child_frame_id for each in tf.transforms)
    saw["power"] = rospy.ServiceProxy("/power", SetBool)(True).message
    refused = []
    rospy.Subscriber("/rosout", Log, lambda log: refused.append(log.msg) if log.name == "/armillary" else None)
    command = rospy.Publisher("/joint_path_command", JointTrajectory, queue_size=1)
    while command.get_num_connections() == 0:
        rospy.sleep(0.05)
    command.publish(JointTrajectory(joint_names=["elbow"], points=[point([0.1], 1.0)]))
    client = actionlib.SimpleActionClient("/follow_joint_trajectory", FollowJointTrajectoryAction)
    saw["server"] = client.wait_for_server(rospy.Duration(20))
    feedback = []
    goal = FollowJointTrajectoryGoal()
    goal.trajectory.joint_names = saw["names"]
    goal.trajectory.points = [point([q + 0.1 for q in start], 0.5), point([q + 0.2 for q in start], 1.0)]
    client.send_goal(goal, feedback_cb=feedback.append)
    saw["ended"] = client.wait_for_result(rospy.Duration(30))
    saw["state"], saw["code"], saw["text"] = client.get_state(), client.get_result().error_code, client.get_result().error_string
    saw["feedback"] = len(feedback)
    now = rospy.wait_for_message("/joint_states", JointState, 20).position
    saw["moved"] = [b - a for a, b in zip(start, now)]
    goal.trajectory.points = [point(start, 20.0)]
    client.send_goal(goal)
    rospy.sleep(1.0)
    client.cancel_goal()
    client.wait_for_result(rospy.Duration(20))
    saw["cancelled"] = client.get_state()
    saw["stop"] = rospy.ServiceProxy("/stop", Trigger)().success
    jog = heard_by("/jog_joints", JointState)
    saw["jogged"] = moved_while(lambda _: jog.publish(JointState(name=["joint_1"], velocity=[0.1])))
    follow, points = rospy.ServiceProxy("/follow_set_points", SetBool), heard_by("/joint_set_points", JointState)
    # Again and again: a jog may not be over yet, and on a busy machine a set-point may come late.
    saw["followed"] = moved_while(
        lambda at: points.publish(JointState(name=["joint_1"], position=[at - 0.02])), lambda: follow(True)
    )
    saw["unfollowed"] = follow(False).success
    heard_by("/cmd_vel", Twist).publish(Twist())
    end = rospy.get_time() + 20.0
    while not any("/cmd_vel" in text for text in refused) and rospy.get_time() < end:
        rospy.sleep(0.05)
    saw["refused"] = refused
    print(json.dumps(saw))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
