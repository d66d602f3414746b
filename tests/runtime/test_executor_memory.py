"""The executor's process, driven by hand: its memory does not grow, and once it has priority nothing is imported any more."""

import gc
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from armillary.motion import plan_joints
from armillary.runtime import Handover, State, StationSettings
from armillary.runtime.executor_process import ExecutorProcess
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.prepared import prepare
from armillary.runtime.station_channels import StationChannels

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
TICKS, WARM = 20_000, 4_000


@pytest.mark.slow
def test_twenty_thousand_ticks_leave_nothing_behind(tmp_path: Path) -> None:
    """Back and forth, with holds, overrides and stops; what is said is taken away by others, as in a station."""
    prepared = prepare(StationSettings(source="cobot6", driver="ideal", start=tuple(HOME), patience=5.0))
    channels = StationChannels(tmp_path, 6)
    process = ExecutorProcess(tmp_path, prepared)
    life, pipes = channels.boards["life"], channels.pipes
    life.value["owner"] = 5
    ways = [
        plan_joints(prepared.model, begin, end, limits=prepared.limits, bounds=prepared.bounds)
        for begin, end in ((HOME, HOME + 0.3), (HOME + 0.3, HOME))
    ]
    number, turns, grown = 0, 0, []

    def order(*messages: Message) -> None:
        for message in messages:
            pipes["orders"].send(message.encode())

    tracemalloc.start()
    try:
        for tick in range(TICKS):
            executor, now = process.executor, time.monotonic()
            number += 10
            if executor.state in (State.OFF, State.STOPPED):
                kind = "power_on" if executor.state == State.OFF else "initialise"
                order(Message(kind, number, now, {"owner": 5}))
            elif executor.state == State.READY and not executor.moves:
                at = int(np.abs(executor.command.q - HOME).max() > 0.15)
                plan, turns = ways[at], turns + 1
                order(*handover_messages(Handover(plan.trajectory, plan.certificate), number, now, 5))
            elif tick % 700 == 300:
                order(Message("hold", number, now, {"owner": 5}))
            elif tick % 700 == 450:
                order(Message("resume", number, now, {"owner": 5}))
            life.value["time"], life.value["override"] = now, (1.0, 0.4, 0.8)[tick // 500 % 3]
            life.write()
            process._now = now
            assert process._hear(now)
            executor.tick(now)
            process._say(now, 0.0, 0.0)
            if tick % 50 == 0:
                for name in ("answers", "history"):
                    pipes[name].clear()
            if tick % 4000 == WARM - 1:
                gc.collect()
                grown.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
        channels.close()
    assert turns > 8 and executor.fault is None
    assert max(grown[1:]) - grown[0] < 4096, f"bytes held, every four thousand ticks: {grown}"


SCRIPT = """
import sys, time
from pathlib import Path
import numpy as np
from armillary.motion import plan_joints
from armillary.runtime import Handover, State, StationSettings, executor_process
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.prepared import prepare
from armillary.runtime.station_channels import StationChannels

folder, home = Path(sys.argv[1]), np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
prepared = prepare(StationSettings(source="cobot6", driver="ideal", start=tuple(home)))
executor_process.warm_up(prepared.model, 0.001)
channels = StationChannels(folder, 6)
life, orders = channels.boards["life"], channels.pipes["orders"]
life.value["owner"] = 5
plan = plan_joints(prepared.model, home, home + 0.3, limits=prepared.limits, bounds=prepared.bounds)
process = executor_process.ExecutorProcess(folder, prepared)
loaded, script = [], {
    1: "power_on", 3: "initialise", 10: "run", 150: "hold", 400: "resume", 600: "stop", 1500: "follow", 1550: "stop",
    1700: "fault", 1800: "reset", 1810: "statistics", 1820: "initialise", 1830: "power_off", 1840: "end",
}

class Watch:
    def find_spec(self, name, path=None, target=None):
        loaded.append(name)

def take_priority():
    sys.meta_path.insert(0, Watch())
    return "real time: asked for"

class Told:
    def __init__(self, period, spin):
        self.tick = 0
    def wait(self):
        self.tick += 1
        life.value["time"], life.value["override"] = time.monotonic(), 0.7 if self.tick > 100 else 1.0
        kind = script.get(self.tick, "")
        if kind == "run":
            for message in handover_messages(Handover(plan.trajectory, plan.certificate), 1000 * self.tick, time.monotonic(), 5):
                orders.send(message.encode())
        elif kind == "stop":
            life.value["stops"][0][2] += 1
        elif kind == "fault":
            process.executor.command.q[2] = np.nan
        elif kind:
            orders.send(Message(kind, 1000 * self.tick, time.monotonic(), {"owner": 5}).encode())
        life.write()
        return 0.0, 0.0

executor_process.take_priority, executor_process.Ticker = take_priority, Told
process.run()
happened = [each for each in iter(channels.pipes["history"].receive, None) if each[:1] == b"M"]
kinds = [Message.decode(each[1:]).values.get("event", "") for each in happened]
print(";".join(kinds), "|", ";".join(loaded))
"""


@pytest.mark.slow
def test_nothing_is_imported_once_it_has_priority(tmp_path: Path) -> None:
    """A whole motion, with everything that can happen to it, in a fresh process."""
    run = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    said = subprocess.run(run, capture_output=True, text=True, check=True, timeout=300).stdout
    events, loaded = said.strip().split(" | ") if " | " in said.strip() else (said.strip().rstrip("|").strip(), "")
    assert {"MOVE", "HOLD", "RESUME", "STOP", "FAULT", "RESET", "POWER_OFF"} <= set(events.split(";")), events
    assert loaded == "", "these were loaded in the middle of it"
