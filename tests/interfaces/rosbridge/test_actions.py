"""Goals by ops of their own: each client is told of its own goals, by its own names for them, and every goal has an end."""

import math
from typing import Any

import pytest

from tests.interfaces.rosbridge.rosbridge_client import Client, run

KIND = "control_msgs/FollowJointTrajectory"
GOAL = "send_action_goal:/x:1"  # as roslibpy names the first goal of every client


def send(client: Client, **rest: Any) -> None:
    client.say("send_action_goal", action="/x", action_type=KIND, **{"id": GOAL, "args": {}, "feedback": True, **rest})


def test_two_clients_that_name_their_goals_alike_are_told_of_their_own() -> None:
    async def work(one: Client, two: Client) -> None:
        serves = Client(one.graph, "/serves")
        serves.say("advertise_action", action="/x", type=KIND)
        send(one)
        send(two, args={"trajectory": {"joint_names": ["other"]}})
        first, second = await serves.heard()
        assert first["id"] != second["id"] and second["args"]["trajectory"]["joint_names"] == ["other"]
        serves.say("action_feedback", id=second["id"], values={"joint_names": ["other"]})
        serves.say("action_result", id=second["id"], values={"error_code": -4}, status=6)
        assert await one.heard() == []
        feedback, result = await two.heard()
        assert feedback["id"] == result["id"] == GOAL and feedback["values"]["joint_names"] == ["other"]
        assert result["status"] == 6 and result["values"]["error_code"] == -4 and result["result"] is False
        serves.say("action_result", id=first["id"], values={"error_code": 0}, status=4)
        (result,) = await one.heard()
        assert result["id"] == GOAL and result["status"] == 4 and result["result"] is True
        send(one)  # the same name again, at once
        (third,) = await serves.heard()
        assert third["id"] not in (first["id"], second["id"])
        one.say("cancel_action_goal", action="/x", id=GOAL)
        (cancel,) = await serves.heard()
        assert cancel["op"] == "cancel_action_goal" and cancel["id"] == third["id"]
        serves.session.close()
        (result,) = await one.heard()
        assert result["id"] == GOAL and result["status"] == 6, "who serves it is gone"

    run(work)


@pytest.mark.parametrize("status", [[], {}, None, "4", math.nan, 99])
def test_a_result_of_an_odd_status_is_an_abort(status: Any) -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_action", action="/x", type=KIND)
        send(two)
        (goal,) = await one.heard()
        one.say("action_result", id=goal["id"], values={}, status=status)
        (result,) = await two.heard()
        assert result["status"] == 6 and await one.heard() == []

    run(work)


def test_a_wrong_result_is_told_and_can_be_said_again() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_action", action="/x", type=KIND)
        send(two)
        (goal,) = await one.heard()
        one.say("action_result", id=goal["id"], values={"error_code": "none"}, status=4)
        (told,) = await one.heard()
        assert told["op"] == "status" and "error_code" in told["msg"]
        one.say("action_result", id=goal["id"], values={"error_code": 0}, status=4)
        (result,) = await two.heard()
        assert result["result"] is True

    run(work)


def test_what_is_served_no_longer_ends_its_goals() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_action", action="/x", type=KIND)
        send(two)
        (goal,) = await one.heard()
        one.say("unadvertise_action", action="/x")
        (result,) = await two.heard()
        assert result["status"] == 6
        one.say("action_feedback", id=goal["id"], values={})
        one.say("action_result", id=goal["id"], values={}, status=4)
        told = await one.heard()
        assert len(told) == 2 and all("no goal" in said["msg"] for said in told)

    run(work)


def test_a_goal_that_was_kept_is_passed_on_to_who_comes_later() -> None:
    async def work(one: Client, two: Client) -> None:
        two.say("advertise", topic="/x/goal", type=f"{KIND}ActionGoal", latch=True)
        two.say("publish", topic="/x/goal", msg={"goal_id": {"id": "z"}})
        one.say("advertise_action", action="/x", type=KIND)
        (goal,) = await one.heard()
        assert goal["op"] == "send_action_goal" and goal["id"] == "z"

    run(work)


def test_an_action_that_is_the_cells_own_is_not_served_by_a_client() -> None:
    async def work(one: Client, two: Client) -> None:
        one.graph.advertise("/armillary", "/x/result", f"{KIND}ActionResult", alone=True)
        one.say("advertise_action", action="/x", type=KIND)
        (told,) = await one.heard()
        assert "/armillary alone says /x/result" in told["msg"]
        send(two)
        assert await one.heard() == []

    run(work)


def test_a_goal_that_cannot_be_sent_has_a_result_that_says_why() -> None:
    async def work(one: Client, two: Client) -> None:
        send(one)
        (result,) = await one.heard()
        assert result["op"] == "action_result" and result["id"] == GOAL and result["result"] is False
        assert "nobody serves the action /x" in result["values"]
        two.say("advertise_action", action="/x", type=KIND)
        send(one, args={"trajectory": 3})
        (result,) = await one.heard()
        assert "trajectory is 3" in result["values"]
        send(one)
        send(one)  # of one that is under way nothing is ended
        assert await one.heard() == []

    run(work, level="none")


def test_more_goals_than_wait_for_a_client_are_refused() -> None:
    async def work(one: Client, two: Client) -> None:
        one.say("advertise_action", action="/x", type=KIND)
        two.say("subscribe", topic="/x/result", type=f"{KIND}ActionResult")
        two.say("advertise", topic="/x/goal", type=f"{KIND}ActionGoal")
        for k in range(101):
            two.say("publish", topic="/x/goal", msg={"goal_id": {"id": str(k)}})
        (told,) = await two.heard()
        assert told["msg"]["status"]["goal_id"]["id"] == "100" and told["msg"]["status"]["status"] == 5

    run(work)
