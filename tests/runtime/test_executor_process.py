"""What an executor's process takes from its channels, and what not: driven by hand, without its loop."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.drivers import Stage
from armillary.motion import plan_joints
from armillary.runtime import Fault, Handover, State, StationSettings
from armillary.runtime.executor_process import ExecutorProcess
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.prepared import Prepared, prepare
from armillary.runtime.realtime import Ticker
from armillary.runtime.source import Track
from armillary.runtime.station_channels import StationChannels

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
# Patient: the ticks are the test's own, and a busy machine is late with them.
PREPARED = prepare(StationSettings(source="cobot6", driver="ideal", start=tuple(HOME), patience=5.0))


class Rig:
    """A process whose ticks and orders are the test's."""

    def __init__(self, folder: Path, prepared: Prepared = PREPARED) -> None:
        self.channels = StationChannels(folder, 6)
        self.process = ExecutorProcess(folder, prepared)
        self.number = 10
        self.life("owner", 5)

    def life(self, name: str, value: float) -> None:
        board = self.channels.boards["life"]
        board.value[name] = value
        board.value["time"] = time.monotonic()
        board.write()

    def send(self, *messages: Message) -> str:
        """What is answered to the last of them: why it is refused, or ""."""
        for message in messages:
            self.channels.pipes["orders"].send(message.encode())
            self.tick()
        answer: dict[str, Any] = {}
        while (data := self.channels.pipes["answers"].receive()) is not None:
            message = Message.decode(data)
            if message.kind == "answer":
                answer = dict(message.values)
        return str(answer["refused"])

    def order(self, kind: str, *, owner: int = 5, age: float = 0.0, number: int = 0) -> str:
        self.number += 1
        return self.send(Message(kind, number or self.number, time.monotonic() - age, {"owner": owner}))

    def motion(self, *, owner: int = 5) -> list[Message]:
        plan = plan_joints(PREPARED.model, self.process.executor.command.q.copy(), HOME + 0.3, bounds=PREPARED.bounds)
        messages = handover_messages(Handover(plan.trajectory, plan.certificate), self.number + 1, time.monotonic(), owner)
        self.number += len(messages)
        return messages

    def tick(self, quiet: float = 0.0) -> None:
        now = time.monotonic()
        self.process._now = now
        self.process._hear(now)
        self.process.executor.tick(now, station_quiet=quiet)
        self.process._say(now, 0.0, 0.0)

    def up(self) -> "Rig":
        assert self.order("power_on") == "" and self.order("initialise") == ""
        self.tick()
        assert self.process.executor.state == State.READY
        return self


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.channels.close()


def test_orders_that_are_followed(rig: Rig) -> None:
    rig.up()
    assert rig.send(*rig.motion()) == ""
    assert rig.process.executor.state == State.MOVING
    state = rig.channels.boards["state"].read()[1][0]
    assert state["state"] == State.MOVING and state["certified"]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"owner": 6}, "does not have control"), ({"age": 5.0}, "old"), ({"number": 3}, "taken before")],
)
def test_orders_that_are_not(rig: Rig, change: dict[str, Any], said: str) -> None:
    rig.order("hold")
    assert said in rig.order("power_on", **change)
    assert rig.process.executor.state == State.OFF


def test_a_motion_of_somebody_without_control(rig: Rig) -> None:
    rig.up()
    assert "does not have control" in rig.send(*rig.motion(owner=7))
    rig.life("owner", 7)
    assert rig.send(*rig.motion(owner=7)) == ""


def test_a_motion_that_was_changed_on_its_way(rig: Rig) -> None:
    rig.up()
    first, last = rig.motion()
    coefficients = first.arrays["coefficients"].copy()
    coefficients[0, 0, 3] += 1e-9
    assert "another motion" in rig.send(replace(first, arrays={**first.arrays, "coefficients": coefficients}), last)
    assert rig.process.executor.state == State.READY


def test_what_there_is_not(rig: Rig) -> None:
    assert "no order 'dance'" in rig.order("dance")
    assert "missing" in rig.send(rig.motion()[-1])


@pytest.mark.parametrize("board", ["life", "panic"])
@pytest.mark.parametrize("category", [0, 1, 2])
def test_stops_wait_behind_nothing(rig: Rig, board: str, category: int) -> None:
    rig.up()
    rig.send(*rig.motion())
    for _ in range(50):
        rig.tick()
    for message in rig.motion() * 20:  # a heap of orders before it
        rig.channels.pipes["orders"].send(message.encode())
    value = rig.channels.boards[board].value
    if board == "panic":
        value["category"] = category
        value["stops"] += 1
    else:
        value["stops"][0][category] += 1
    rig.channels.boards[board].write()
    rig.tick()
    executor = rig.process.executor
    assert executor.state == State.OFF if category == 0 else executor._then is not None


def test_a_jog_runs_only_while_it_is_held(rig: Rig) -> None:
    rig.up()
    pipe, answers = rig.channels.pipes["jog_pieces"], rig.channels.pipes["jog_answers"]
    for message in rig.motion():
        pipe.send(message.encode())
        rig.tick()
    data = answers.receive()
    assert data is not None and "only while it is held" in Message.decode(data).values["refused"]
    assert rig.process.executor.state == State.READY


def test_a_new_one_takes_nothing_that_was_meant_for_the_one_before(rig: Rig) -> None:
    rig.up()
    for message in rig.motion():
        rig.channels.pipes["orders"].send(message.encode())
    after = ExecutorProcess(rig.process.folder, PREPARED, fault="the executor had ended (signal 9); the motors braked")
    after._hear(time.monotonic())
    assert after.executor.state == State.FAULTED and "signal 9" in str(after.executor.fault)


def set_output(rig: Rig, index: object, value: object, *, owner: int = 5, kind: str = "set_output", **more: object) -> str:
    rig.number += 1
    return rig.send(Message(kind, rig.number, time.monotonic(), {"owner": owner, "index": index, "value": value, **more}))


def test_an_output_is_on_the_board_with_the_tick_and_comes_back_with_the_next(rig: Rig) -> None:
    rig.up()
    assert set_output(rig, 31, True) == "" and set_output(rig, 7, -2.5) == ""
    board = rig.channels.boards["state"].read()[1][0]
    assert board["outputs"] == 1 << 31 and board["analog_outputs"].tolist() == [0.0] * 7 + [-2.5]
    rig.tick()
    board = rig.channels.boards["state"].read()[1][0]
    assert board["inputs"] == 1 << 31 and board["analog_inputs"].tolist() == [0.0] * 7 + [-2.5]
    assert board["counts"].tolist() == [32, 32, 8, 8]


@pytest.mark.parametrize("kind", ["set_output", "simulate_input"])
@pytest.mark.parametrize(
    ("index", "value", "owner", "said"),
    [
        (0, True, 6, "does not have control"), (32, True, 5, "the motor side has 32, from 0 to 31"),
        (8, 0.5, 5, "the motor side has 8, from 0 to 7"), (0, float("nan"), 5, "is no value"), (0, "on", 5, "is no value"),
        (None, True, 5, "is no index"), ([1], True, 5, "is no index"), (0, {"a": 1}, 5, "is no value"),
    ],
)  # fmt: skip
def test_outputs_and_inputs_that_are_refused(rig: Rig, kind: str, index: object, value: object, owner: int, said: str) -> None:
    rig.up()
    assert said in set_output(rig, index, value, owner=owner, kind=kind)
    rig.tick()
    board = rig.channels.boards["state"].read()[1][0]
    assert board["outputs"] == board["inputs"] == 0 and not board["analog_outputs"].any() and not board["analog_inputs"].any()


def test_an_input_that_is_simulated_is_seen_by_who_hears_that_it_was_taken(rig: Rig) -> None:
    assert set_output(rig, 4, True, kind="simulate_input") == "", "without power too"
    assert set_output(rig, 1, 0.75, kind="simulate_input") == ""
    board = rig.channels.boards["state"].read()[1][0]
    assert board["inputs"] == 16 and board["analog_inputs"][1] == 0.75 and np.isnan(board["analog_inputs"][0])
    assert set_output(rig, 4, None, kind="simulate_input") == ""
    assert set_output(rig, 1, None, kind="simulate_input", analog=True) == ""
    board = rig.channels.boards["state"].read()[1][0]
    assert board["inputs"] == 0 and np.isnan(board["analog_inputs"]).all()


@pytest.mark.parametrize("off", [True, False])
def test_a_cell_says_whether_outputs_go_off_with_a_fault(tmp_path: Path, off: bool) -> None:
    (tmp_path / "cell.toml").write_text(
        f'version = 1\nname = "demo"\n[robot]\nname = "cobot6"\n[station]\noutputs_off_on_fault = {str(off).lower()}\n'
    )
    settings = StationSettings(source=str(tmp_path / "cell.toml"), driver="ideal", start=tuple(HOME), patience=5.0)
    made = Rig(tmp_path, prepare(settings)).up()
    try:
        assert set_output(made, 3, True) == ""
        made.process.executor.fail(Fault("test", "", 0.0, 0.0, 0.0, "of the test's"))
        made.tick()
        made.tick()
        board = made.channels.boards["state"].read()[1][0]
        assert int(board["outputs"]) == int(board["inputs"]) == (0 if off else 8)
    finally:
        made.channels.close()


def test_everything_is_kept_for_the_recording(rig: Rig) -> None:
    rig.up()
    rig.send(*rig.motion())
    kinds = []
    while (data := rig.channels.pipes["history"].receive()) is not None:
        kinds.append("tick" if data[:1] == b"T" else Message.decode(data[1:]).kind)
    assert kinds.count("tick") > 4 and {"segments", "run", "happened"} <= set(kinds)


def test_a_recording_that_nobody_reads_holds_up_nothing(rig: Rig) -> None:
    rig.up()
    pipe = rig.channels.pipes["history"]
    while pipe.send(b"T" + bytes(60_000)):
        pass
    while pipe.send(b"T"):
        pass
    rig.tick()
    assert rig.process._lost > 0


class AtOnce(Ticker):
    """Ticks that follow each other without waiting; from one of them on, who started the process is gone."""

    def __init__(self, rig: Rig, gone_at: int, patch: pytest.MonkeyPatch) -> None:
        super().__init__(0.001)
        self._rig, self._left, self._patch = rig, gone_at, patch

    def wait(self) -> tuple[float, float]:
        self._left -= 1
        if self._left == 0:
            self._patch.setattr("os.getppid", lambda: 1)
            self._rig.channels.boards["life"].value["time"] = 0.0  # the front goes at once
            self._rig.channels.boards["life"].write()
        assert self._left > -5000, "it does not end"
        return 0.0, 0.0


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_executor_whose_supervisor_is_gone_stops_on_the_path_powers_off_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    rig = Rig(tmp_path, prepare(replace(PREPARED.settings, patience=0.0, goes_on=goes_on))).up()
    try:
        assert rig.send(*rig.motion()) == ""
        executor = rig.process.executor
        track, before = executor._source, executor.motion[1]
        assert isinstance(track, Track)
        rig.process._by_the_clock(AtOnce(rig, 300, monkeypatch))
        assert executor.state == State.OFF and executor.fault is None, "it is no fault that is left behind"
        assert 0.2 < track.progress < 1.0 and track.time > before + 0.3, "it has slowed down where it was on its way"
        assert executor.driver.stage == Stage.CLOSED and np.abs(executor.command.v).max() == 0.0
        assert executor.command.q == pytest.approx(track._pace.trajectory.at(track._pace.time).q, abs=1e-9), "on its path"
    finally:
        rig.channels.close()


@pytest.mark.parametrize("goes_on", [False, True])
def test_what_a_motion_does_when_the_front_is_gone_is_as_the_cell_says(tmp_path: Path, goes_on: bool) -> None:
    rig = Rig(tmp_path, prepare(replace(PREPARED.settings, patience=0.0, goes_on=goes_on))).up()
    try:
        assert rig.send(*rig.motion()) == ""
        executor = rig.process.executor
        for tick in range(3000):
            rig.tick(quiet=0.001 * tick)
            if tick == 200:
                rig.life("front", 1)  # it was started again, meanwhile
            if not executor.moves:
                break
        assert executor.state == (State.READY if goes_on else State.FAULTED)
        there = executor.command.q == pytest.approx(HOME + 0.3, abs=1e-9)
        assert there == goes_on and (goes_on or "nobody watched over the motion" in str(executor.fault))
    finally:
        rig.channels.close()


def test_a_front_that_is_silent_for_too_long_stops_the_motion_unless_it_goes_on(tmp_path: Path) -> None:
    for goes_on in (False, True):
        folder = tmp_path / str(goes_on)
        folder.mkdir()
        process = Rig(folder, prepare(replace(PREPARED.settings, patience=0.0, goes_on=goes_on))).process
        fault = process.executor.guard.check_time(0.0, 0.6, True, 1.0)
        assert (fault is None) == goes_on
        assert fault is None or (fault.kind, fault.value, fault.limit) == ("station", 0.6, 0.5)
