"""What clients of rosbridge say is done, and what they say wrongly is told and hurts nobody."""

import asyncio
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.protocols.rosbridge import in_fragments
from tests.interfaces.rosbridge.rosbridge_client import Client, run

STRING = "std_msgs/String"
OPS = [
    "advertise", "unadvertise", "publish", "subscribe", "unsubscribe", "call_service", "advertise_service", "unadvertise_service",
    "service_response", "fragment", "set_level", "png", "", "send_action_goal", "cancel_action_goal", "advertise_action",
    "unadvertise_action", "action_feedback", "action_result",
]  # fmt: skip


def test_a_topic_from_one_to_the_other() -> None:
    async def work(one: Client, two: Client) -> None:
        two.say("subscribe", id="subscribe:/chatter:1", topic="/chatter", type=STRING)
        one.say("advertise", topic="chatter", type="std_msgs/msg/String")
        one.say("publish", topic="chatter", msg={"data": "hello"})
        assert await two.heard() == [{"op": "publish", "topic": "/chatter", "msg": {"data": "hello"}}]
        two.say("unsubscribe", id="subscribe:/chatter:1", topic="/chatter")
        one.say("publish", topic="chatter", msg={"data": "nobody"})
        assert await two.heard() == await one.heard() == []

    assert run(work).topics == {}


def test_what_comes_as_bytes_and_in_fragments_is_followed_too() -> None:
    async def work(one: Client, two: Client) -> None:
        two.say("subscribe", topic="/chatter", type=STRING)
        one.session.receive(json.dumps({"op": "advertise", "topic": "/chatter", "type": STRING}).encode())
        for part in in_fragments(json.dumps({"op": "publish", "topic": "/chatter", "msg": {"data": "long"}}), 20, "9"):
            one.session.receive(part)
        assert [said["msg"]["data"] for said in await two.heard()] == ["long"]

    run(work)


def test_a_wrong_message_is_told_and_the_connection_lives() -> None:
    async def work(one: Client, two: Client) -> None:
        two.say("subscribe", topic="/chatter", type=STRING)
        one.say("publish", id="7", topic="/chatter", msg={"data": 3})
        one.say("publish", topic="/chatter", msg={"datum": "x"})
        one.say("publish", topic="/unknown", msg={})
        one.say("levitate")
        one.session.receive("{")
        one.say("publish", topic="/chatter", msg={"data": "right"})
        told = await one.heard()
        assert [said["op"] for said in told] == ["status"] * 5 and {said["level"] for said in told} == {"error"}
        assert told[0]["id"] == "7" and told[0]["msg"] == "data is 3; a string is expected"
        assert "has no field 'datum'" in told[1]["msg"] and "advertise it with its type first" in told[2]["msg"]
        assert "there is no op 'levitate' here" in told[3]["msg"] and "no JSON" in told[4]["msg"]
        assert [said["msg"]["data"] for said in await two.heard()] == ["right"]

    run(work)


def test_who_wants_no_status_gets_none() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("levitate")
        assert await one.heard() == []
        one.say("set_level", level="error")
        one.say("levitate")
        assert [said["op"] for said in await one.heard()] == ["status"]

    run(work, level="none")


@pytest.mark.parametrize("caller", ["one", "two"])
def test_a_service_of_a_client_is_called_by_another_or_by_itself(caller: str) -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_service", service="/add", type="armillary_msgs/Add")
        asks = {"one": one, "two": two}[caller]
        asks.say("call_service", id="call:1", service="/add", args={"a": 2})
        (asked,) = await one.heard()
        assert asked["op"] == "call_service" and asked["service"] == "/add" and asked["args"] == {"a": 2}
        one.say("service_response", id=asked["id"], service="/add", values={"sum": 2}, result=True)
        (answer,) = await asks.heard()
        assert answer == {"op": "service_response", "id": "call:1", "service": "/add", "values": {"sum": 2}, "result": True}

    run(work)


def test_a_service_of_a_known_type_is_held_to_it_at_both_ends() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_service", service="/on", type="std_srvs/SetBool")
        two.say("call_service", id="1", service="/on", args={"data": "yes"})
        two.say("call_service", id="2", service="/on", args=[True])
        refused = (await two.heard())[0]
        assert refused["result"] is False and "data is 'yes'; true or false is expected" in refused["values"]
        (asked,) = await one.heard()
        assert asked["args"] == {"data": True}
        one.say("service_response", id=asked["id"], service="/on", values={"success": 7}, result=True)
        (answer,) = await two.heard()
        assert answer["result"] is False and "success is 7" in answer["values"]
        (told,) = await one.heard()
        assert told["op"] == "status" and "what /on answers is no std_srvs/SetBool" in told["msg"]
        two.say("call_service", id="3", service="/on", args={})
        (asked,) = await one.heard()
        one.say("service_response", id=asked["id"], service="/on", values={"success": True}, result=True)
        assert (await two.heard())[0]["values"] == {"success": True, "message": ""}

    run(work)


def test_a_call_that_fails_is_answered() -> None:
    async def work(one: Client, two: Client) -> None:
        two.say("call_service", id="1", service="/nothing")
        one.say("advertise_service", service="/fails", type="std_srvs/Trigger")
        two.say("call_service", id="2", service="/fails")
        (asked,) = await one.heard()
        one.say("service_response", id=asked["id"], service="/fails", values="broken", result=False)
        two.say("call_service", id="3", service="/fails")
        await asyncio.sleep(0.02)
        one.session.close()
        answers = await two.heard()
        assert [(said["id"], said["result"]) for said in answers] == [("1", False), ("2", False), ("3", False)]
        assert (
            "nobody provides" in answers[0]["values"] and "broken" in answers[1]["values"] and "is gone" in answers[2]["values"]
        )

    run(work)


ODD = ["/chatter", STRING, "cbor", "/a", "control_msgs/FollowJointTrajectory", "\ud800", "x\udfff", math.nan]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["id", "topic", "type", "msg", "service", "args", "values", "result", "data", "num", "total", "level", "throttle_rate",
         "queue_length", "fragment_size", "compression", "latch", "action", "status", "feedback"]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(OPS), st.dictionaries(st.sampled_from(NAMES), values, max_size=6)), max_size=8))
def test_whatever_is_said_nothing_fails(said: list[tuple[str, dict[str, Any]]]) -> None:
    async def work(one: Client, two: Client) -> None:
        two.say("subscribe", topic="/chatter", type=STRING)
        for op, rest in said:
            one.say(op, **rest)
        await asyncio.sleep(0)
        told = [said["msg"] for said in await one.heard() if said["op"] == "status"]
        assert not any("cannot be understood" in text for text in told), told

    graph = run(work)
    assert not graph.topics and not graph.services
