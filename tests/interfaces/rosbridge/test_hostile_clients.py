"""What one client says wrongly, or never takes, hurts no other: texts, numbers, sizes, and what it has no right to say."""

import asyncio
import math
from typing import Any

import pytest

from armillary.interfaces.ros.graph import Graph, Topic
from armillary.interfaces.ros.parameters import BadParameter
from armillary.interfaces.rosbridge.graph_wire import GraphWire
from armillary.interfaces.rosbridge.outbox import Outbox
from armillary.interfaces.rosbridge.rosapi import provide_rosapi
from armillary.protocols.ros1_definitions import MESSAGES
from tests.interfaces.rosbridge.rosbridge_client import Client, run

STRING = "std_msgs/String"


def test_half_of_a_character_is_refused_before_anybody_is_told() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("subscribe", topic="/chatter", type=STRING, compression="cbor")
        for said in ({"data": "\ud800"}, {"\udfff": "x"}):
            two.say("publish", topic="/chatter", msg=said)
        two.say("publish", topic="/chatter", id="\udc00", msg={"data": "x"})
        told = await two.heard()
        assert len(told) == 3 and all("half of a character" in said["msg"] for said in told)
        two.say("publish", topic="/chatter", msg={"data": "\U0001f600 ü"})
        (frame,) = await asyncio.wait_for(one.session.outbox.next(), 5.0)
        assert isinstance(frame, bytes) and "\U0001f600 ü".encode() in frame

    run(work)


def test_what_fails_for_one_subscriber_is_kept_from_the_others_and_from_who_says_it() -> None:
    graph, heard = Graph(MESSAGES), list[Any]()

    def fails(*_: Any) -> None:
        raise UnicodeEncodeError("utf-8", "", 0, 1, "no reason")

    graph.subscribe("one", "/chatter", fails, kind=STRING)
    graph.subscribe("two", "/chatter", lambda _topic, message, _by: heard.append(message["data"]))
    graph.advertise("cell", "/chatter", STRING, latched=True)
    graph.publish("cell", "/chatter", {"data": "hello"})
    graph.subscribe("three", "/chatter", fails)
    assert heard == ["hello"]


def test_numbers_that_are_none_are_null_and_every_call_is_answered() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_service", service="/s", type="own_srvs/Anything")  # a type that is not known here
        two.say("call_service", id="1", service="/s", args={"x": math.nan, "y": [math.inf, 1.5]})
        (asked,) = await one.heard()
        assert asked["args"] == {"x": None, "y": [None, 1.5]}
        one.say("service_response", id=asked["id"], values={"x": -math.inf}, result=True)
        (answer,) = await two.heard()
        assert answer["id"] == "1" and answer["values"] == {"x": None} and answer["result"] is True
        two.say("call_service", id=math.nan, service="/nothing")
        (answer,) = await two.heard()
        assert answer["id"] is None and answer["result"] is False

    run(work)


@pytest.mark.parametrize("wrong", [{"fragment_size": "x"}, {"args": 3}, {"fragment_size": math.nan}])
def test_a_call_that_is_asked_wrongly_is_answered(wrong: dict[str, Any]) -> None:
    async def work(one: Client, _: Client) -> None:
        one.say("call_service", id="1", service="/nothing", **wrong)
        (answer,) = await one.heard()
        assert answer["op"] == "service_response" and answer["id"] == "1" and answer["result"] is False

    run(work)


# Who has a right to say what.


def test_what_the_cell_says_nobody_else_says() -> None:
    async def work(one: Client, two: Client) -> None:
        wire = GraphWire(one.graph, "/armillary")
        wire.advertise("/robot_description", STRING, latched=True)
        wire.advertise("/tf_static", "tf2_msgs/TFMessage", latched=True)
        wire.publish("/robot_description", {"data": "<robot/>"})
        wire.publish("/tf_static", {"transforms": []})
        one.say("publish", topic="/robot_description", msg={"data": "<other/>"})
        one.say("advertise", topic="/robot_description", type=STRING)
        told = await one.heard()
        assert len(told) == 2 and all("/armillary alone says /robot_description" in said["msg"] for said in told)
        # Frames are said by many in ROS, and what each has said last is kept.
        one.say("advertise", topic="/tf_static", type="tf2_msgs/TFMessage", latch=True)
        one.say("publish", topic="/tf_static", msg={"transforms": [{"child_frame_id": "camera"}]})
        two.say("subscribe", topic="/robot_description", type=STRING)
        two.say("subscribe", topic="/tf_static", type="tf2_msgs/TFMessage")
        heard = [said["msg"] for said in await two.heard()]
        assert heard[0] == {"data": "<robot/>"} and [len(said["transforms"]) for said in heard[1:]] == [0, 1]

    run(work)


# How much may wait.


def test_answers_wait_up_to_a_size_and_one_of_any_size() -> None:
    async def waits() -> None:
        outbox = Outbox()
        outbox.put("x" * 100_000_000)
        assert not outbox.overflowed.is_set(), "a large one alone is what was asked for"
        outbox.put("x")
        assert outbox.overflowed.is_set() and "MB of answers wait" in outbox.why
        outbox = Outbox()
        for _ in range(40):
            outbox.put("x" * 1_000_000)
        assert outbox.overflowed.is_set()

    asyncio.run(waits())


def test_of_large_messages_fewer_wait() -> None:
    async def waits() -> None:
        outbox = Outbox()
        for k in range(100):
            outbox.offer("a", (str(k) + "x" * 1_000_000,), 1000)
            outbox.offer("b", (str(k) + "x" * 1_000_000,), 1000)
        assert outbox.waiting < 40_000_000 and outbox.dropped > 150
        first = await outbox.next()
        assert first[0][:1] != "0", "the oldest has given way"

    asyncio.run(waits())


def test_who_does_not_read_leaves_no_trace_of_what_was_dropped() -> None:
    async def waits() -> None:
        outbox = Outbox()
        for k in range(20_000):
            outbox.offer("a", (str(k),), 3)
        assert len(outbox) < 3000
        assert [await outbox.next() for _ in range(3)] == [("19997",), ("19998",), ("19999",)]

    asyncio.run(waits())


def test_a_client_has_so_many_subscriptions_and_no_more() -> None:
    async def work(one: Client, _: Client) -> None:
        for k in range(1000):
            one.say("subscribe", topic="/chatter", type=STRING, id=str(k))
        told = await one.heard()
        assert len(told) == 500 and "500 subscriptions" in told[0]["msg"]
        one.say("subscribe", topic="/chatter", type=STRING, id="7")
        assert await one.heard() == [], "the same one again is none more"

    run(work)


def test_who_takes_nothing_is_let_go_and_not_who_speaks_to_him() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_action", action="/x", type="control_msgs/FollowJointTrajectory")
        while not one.session.outbox.overflowed.is_set():
            one.session.outbox.put("x")
        two.say("send_action_goal", action="/x", id="1", args={})
        assert not two.session.outbox.overflowed.is_set()

    run(work)


# Parameters.


async def _set(graph: Graph, name: str, value: str) -> None:
    await graph.call("/rosapi/set_param", {"name": name, "value": value})


def test_parameters_are_bounded_names_and_all() -> None:
    async def fill() -> None:
        graph = Graph(MESSAGES)
        provide_rosapi(graph)
        with pytest.raises(BadParameter, match="256 characters"):
            await _set(graph, "/" + "n" * 2_000_000, "1")
        large = '"' + "x" * 9_999_000 + '"'
        for k in range(5):
            await _set(graph, f"/p{k}", large)
        await _set(graph, "/p5", '"' + "x" * 4_900 + '"')
        for _ in range(3):  # what is refused changes nothing of what is counted
            with pytest.raises(BadParameter, match="together"):
                await _set(graph, "/more", large)
            with pytest.raises(BadParameter, match="together"):
                await _set(graph, "/p0", '"' + "x" * 9_999_990 + '"')
        answer = await graph.call("/rosapi/get_param_names", {})
        assert answer["names"] == [f"/p{k}" for k in range(6)]

    asyncio.run(fill())


def test_topics_have_their_last_message_of_each_who_keeps_one() -> None:
    graph, heard = Graph(MESSAGES), list[tuple[str, str]]()

    def deliver(_: Topic, message: Any, by: str) -> None:
        heard.append((by, message["data"]))

    for node in ("one", "two"):
        graph.advertise(node, "/chatter", STRING, latched=True)
        graph.publish(node, "/chatter", {"data": node})
    graph.advertise("three", "/chatter", STRING)
    graph.publish("three", "/chatter", {"data": "not kept"})
    graph.leave("one")
    graph.subscribe("late", "/chatter", deliver)
    assert heard == [("two", "two")]
