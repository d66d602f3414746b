"""Processes killed and stopped in the middle of a motion: the robot comes to rest, the reason is said, nothing is replayed."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.model import load_model
from armillary.motion import Plan, certify, join, limits_of, plan_joints
from armillary.runtime import Board, Link, Refused, RuntimeProblem, State
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.message import Message, motion_message

pytestmark = pytest.mark.slow
MODEL = load_model("cobot6")
LIMITS = limits_of(MODEL)
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([4.0, -0.3, 0.4, 0.2, 0.3, 0.6])
STOPS = 3.0  # s: within this everything stands, the machine's own pauses among it


@pytest.fixture
def link() -> Iterator[Link]:
    with Link("cobot6", MODEL, HOME, spin=False) as running:
        running.order("power_on")
        running.order("initialise")
        running.wait(State.READY)
        yield running


def go(link: Link) -> Plan:
    plan = plan_joints(MODEL, link.state["q"].copy(), AWAY)
    link.run(plan.trajectory, plan.certificate)
    link.wait(State.MOVING)
    time.sleep(0.4)
    return plan


def stands(state: np.ndarray) -> bool:
    return not state["moves"] and bool(np.abs(state["v"]).max() == 0.0)


def wait_until_it_stands(link: Link) -> None:
    deadline = time.monotonic() + STOPS
    while not stands(link.state):
        assert time.monotonic() < deadline, "it still moves"
        time.sleep(0.005)


def test_a_motion_through_the_process(link: Link) -> None:
    plan = go(link)
    link.wait(State.READY, timeout=20.0)
    assert link.state["q"] == pytest.approx(AWAY, abs=1e-9)
    assert [happening["event"] for happening in link.happenings][-2:] == ["MOVE", "ARRIVED"]
    with pytest.raises(Refused, match="begins"):
        link.run(plan.trajectory, plan.certificate)
    with pytest.raises(Refused, match="cannot be followed"):
        link.order("resume")
    with pytest.raises(Refused, match="no order"):
        link.order("dance")


def test_a_motion_that_would_hold_up_the_ticks_is_refused(link: Link) -> None:
    plan = plan_joints(MODEL, HOME, AWAY)
    knots = np.linspace(0.0, plan.trajectory.duration, 2001)
    long = join([plan.trajectory.part(a, b) for a, b in itertools.pairwise(knots)])
    with pytest.raises(Refused, match="in parts"):
        link.run(long, certify(long, MODEL))
    assert link.state["state"] == State.READY


@pytest.mark.parametrize("category", [2, 1, 0])
def test_a_stop_does_not_wait_behind_anything(link: Link, category: int) -> None:
    plan = go(link)
    for _ in range(20):  # a heap of orders before it
        link._number += 1
        link._orders.send(motion_message(link._number, time.monotonic(), plan.trajectory, plan.certificate).encode())
    link.stop(category)
    link.wait(State.READY if category == 2 else State.OFF, timeout=STOPS)
    assert stands(link.state)
    assert link.state["progress"] < 1.0 or category != 2 or not np.allclose(link.state["q"], AWAY)


def test_orders_that_were_heard_before_or_are_old_are_refused(link: Link) -> None:
    plan = plan_joints(MODEL, HOME, AWAY)
    for number, sent, said in ((1, time.monotonic(), "taken before"), (link._number + 50, time.monotonic() - 5.0, "old")):
        with pytest.raises(Refused, match=said):
            link._send(motion_message(number, sent, plan.trajectory, plan.certificate), 2.0)
    assert link.state["state"] == State.READY


def test_a_spoilt_message_moves_nothing(link: Link) -> None:
    plan = plan_joints(MODEL, HOME, AWAY)
    good = motion_message(link._number + 1, time.monotonic(), plan.trajectory, plan.certificate)
    coefficients = good.arrays["coefficients"].copy()
    coefficients[0, 0, 3] += 1e-9
    arrays = {**good.arrays, "coefficients": coefficients}
    with pytest.raises(Refused, match="another motion"):
        link._send(Message(good.kind, good.number, good.sent, good.values, arrays), 2.0)
    assert link.state["state"] == State.READY


@pytest.mark.parametrize("pause", [0.005, 0.2, 1.0])
def test_an_executor_that_is_stopped_for_a_while(link: Link, pause: float) -> None:
    """SIGSTOP: its robot's watchdog brakes; afterwards it says why, stands, and a reset brings it back."""
    go(link)
    os.kill(link.process.pid, signal.SIGSTOP)
    time.sleep(pause)
    os.kill(link.process.pid, signal.SIGCONT)
    if pause < 0.02:
        link.wait(State.READY, State.FAULTED, timeout=20.0)
        return
    link.wait(State.FAULTED, timeout=STOPS)
    wait_until_it_stands(link)
    assert b"late" in link.state["fault"] or b"no command" in link.state["fault"]
    before = link.state["measured_q"].copy()
    link.order("reset")
    link.order("initialise")
    link.wait(State.READY)
    time.sleep(0.2)
    assert link.state["measured_q"] == pytest.approx(before, abs=1e-9), "nothing is replayed"


def test_an_executor_that_is_killed_is_told_of(link: Link) -> None:
    go(link)
    os.kill(link.process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeProblem, match="has ended"):
        link.wait(State.READY, timeout=5.0)


STATION = """
import sys, time
import numpy as np
from armillary.model import load_model
from armillary.motion import plan_joints
from armillary.runtime import Link, State
model = load_model("cobot6")
home = np.array({home})
link = Link("cobot6", model, home, spin=False)
link.order("power_on"); link.order("initialise"); link.wait(State.READY)
plan = plan_joints(model, home, np.array({away}))
link.override(0.3)
link.run(plan.trajectory, plan.certificate)
time.sleep(0.6)
print(link._folder, link.process.pid, flush=True)
time.sleep(60)
"""


def test_a_station_that_is_killed() -> None:
    """kill -9: the executor stops on the path, says why on its board, and ends."""
    script = STATION.format(home=HOME.tolist(), away=AWAY.tolist())
    station = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert station.stdout is not None
    folder, pid = station.stdout.readline().split()
    board = Board(Path(folder) / "state", state_kind(6))
    assert board.read()[1][0]["moves"]
    station.kill()
    station.wait()
    station.stdout.close()
    deadline = time.monotonic() + STOPS
    while not stands(board.read()[1][0]):
        assert time.monotonic() < deadline, "it still moves"
        time.sleep(0.01)
    state = board.read()[1][0]
    assert b"station" in state["fault"] and np.abs(state["q"] - HOME).max() > 0.01
    while Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < deadline + 2.0, "it lives on"
        time.sleep(0.02)
    board.close()
    for file in Path(folder).iterdir():
        file.unlink()
    Path(folder).rmdir()
