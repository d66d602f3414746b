"""Services and the action over DDS, as a client of ROS 2 uses them: by another process, with their topics alone."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from armillary.cell import Cell
from armillary.interfaces.ros.spoken import SPOKEN, Way
from armillary.interfaces.ros2.dds_types import dds_type, type_name
from armillary.interfaces.ros2.dds_wire import service_topics
from armillary.protocols.cdr import BadMessage

pytest.importorskip("cyclonedds", reason="cyclonedds is not installed (pip install armillary[dev])")
HERE = Path(__file__).parent
DOMAIN = 40 + (os.getpid() + 75) % 150


@pytest.mark.slow
def test_a_client_calls_drives_and_cancels() -> None:
    start = [0.0, 1.83, -2.18, -1.92, -1.57, 0.0]
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=1.0, start=start) as cell:
        cell.station.ask("give_control")
        command = [
            sys.executable,
            "-m",
            "armillary.interfaces.cli.main",
            "ros2",
            cell.station.folder.name,
            "--domain",
            str(DOMAIN),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as node:
            assert node.stdout is not None and "domain" in (said := node.stdout.readline()), said
            peer = [sys.executable, str(HERE / "dds_client.py"), str(DOMAIN)]
            done = subprocess.run(peer, capture_output=True, text=True, timeout=300, check=False)
            node.send_signal(signal.SIGINT)
            assert node.wait(20) == 0
        assert not cell.state.fault, cell.state.fault
    assert done.returncode == 0, done.stderr[-2000:]
    saw: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    every = [[each.name, each.way.value] for each in SPOKEN if each.way != Way.ACTION]
    assert saw["everything"] == every, "every topic is said or heard, and every service answers"
    assert saw["programs"] and saw["off"]["success"] and saw["on"]["success"], saw
    assert saw["accepted"] and saw["done"] == [4, 0] and saw["feedback"] > 3, saw
    assert saw["accepted_2"] and saw["cancelling"] == [0, 1] and saw["cancelled"] == 5, saw
    assert saw["again"] == 3 and saw["nobody"] == 2 and saw["unknown"] == 0, saw
    assert not saw["refused"] and any("nothing" in text for text in saw["why"]), saw
    assert saw["status"] == [4, 5, 6], saw
    assert saw["jogged"] > 0.001 and saw["followed"] < -0.001 and saw["unfollowed"], saw
    assert any("/cmd_vel: cobot6 has no base that is driven" in text for text in saw["said"]), saw
    assert not saw["wrong"] and saw["program"]["success"] and saw["stopped"], saw
    assert not saw["twice"]["success"] and "a program runs" in saw["twice"]["message"], saw


def test_a_service_is_named_and_numbered_as_rmw_cyclonedds_does() -> None:
    assert service_topics("/power") == ("rq/powerRequest", "rr/powerReply")
    assert type_name("std_srvs/srv/SetBool_Request") == "std_srvs::srv::dds_::SetBool_Request_"
    asked = dds_type("std_srvs/srv/SetBool_Request", numbered=True)
    data = asked.of({"data": True}, (0x1122334455667788, 9)).serialize()
    assert data == bytes.fromhex("00010000 8877665544332211 0900000000000000 01")
    assert asked.deserialize(data).number == (0x1122334455667788, 9) and asked.deserialize(data).values == {"data": True}
    with pytest.raises(BadMessage, match="no room for its number"):
        asked.deserialize(data[:12])
