"""What clients ask rosapi for."""

import asyncio
import json
from typing import Any

import pytest

from armillary.interfaces.ros.graph import BadGraph, Graph
from armillary.interfaces.ros.parameters import BadParameter
from armillary.interfaces.rosbridge.rosapi import provide_rosapi
from armillary.protocols.ros1_definitions import MESSAGES
from armillary.protocols.ros1_types import UnknownRos1Type, service_types
from armillary.protocols.ros_json import from_json


@pytest.fixture
def graph() -> Graph:
    graph = Graph(MESSAGES)
    provide_rosapi(graph)
    graph.advertise("/cell", "/joint_states", "sensor_msgs/JointState")
    graph.subscribe("/cell", "/arm/goal", lambda *_: None, kind="control_msgs/FollowJointTrajectoryActionGoal")
    return graph


def ask(graph: Graph, name: str, /, **asked: Any) -> dict[str, Any]:
    return asyncio.run(graph.call(f"/rosapi/{name}", asked))


def test_topics_types_and_nodes(graph: Graph) -> None:
    told = ask(graph, "topics")
    assert told["topics"] == ["/arm/goal", "/joint_states"] and told["types"][1] == "sensor_msgs/JointState"
    assert ask(graph, "topic_type", topic="joint_states") == {"type": "sensor_msgs/JointState"}
    assert ask(graph, "topic_type", topic="/nothing") == {"type": ""}
    assert ask(graph, "topics_for_type", type="sensor_msgs/JointState") == {"topics": ["/joint_states"]}
    assert ask(graph, "publishers", topic="/joint_states") == {"publishers": ["/cell"]}
    assert ask(graph, "subscribers", topic="/arm/goal") == {"subscribers": ["/cell"]}
    assert ask(graph, "nodes") == {"nodes": ["/cell", "/rosapi"]}
    assert ask(graph, "node_details", node="/cell")["publishing"] == ["/joint_states"]
    assert ask(graph, "action_servers") == {"action_servers": ["/arm"]}
    assert "/rosapi/topics" in ask(graph, "services")["services"]
    assert ask(graph, "service_type", service="/rosapi/topic_type") == {"type": "rosapi/TopicType"}
    assert ask(graph, "service_node", service="/rosapi/topics") == {"node": "/rosapi"}


def test_parameters_are_texts_of_json(graph: Graph) -> None:
    ask(graph, "set_param", name="/robot/name", value='"cobot6"')
    ask(graph, "set_param", name="robot/joints", value="[1, 2]")
    assert ask(graph, "get_param", name="/robot/name") == {"value": '"cobot6"'}
    assert json.loads(ask(graph, "get_param", name="/robot")["value"]) == {"name": "cobot6", "joints": [1, 2]}
    assert ask(graph, "get_param", name="/nothing", default="7") == {"value": "7"}
    assert ask(graph, "get_param", name="/nothing") == {"value": "null"}
    assert ask(graph, "get_param_names") == {"names": ["/robot/joints", "/robot/name"]}
    assert ask(graph, "has_param", name="/robot") == {"exists": True}
    assert ask(graph, "search_param", name="joints") == {"global_name": "/robot/joints"}
    ask(graph, "delete_param", name="/robot")
    assert ask(graph, "has_param", name="/robot/name") == {"exists": False}


def test_a_type_is_told_with_all_that_it_consists_of(graph: Graph) -> None:
    told = ask(graph, "message_details", type="sensor_msgs/JointState")["typedefs"]
    assert [each["type"] for each in told] == ["sensor_msgs/JointState", "std_msgs/Header"]
    assert told[0]["fieldnames"][1] == "name" and told[0]["fieldarraylen"][:2] == [-1, 0]
    with pytest.raises(UnknownRos1Type):
        ask(graph, "message_details", type="std_msgs/Nothing")


def test_raw_types_are_whole(graph: Graph) -> None:
    told = ask(graph, "topics_and_raw_types")
    text = told["typedefs_full_text"][told["topics"].index("/joint_states")]
    assert text == f"{MESSAGES['sensor_msgs/JointState']}\n{'=' * 80}\nMSG: std_msgs/Header\n{MESSAGES['std_msgs/Header']}"
    goal = told["typedefs_full_text"][told["topics"].index("/arm/goal")]
    assert goal.count("MSG: std_msgs/Header\n") == 1 and "MSG: trajectory_msgs/JointTrajectoryPoint\n" in goal


def test_its_own_services_have_types_that_can_be_asked_for_and_answers_of_them(graph: Graph) -> None:
    asked = {"topic": "/joint_states", "type": "rosapi/MessageDetails", "service": "/rosapi/nodes", "node": "/cell", "name": "/a"}
    for service in ask(graph, "services")["services"]:
        kind = ask(graph, "service_type", service=service)["type"]
        for part in ("request", "response"):
            (first, *_) = ask(graph, f"service_{part}_details", type=kind)["typedefs"]
            assert first["type"] == f"{kind}{part.capitalize()}"
        given = {"type": "std_msgs/Header"} if service.endswith("message_details") else {}
        if service.endswith("delete_param"):
            continue  # of what is not there
        values = {**asked, **given, "value": "3", "default": ""}
        answered = asyncio.run(graph.call(service, {name: values[name] for name in _fields(kind, 0)}))
        assert sorted(answered) == sorted(_fields(kind, 1)), kind
        from_json(service_types(kind)[1], answered)


def _fields(kind: str, which: int) -> list[str]:
    return [field.name for field in service_types(kind)[which].fields]


def test_what_is_asked_wrongly_is_refused(graph: Graph) -> None:
    with pytest.raises(BadGraph, match='"topic" is needed'):
        ask(graph, "topic_type")
    with pytest.raises(BadGraph, match="text of JSON"):
        ask(graph, "set_param", name="/a", value=3)
    assert ask(graph, "get_time")["time"]["secs"] > 1_600_000_000


def test_parameters_are_a_tree(graph: Graph) -> None:
    ask(graph, "set_param", name="/ns", value='{"a": 1, "b": {"c": [NaN, 2]}}')
    assert ask(graph, "get_param", name="/ns/a") == {"value": "1"} and ask(graph, "has_param", name="/ns/b/c") == {"exists": True}
    assert json.loads(ask(graph, "get_param", name="/")["value"]) == {"ns": {"a": 1, "b": {"c": [None, 2]}}}
    assert ask(graph, "get_param_names") == {"names": ["/ns/a", "/ns/b/c"]}
    ask(graph, "set_param", name="/ns/a/x", value="2")  # a value gives way to what is below it
    ask(graph, "set_param", name="/ns/b", value='{"d": {}}')  # and what was below to what is said anew
    assert json.loads(ask(graph, "get_param", name="/ns")["value"]) == {"a": {"x": 2}, "b": {"d": {}}}
    ask(graph, "get_param", name="/ns")
    assert ask(graph, "get_param", name="/ns/a") == {"value": '{"x":2}'}, "asking changes nothing"
    for name, value in (("/ns", '{"a/b": 1}'), ("/ns", '{"": 1}'), ("/", "3")):
        with pytest.raises(BadParameter):
            ask(graph, "set_param", name=name, value=value)
    with pytest.raises(BadParameter, match="all of them"):
        ask(graph, "delete_param", name="/")
    ask(graph, "set_param", name="/", value='{"only": true}')
    assert ask(graph, "get_param_names") == {"names": ["/only"]}
