"""Everything of the table is said, heard and answered; a base is driven; and who only looks does only that."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from websockets.sync.client import ClientConnection

from armillary.cell import Cell
from armillary.interfaces.ros.spoken import SPOKEN, Way
from armillary.runtime import State
from tests.interfaces.rosbridge.conftest import Bridge
from tests.interfaces.rosbridge.ros_sharp_client import call, ros_sharp, said_of, say, until
from tests.interfaces.rosbridge.rosbridge_client import Client, run

ASKED: dict[str, dict[str, object]] = {
    "/power": {"data": True},
    "/follow_set_points": {"data": False},
    "/programs/start": {"name": "nothing.arm"},
}


@pytest.mark.slow
def test_every_topic_is_said_or_heard_and_every_service_answers(bridge: Bridge) -> None:
    with ros_sharp(bridge.address) as client:
        for each in SPOKEN:
            if each.way == Way.OUT:
                say(client, op="subscribe", topic=each.name, type=each.kind)
                if each.rate or each.joints or each.latched:
                    assert said_of(client, each.name), each
                say(client, op="unsubscribe", topic=each.name)
            elif each.way == Way.IN:
                assert call(client, "/rosapi/subscribers", topic=each.name)["subscribers"] == ["/armillary"], each
                assert call(client, "/rosapi/topic_type", topic=each.name)["type"] == each.kind
            elif each.way == Way.SERVICE:
                answer = call(client, each.name, **ASKED.get(each.name, {}))
                assert "success" in answer or "names" in answer, each
        say(client, op="subscribe", topic="/rosout", type="rosgraph_msgs/Log")
        say(client, op="publish", topic="/cmd_vel", msg={"linear": {"x": 0.1}})
        assert "cobot6 has no base that is driven: its cell has no group 'base'" in said_of(client, "/rosout")["msg"]


@pytest.fixture
def tracked() -> Iterator[tuple[Cell, ClientConnection]]:
    with Cell.open("mobile6", driver="ideal", low_power=True, record=False, patience=1.0, rosbridge={"port": 0}) as cell:
        cell.station.ask("give_control")
        with ros_sharp(cell.station.rosbridge["address"]) as client:
            yield cell, client


@pytest.mark.slow
def test_a_base_on_tracks_goes_where_it_is_told_and_stops_when_nothing_more_is_said(
    tracked: tuple[Cell, ClientConnection],
) -> None:
    cell, client = tracked
    say(client, op="advertise", topic="/cmd_vel", type="geometry_msgs/Twist")
    say(client, op="subscribe", topic="/odom", type="nav_msgs/Odometry")
    begin, deadline, fastest = cell.state.measured, time.monotonic() + 90.0, 0.0
    while (seen := said_of(client, "/odom"))["pose"]["pose"]["position"]["x"] < 0.03:
        assert time.monotonic() < deadline, "it does not move"
        fastest = max(fastest, seen["twist"]["twist"]["linear"]["x"])
        for _ in range(3):
            say(client, op="publish", topic="/cmd_vel", msg={"linear": {"x": 0.1}, "angular": {"z": 0.2}})
            time.sleep(0.015)
    assert 0.0 < fastest <= 0.1 + 1e-9 and seen["header"]["frame_id"] == "odom" and seen["child_frame_id"] == "base_footprint"
    until(lambda: cell.state.state == State.READY)  # nothing more is said
    left, right = (cell.state.measured - begin)[:2]
    assert right > left > 0.0 and np.abs((cell.state.measured - begin)[2:]).max() < 1e-9
    stands = until(lambda: (odom := said_of(client, "/odom"))["twist"]["twist"]["linear"]["x"] == 0.0 and odom)
    turned = 2.0 * np.arctan2(stands["pose"]["pose"]["orientation"]["z"], stands["pose"]["pose"]["orientation"]["w"])
    assert turned == pytest.approx(0.11 * (right - left) / 0.415, abs=1e-6), "as the tracks say"
    say(client, op="subscribe", topic="/tf", type="tf2_msgs/TFMessage")
    (root,) = [each for each in said_of(client, "/tf")["transforms"] if each["header"]["frame_id"] == "odom"]
    assert root["transform"]["translation"]["x"] == pytest.approx(stands["pose"]["pose"]["position"]["x"], abs=1e-6)
    say(client, op="subscribe", topic="/rosout", type="rosgraph_msgs/Log")
    say(client, op="publish", topic="/cmd_vel", msg={"linear": {"y": 0.1}})
    assert "goes along x and turns about z" in said_of(client, "/rosout")["msg"]


def test_who_may_only_look_hears_and_asks_and_changes_nothing() -> None:
    async def work(one: Client, two: Client) -> None:
        one.graph.advertise("/cell", "/t", "std_msgs/String")
        one.say("subscribe", topic="/t")
        one.graph.publish("/cell", "/t", {"data": "seen"})
        (heard,) = await one.heard()
        assert heard["msg"] == {"data": "seen"}
        one.say("unsubscribe", topic="/t")
        ops = (
            ("advertise", {"topic": "/x", "type": "std_msgs/String"}), ("publish", {"topic": "/t", "msg": {"data": "x"}}),
            ("call_service", {"service": "/power", "args": {"data": True}}), ("call_service", {"service": "/stop"}),
            ("call_service", {"service": "/rosapi/set_param", "args": {"name": "/p", "value": "1"}}),
            ("call_service", {"service": "rosapi/delete_param", "args": {"name": "/p"}}),
            ("call_service", {"service": "/file_server/save_file", "args": {}}),
            ("advertise_service", {"service": "/s", "type": "std_srvs/Trigger"}), ("service_response", {"id": "1"}),
            ("send_action_goal", {"action": "/a", "id": "g"}), ("cancel_action_goal", {"action": "/a", "id": "g"}),
            ("advertise_action", {"action": "/a", "type": "control_msgs/FollowJointTrajectory"}),
            ("unadvertise", {"topic": "/t"}),
        )  # fmt: skip
        for op, rest in ops:
            one.say(op, **rest)
            (told,) = await one.heard()
            assert told["op"] == "status" and f'"{op}" needs an operator; you may look and ask' in told["msg"], op
        one.session.receive(
            '{"op": "fragment", "id": "f", "num": 0, "total": 1, "data": "{\\"op\\":\\"publish\\",\\"topic\\":\\"/t\\"}"}'
        )
        (told,) = await one.heard()
        assert "needs an operator" in told["msg"], "not in pieces either"
        assert set(one.graph.topics) == {"/t"} and not one.graph.services

    run(work, may_command=False)
