"""A JointState of 22 joints at 1 kHz from one process to another: rosbridge, ROS 1 and DDS, beside rospy to rospy.

Delays are from just before a message is published to when the other process has it as values. Each way in turn, --full twice.
ROS 1 needs `make peers`. And the executor's lateness without ROS, with a rosbridge of 50 clients, and with a node of ROS 1 and of
ROS 2, each with clients that hear no more and that say what is wrong.
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import ROOT, Row, finish, options

JOINTS = [f"joint_{k}" for k in range(22)]
KIND, TOPIC, RATE = "sensor_msgs/JointState", "/latency", 1000.0
SYSTEM_PYTHON, LATENCY = "/usr/bin/python3", str(ROOT / "benchmarks" / "peers" / "rospy_latency.py")
DOMAIN = 33
CLIENTS = 50


def message() -> dict[str, Any]:
    numbers = np.full(22, 0.1)
    header = {"seq": 0, "stamp": {"secs": 1, "nsecs": 2}, "frame_id": ""}
    return {"header": header, "name": JOINTS, "position": numbers, "velocity": numbers, "effort": numbers.copy()}


async def say(publish: Callable[[dict[str, Any]], None], seconds: float) -> None:
    begin = time.monotonic()
    for k in range(int(seconds * RATE)):
        await asyncio.sleep(max(begin + k / RATE - time.monotonic(), 0.0))
        said = message()
        said["effort"][0] = time.monotonic()
        publish(said)
    await asyncio.sleep(0.5)


# What each process does: `python benchmarks/ros.py ROLE ...`.


def say_by_rosbridge(port: str, seconds: str) -> None:
    from websockets.asyncio.server import serve

    from armillary.interfaces.http.users import UserStore
    from armillary.interfaces.ros.graph import Graph
    from armillary.interfaces.rosbridge.admission import Admission
    from armillary.interfaces.rosbridge.graph_wire import GraphWire
    from armillary.interfaces.rosbridge.server import RosbridgeServer
    from armillary.protocols.ros1_definitions import MESSAGES

    async def run() -> None:
        graph = Graph(MESSAGES)
        wire = GraphWire(graph, "/said")
        wire.advertise(TOPIC, KIND)
        with tempfile.TemporaryDirectory() as folder:
            server = RosbridgeServer(graph, Admission(UserStore(Path(folder)), "127.0.0.1"))
            async with serve(server.serve, "127.0.0.1", int(port), process_request=server.admit, compression=None):
                while not wire.wanted(TOPIC):
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.3)
                await say(lambda said: wire.publish(TOPIC, said), float(seconds))

    asyncio.run(run())


def hear_by_rosbridge(port: str, count: str) -> None:
    from websockets.sync.client import connect

    wait_for(int(port))
    delays: list[float] = []
    with connect(f"ws://127.0.0.1:{port}", compression=None) as client:
        client.send(json.dumps({"op": "subscribe", "topic": TOPIC, "type": KIND, "queue_length": 100}))
        print("ready", flush=True)
        try:
            while len(delays) < int(count):
                said = json.loads(client.recv(20.0))
                delays.append(time.monotonic() - said["msg"]["effort"][0])
        except Exception as error:  # the other end goes when it has said all
            print(type(error).__name__, file=sys.stderr)
    print(json.dumps([1e3 * delay for delay in delays]), flush=True)


def say_by_ros1(seconds: str) -> None:
    from armillary.interfaces.ros1.rospy_wire import RospyWire
    from armillary.ros1 import MessagePackages, import_rospy

    rospy = import_rospy()
    rospy.init_node("latency_say", anonymous=True, disable_signals=True)

    async def run() -> None:
        wire = RospyWire(rospy, MessagePackages(), asyncio.get_running_loop())
        wire.advertise(TOPIC, KIND)
        while not wire.wanted(TOPIC):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        await say(lambda said: wire.publish(TOPIC, said), float(seconds))

    asyncio.run(run())
    rospy.signal_shutdown("done")


def say_by_dds(seconds: str) -> None:
    from armillary.interfaces.ros2.dds_wire import DdsWire

    async def run() -> None:
        wire = DdsWire(asyncio.get_running_loop(), DOMAIN)
        wire.advertise(TOPIC, KIND)
        while not wire.wanted(TOPIC):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
        await say(lambda said: wire.publish(TOPIC, said), float(seconds))

    asyncio.run(run())


def hear_by_dds(count: str) -> None:
    """With a bare reader of cyclonedds, as a node of another's would be."""
    from cyclonedds.core import Listener, Policy, Qos
    from cyclonedds.domain import Domain, DomainParticipant
    from cyclonedds.sub import DataReader
    from cyclonedds.topic import Topic
    from cyclonedds.util import duration

    from armillary.interfaces.ros2.dds_types import dds_type
    from armillary.interfaces.ros2.dds_wire import LOOPBACK, topic_name

    delays: list[float] = []

    class Came(Listener):  # type: ignore[misc]
        def on_data_available(self, reader: Any) -> None:
            for sample in reader.take(100):
                delays.append(time.monotonic() - float(sample.values["effort"][0]))

    domain = Domain(DOMAIN, LOOPBACK)
    participant = DomainParticipant(DOMAIN)
    quality = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(100))
    topic = Topic(participant, topic_name(TOPIC), dds_type(KIND), qos=quality)
    reader = DataReader(participant, topic, qos=quality, listener=Came())
    print("ready", flush=True)
    end, quiet, seen = time.monotonic() + 60.0, time.monotonic(), 0
    while len(delays) < int(count) and time.monotonic() < end:
        time.sleep(0.05)
        if len(delays) != seen:
            quiet, seen = time.monotonic(), len(delays)
        if seen and time.monotonic() - quiet > 2.0:
            break
    print(json.dumps([1e3 * delay for delay in delays]), flush=True)
    del reader, domain


def many_clients(address: str) -> None:
    """Thirty that listen, ten that never read, ten that say what is wrong again and again."""
    from websockets.asyncio.client import ClientConnection, connect

    async def listen(client: ClientConnection) -> None:
        async for _ in client:
            pass

    async def pester(client: ClientConnection) -> None:
        for k in range(1_000_000):
            await client.send(("{", '{"op":3}', '{"op":"publish","topic":"/joint_trajectory","msg":{"points":3}}')[k % 3])
            await asyncio.sleep(0.05)

    async def run() -> None:
        asked = {"op": "subscribe", "topic": "/joint_states", "type": KIND, "throttle_rate": 50}
        works, clients = [], [await connect(address, compression=None) for _ in range(CLIENTS)]
        for k, client in enumerate(clients):
            await client.send(json.dumps(asked if k < 30 else {**asked, "topic": "/tf", "type": "tf2_msgs/TFMessage"}))
            if 30 <= k < 40:
                client.transport.pause_reading()
            else:
                works.append(asyncio.create_task(listen(client)))
            if k >= 40:
                works.append(asyncio.create_task(pester(client)))
        print("ready", flush=True)
        await asyncio.gather(*works)

    asyncio.run(run())


def listen_by_dds() -> None:
    take_by_dds("/joint_states", KIND)


def pester_by_dds() -> None:
    """With a trajectory that is wrong."""
    from armillary.interfaces.ros2.dds_wire import DdsWire

    async def run() -> None:
        wire = DdsWire(asyncio.get_running_loop(), DOMAIN)
        wire.advertise("/joint_trajectory", "trajectory_msgs/JointTrajectory")
        print("ready", flush=True)
        while True:
            wire.publish("/joint_trajectory", {"joint_names": ["elbow"], "points": [{"positions": np.zeros(1)}]})
            await asyncio.sleep(0.05)

    asyncio.run(run())


def take_by_dds(name: str, kind: str) -> None:
    from armillary.interfaces.ros2.dds_wire import DdsWire

    async def run() -> None:
        wire = DdsWire(asyncio.get_running_loop(), DOMAIN)
        wire.subscribe(name, kind, lambda _: None)
        print("ready", flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())


ROLES: dict[str, Callable[..., None]] = {
    "say_by_rosbridge": say_by_rosbridge, "hear_by_rosbridge": hear_by_rosbridge, "say_by_ros1": say_by_ros1,
    "say_by_dds": say_by_dds, "hear_by_dds": hear_by_dds, "many_clients": many_clients, "listen_by_dds": listen_by_dds,
    "pester_by_dds": pester_by_dds,
}  # fmt: skip


# Who starts them.


def wait_for(port: int) -> None:
    end = time.monotonic() + 20.0
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def delays(hear: list[str], say: list[str], environment: dict[str, str]) -> Any:
    """Of one way [ms]."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(say, env=environment, stdout=quiet, stderr=quiet) as says:
        with subprocess.Popen(hear, env=environment, stdout=subprocess.PIPE, stderr=quiet, text=True) as hears:
            out, _ = hears.communicate(timeout=90)
        says.kill()
    return np.array(json.loads(out.splitlines()[-1]))


def own(role: str, *rest: object) -> list[str]:
    return [sys.executable, str(Path(__file__)), role, *(str(each) for each in rest)]


def ros1_master(home: str, opened: ExitStack) -> dict[str, str]:
    """The environment of all who meet at a master of ROS 1; nothing where that is not installed."""
    if shutil.which("rosmaster") is None:
        return {}
    port, quiet = free_port(), subprocess.DEVNULL
    environment = {**os.environ, "ROS_MASTER_URI": f"http://127.0.0.1:{port}", "ROS_IP": "127.0.0.1", "ROS_HOME": home}
    master = subprocess.Popen(["rosmaster", "--core", "-p", str(port)], env=environment, stdout=quiet, stderr=quiet)
    opened.enter_context(master)
    opened.callback(master.kill)
    wait_for(port)
    return environment


def transport_rows(seconds: float, rounds: int) -> list[Row]:
    count, found = int(seconds * RATE), dict[str, list[Any]]()
    with tempfile.TemporaryDirectory() as home, ExitStack() as masters:
        found_ros1 = ros1_master(home, masters)
        ros1, environment = bool(found_ros1), found_ros1 or {**os.environ}
        if not ros1:
            print("ROS 1 is not installed (make peers): no peer")
        rospy = [SYSTEM_PYTHON, LATENCY]
        for _ in range(rounds):
            bridge = free_port()
            ways = {
                "rosbridge": (own("hear_by_rosbridge", bridge, count), own("say_by_rosbridge", bridge, seconds)),
                "DDS": (own("hear_by_dds", count), own("say_by_dds", seconds)),
            }
            if ros1:
                ways["rospy"] = [*rospy, "hear", str(count)], [*rospy, "say", str(seconds), str(RATE)]
                ways["ROS 1"] = [*rospy, "hear", str(count)], own("say_by_ros1", seconds)
            for name, (hear, tell) in ways.items():
                found.setdefault(name, []).append(delays(hear, tell, environment))
    rows = []
    for name, target in (("rosbridge", 3.0), ("ROS 1", 1.5), ("DDS", 1.5)):
        if name not in found:
            continue
        for quantile in (50, 99):
            ours = float(np.percentile(np.concatenate(found[name]), quantile))
            peer = float(np.percentile(np.concatenate(found["rospy"]), quantile)) if ros1 else None
            rows.append(
                Row(f"{name}, 22 joints at 1 kHz, p{quantile}", "ms", ours, peer, "rospy to rospy", target if ros1 else None)
            )
        lost = rounds * count - sum(len(each) for each in found[name])
        rows.append(Row(f"{name}: messages that did not come, of {rounds * count}", "messages", float(lost), None, "", None))
    return rows


def lateness_rows(seconds: float, turns: int) -> list[Row]:
    """Of an executor whose robot moves: with nobody, and with the clients of each way, one way after the other, in turns."""
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as home, ExitStack() as master:
        environment = ros1_master(home, master)
        ways = ["nobody", "rosbridge", "DDS", *(["ROS 1"] if environment else [])]
        for _ in range(turns):
            for way in ways:
                found.setdefault(way, []).append(lateness(way, seconds, environment or {**os.environ}))
    rows = []
    for way in ways[1:]:
        for key, unit in (("p50", "us"), ("p99", "us"), ("missed", "ticks")):
            ours, alone = (float(np.median([turn[key] for turn in found[each]])) for each in (way, "nobody"))
            case = f"{'lateness, ' if unit == 'us' else ''}{key}{' ticks' if key == 'missed' else ''}, {way} with its clients"
            compares = alone > 0.0  # no worse; where nobody's is zero there is no ratio
            rows.append(Row(case, unit, ours, alone if compares else None, "nobody", 1.0 if compares else 0.0))
    return rows


def lateness(way: str, seconds: float, environment: dict[str, str]) -> dict[str, float]:
    """Of one run [us], and how many ticks began a millisecond late or more."""
    from armillary.cell import Cell

    with ExitStack() as opened:
        bridge = {"port": 0, "rate": 200} if way == "rosbridge" else None
        cell = opened.enter_context(Cell.open("cobot6", driver="ideal", record=False, rosbridge=bridge))
        if way == "rosbridge":
            start(opened, own("many_clients", cell.station.rosbridge["address"]), environment)
        elif way != "nobody":
            node = [sys.executable, "-m", "armillary.interfaces.cli.main"]
            rest = [cell.station.folder.name, "--rate", "200"]
            node += ["ros1", *rest] if way == "ROS 1" else ["ros2", *rest, "--domain", str(DOMAIN)]
            start(opened, node, environment, says="/armillary at" if way == "ROS 1" else "domain")
            role, script = (
                ([SYSTEM_PYTHON, LATENCY], "listen") if way == "ROS 1" else (own("listen_by_dds")[:-1], "listen_by_dds")
            )
            for _ in range(4):
                listener = start(opened, [*role, script], environment)
            os.kill(listener.pid, signal.SIGSTOP)  # one that hears no more
            start(opened, [*role, script.replace("listen", "pester")], environment)
        home, end, k = cell.state.q, time.monotonic() + seconds, 0
        cell.statistics()
        while time.monotonic() < end:
            k += 1
            cell.move_joints(home + (0.05 if k % 2 else 0.0))
        late = cell.statistics()["lateness"]
    return {"p50": 1e6 * late["p50"], "p99": 1e6 * late["p99"], "missed": float(sum(late["bins"][54:]))}


def start(opened: ExitStack, command: list[str], environment: dict[str, str], says: str = "ready") -> "subprocess.Popen[str]":
    """A process that has said that it is there, and is ended with the rest."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    opened.enter_context(process)
    opened.callback(process.kill)
    assert process.stdout is not None
    for line in process.stdout:
        if says in line:
            return process
    sys.exit(f"{command[-1]} does not start")


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] in ROLES:
        ROLES[sys.argv[1]](*sys.argv[2:])
        return
    opts = options(__doc__ or "")
    rows = transport_rows(15.0 if opts.full else 2.0, 2 if opts.full else 1)
    rows += lateness_rows(5.0 if opts.full else 2.0, 3 if opts.full else 1)
    finish("ros", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
