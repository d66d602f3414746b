"""Nodes find each other by topics, services and names, and what they brought in goes with them."""

import asyncio
from typing import Any

import pytest

from armillary.interfaces.ros.graph import BadGraph, Graph, Topic
from armillary.protocols.ros1_definitions import MESSAGES

STRING = "std_msgs/String"


@pytest.fixture
def graph() -> Graph:
    return Graph(MESSAGES)


def heard_by(graph: Graph, node: str, name: str, **options: Any) -> list[str]:
    heard: list[str] = []

    def deliver(topic: Topic, message: Any, said_by: str) -> None:
        assert topic.kind == STRING and said_by in ("talker", "cell")
        heard.append(message["data"])

    graph.subscribe(node, name, deliver, **options)
    return heard


def test_a_message_comes_to_all_who_subscribe_whoever_was_first(graph: Graph) -> None:
    early = heard_by(graph, "one", "chatter", kind=STRING)
    graph.advertise("talker", "/chatter", STRING)
    late = heard_by(graph, "two", "/chatter")
    graph.publish("talker", "chatter", {"data": "hello"})
    graph.unsubscribe("one", "chatter")
    graph.publish("talker", "/chatter", {"data": "again"})
    assert early == ["hello"] and late == ["hello", "again"]
    assert graph.nodes == ["talker", "two"]


def test_what_is_latched_is_given_to_who_comes_later(graph: Graph) -> None:
    graph.advertise("cell", "robot_description", STRING, latched=True)
    graph.publish("cell", "robot_description", {"data": "<robot/>"})
    assert heard_by(graph, "late", "robot_description") == ["<robot/>"]


def test_two_subscriptions_of_a_node_are_two(graph: Graph) -> None:
    graph.advertise("talker", "chatter", STRING)
    one, two = heard_by(graph, "node", "chatter", key="1"), heard_by(graph, "node", "chatter", key="2")
    graph.publish("talker", "chatter", {"data": "a"})
    graph.unsubscribe("node", "chatter", "1")
    graph.publish("talker", "chatter", {"data": "b"})
    assert one == ["a"] and two == ["a", "b"]


def test_who_leaves_takes_all_along(graph: Graph) -> None:
    async def serve(asked: dict[str, Any]) -> dict[str, Any]:
        return asked

    graph.advertise("guest", "chatter", STRING)
    graph.provide("guest", "echo", "std_srvs/Trigger", serve)
    heard_by(graph, "guest", "other", kind=STRING)
    assert asyncio.run(graph.call("/echo", {"a": 1})) == {"a": 1}
    graph.leave("guest")
    assert not graph.topics and not graph.services and graph.nodes == []
    with pytest.raises(BadGraph, match="nobody provides the service /echo"):
        asyncio.run(graph.call("echo", {}))
    graph.advertise("other", "chatter", "std_msgs/Bool")  # it may be of another type now


def test_what_is_refused(graph: Graph) -> None:
    async def serve(asked: dict[str, Any]) -> dict[str, Any]:
        return asked

    graph.advertise("talker", "chatter", STRING)
    graph.provide("talker", "echo", "std_srvs/Trigger", serve)
    with pytest.raises(BadGraph, match="/chatter is a topic of std_msgs/String, not of std_msgs/Bool"):
        graph.advertise("other", "chatter", "std_msgs/Bool")
    with pytest.raises(BadGraph, match="other has not advertised /chatter"):
        graph.publish("other", "chatter", {"data": ""})
    with pytest.raises(BadGraph, match="nobody publishes /silent yet; say which type it has"):
        heard_by(graph, "other", "silent")
    with pytest.raises(BadGraph, match="there is no message type 'std_msgs/Nothing' here"):
        graph.advertise("other", "x", "std_msgs/Nothing")
    with pytest.raises(BadGraph, match="talker provides /echo already"):
        graph.provide("other", "echo", "std_srvs/Trigger", serve)
    graph.withdraw("other", "echo")  # not his to withdraw
    assert "/echo" in graph.services
    for name in ("", "a b", "9lives", "a//b", "é", "x" * 300):
        with pytest.raises(BadGraph, match="is no name"):
            graph.advertise("other", name, STRING)


def test_nobody_fills_the_memory(graph: Graph) -> None:
    for k in range(2000):
        graph.advertise("rude", f"topic_{k}", STRING)
    with pytest.raises(BadGraph, match="there are 2000 topics already"):
        graph.advertise("rude", "one_more", STRING)
    graph.leave("rude")
    graph.advertise("other", "chatter", STRING)
