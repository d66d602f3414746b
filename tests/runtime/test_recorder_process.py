"""The recorder: a pipe in, files out; nothing that comes through the pipe ends it, and a kill loses less than a second."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import SeekingReader

from armillary.model import Model, frame_pose, load_model
from armillary.motion import plan_joints
from armillary.protocols.cdr import decode
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.channel import Board, Pipe, memory_folder
from armillary.runtime.handover import Handover
from armillary.runtime.histogram import Histograms
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.recorder_process import Recorder
from armillary.runtime.recording import Recording, repair
from armillary.runtime.recording_folder import RecordingFolder
from armillary.runtime.recording_frames import Frames
from armillary.runtime.recording_thinning import Thinning
from armillary.runtime.station_channels import RECORDER


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("cobot6")


class Station:
    """What a recorder finds: a folder in shared memory with settings and a pipe, and a fake executor's ticks."""

    def __init__(self, recordings: Path, pipe: int = 1 << 22, **settings: Any) -> None:
        self.folder = memory_folder() / f"armillary-test-{os.getpid()}-{time.monotonic_ns()}"
        self.folder.mkdir()
        self.recordings = RecordingFolder(recordings)
        known = {"source": "cobot6", "group": "", "period": 0.001, "recordings": str(recordings), "lock_step": True}
        (self.folder / "settings.json").write_text(json.dumps({**known, **settings}))
        self.history = Pipe(self.folder / "history", pipe, create=True)
        self.record = np.zeros(1, dtype=state_kind(6))

    def tick(self, moves: bool = True) -> bytes:
        record = self.record
        record["ticks"] += 1
        record["time"] = record["ticks"] * 0.001
        record["moves"], record["state"], record["rate"] = moves, 4 if moves else 3, 1.0
        record["q"] = np.sin(record["time"][0] + np.arange(6))
        record["measured_q"] = record["q"]
        record["origin"] = b"line 7"
        return b"T" + record.tobytes()

    def close(self) -> None:
        self.history.close()
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Callable[..., Station]]:
    made: list[Station] = []

    def make(**settings: Any) -> Station:
        made.append(Station(tmp_path / f"recordings{len(made)}", **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


def send_all(station: Station, recorder: Recorder, moves: list[bool]) -> None:
    for each in moves:
        record = station.tick(each)
        while not station.history.send(record):
            recorder.drain()


def test_while_it_stands_few_ticks_are_kept_and_all_around_a_motion() -> None:
    thinning, kept = Thinning(), list[int]()
    for i in range(10_000):
        kept += [int(record) for record in thinning.take(i * 0.001, 5000 <= i < 6000, str(i).encode())]
    assert sorted(kept) == [*range(0, 4000, 50), *range(4000, 7000), *range(7000, 10_000, 50)]


def test_while_it_stands_a_tick_in_which_something_is_switched_is_kept_and_not_twice() -> None:
    thinning, kept = Thinning(), list[int]()
    for i in range(300):
        record = str(i).encode()
        kept += [int(each) for each in thinning.take(i * 0.001, i == 299, record, switched=i in (101, 103))]
    assert kept[:6] == [0, 50, 100, 101, 103, 150] and sorted(kept) == list(range(300))


def test_a_clock_that_begins_anew_does_not_stop_the_recording() -> None:
    thinning = Thinning()
    assert thinning.take(100.0, True, b"old") == [b"old"]
    assert thinning.take(0.0, False, b"new") == [b"new"] and thinning.take(0.001, False, b"x") == []
    assert thinning.take(0.002, True, b"moves") == [b"x", b"moves"]


def test_frames_lead_from_the_root_to_the_tool(model: Model) -> None:
    frames, q = Frames(model), model.random(np.random.default_rng(0))
    assert frames.moving == [f"link_{i}" for i in range(1, 7)] and {"base", "tool0", "tool"} <= set(frames.fixed)
    T = frame_pose(model, q, "pedestal")
    for name in ("base", *frames.moving, "tool0"):
        T = T @ frames.poses(q, [name])[0]
    assert np.allclose(T, frame_pose(model, q, "tool0"))
    assert np.allclose(frames.poses(q, frames.fixed), frames.poses(model.zero(), frames.fixed))


def test_ticks_events_motions_and_statistics_are_recorded(station: Callable[..., Station], model: Model) -> None:
    here = station(epoch_ns=5 * 10**9)
    recorder = Recorder(here.folder)
    send_all(here, recorder, [False] * 500)
    plan = plan_joints(model, model.zero(), model.zero() + 0.1)
    for message in handover_messages(Handover(plan.trajectory, plan.certificate), 1, 0.0):
        here.history.send(b"M" + message.encode())
    said = {"time": 0.4, "event": "MOVE", "state": "MOVING", "text": "go"}
    here.history.send(b"M" + Message("happened", 9, 0.0, said).encode())
    times = Histograms("lateness", "hear")
    times.times[:] = 1e-6, 2e-3
    times.add()
    times.clear()  # somebody asked for them: the record is of the whole run all the same
    counts, most = times.whole
    arrays = {"counts": counts.astype(float), "most": most}
    here.history.send(b"M" + Message("statistics", 10, 0.0, {"ticks": 500, "names": list(times.names)}, arrays).encode())
    send_all(here, recorder, [True] * 700)
    recorder.close()
    found = Recording.open(here.recordings.latest("cobot6"))
    assert found.whole and len(found.time) == 1200 and np.allclose(np.diff(found.time), 0.001)
    assert found.start_ns == 5_001_000_000 and found.about.joints == model.joints and found.about.digest == model.digest
    assert "<robot" in found.about.description and found.source == ("line 7",) * 1200
    event, motion = found.events[0], found.trajectories[0]
    assert (event.kind, event.state, event.text, event.source) == ("MOVE", "MOVING", "go", "line 7") and event.time == 0.399
    assert np.isclose(motion.time, 0.499) and np.allclose(motion.q[-1], model.zero() + 0.1)
    names = [status["name"] for status in found.diagnostics[0]["status"]]
    assert names == ["executor", "executor: lateness", "executor: hear"]
    assert found.diagnostics[0]["status"][0]["values"] == [{"key": "ticks", "value": "500"}]
    heard = {each["key"]: json.loads(each["value"]) for each in found.diagnostics[0]["status"][2]["values"]}
    assert heard["count"] == 1 == sum(heard["bins"]) and heard["most"] == 2e-3 == heard["p50"]


def test_an_event_of_no_time_stands_where_it_was_said(station: Callable[..., Station]) -> None:
    here = station(epoch_ns=0)
    here.record["ticks"] = 500_000
    recorder = Recorder(here.folder)
    here.history.send(here.tick())
    for when in (0.0, float("nan"), 499.5):
        here.history.send(b"M" + Message("happened", 1, 0.0, {"time": when, "event": "POWER_ON"}).encode())
    recorder.close()
    assert [event.time for event in Recording.open(here.recordings.latest()).events] == [-0.501, 0.0, 0.0]


def test_frames_are_recorded_where_the_robot_is(station: Callable[..., Station], model: Model) -> None:
    here = station()
    recorder = Recorder(here.folder)
    send_all(here, recorder, [True] * 1000)
    recorder.close()
    with here.recordings.latest().open("rb") as file:
        written = [message for _, _, message in SeekingReader(file).iter_messages(topics=["/tf"])]
    assert len(written) == 51
    last = decode("tf2_msgs/TFMessage", written[-1].data)["transforms"]
    assert [transform["child_frame_id"] for transform in last] == Frames(model).moving
    stamp = last[0]["header"]["stamp"]["sec"] + last[0]["header"]["stamp"]["nanosec"] / 1e9
    T = Frames(model).poses(np.sin(stamp + np.arange(6)), ["link_3"])[0]
    assert np.allclose(list(last[2]["transform"]["translation"].values()), T[:3, 3])


def test_ticks_that_found_no_room_are_counted(station: Callable[..., Station]) -> None:
    here = station()
    recorder = Recorder(here.folder)
    for i in range(100):
        record = here.tick()
        if i % 10:
            here.history.send(record)
    recorder.drain()
    recorder._say()
    value = Board(here.folder / "recorder", RECORDER).read()[1][0]
    assert value["lost"] == 9 and value["written"] > 0 and not value["problem"]
    assert Path(bytes(value["file"]).decode()) == here.recordings.latest()
    recorder.close()


@pytest.mark.parametrize(
    "bad", [b"", b"X", b"T123", b"M", b"Mrubbish", b"M" + Message("run", 1).encode(), b"M" + Message("segments", 1).encode(),
            b"M" + Message("happened", 1, 0.0, {"time": "soon"}).encode(), b"M" + Message("unheard of").encode()],
)  # fmt: skip
def test_nothing_that_comes_through_the_pipe_ends_it(station: Callable[..., Station], bad: bytes) -> None:
    here = station()
    recorder = Recorder(here.folder)
    here.history.send(here.tick())
    here.history.send(bad)
    here.history.send(here.tick())
    recorder.close()
    assert len(Recording.open(here.recordings.latest()).time) == 2


def test_what_was_left_out_is_said_for_a_while_only(station: Callable[..., Station], monkeypatch: pytest.MonkeyPatch) -> None:
    here = station()
    recorder = Recorder(here.folder)
    here.history.send(b"?no record")
    recorder.drain()
    recorder._say()
    board = Board(here.folder / "recorder", RECORDER)
    assert b"1 records were left out" in bytes(board.read()[1][0]["problem"])
    monkeypatch.setattr(recorder, "_said_at", recorder._said_at - 60.0)
    recorder._say()
    value = board.read()[1][0]
    assert not bytes(value["problem"]) and value["lost"] == 1, "still counted"
    recorder.close()


def test_lock_step_gives_the_same_bytes_however_it_was_polled(station: Callable[..., Station]) -> None:
    files = []
    for batch in (1, 37, 1500):
        here = station(pipe=1 << 22)
        recorder = Recorder(here.folder)
        moves = [False] * 600 + [True] * 600 + [False] * 1500
        for begin in range(0, len(moves), batch):
            send_all(here, recorder, moves[begin : begin + batch])
            recorder.drain()
            recorder._keep_up(time.monotonic() + begin)  # however much time went by
        recorder.close()
        files.append(here.recordings.latest().read_bytes())
    assert files[0] == files[1] == files[2]


def test_a_recorder_that_is_started_again_goes_on_with_the_next_record(station: Callable[..., Station]) -> None:
    here = station()
    first = Recorder(here.folder)
    send_all(here, first, [True] * 100)
    first.drain()
    first.recording.flush()
    second = Recorder(here.folder)  # the first is as good as killed
    send_all(here, second, [True] * 100)
    second.close()
    one, two = (Recording.open(path) for path in here.recordings.recordings())
    assert len(one.time) == len(two.time) == 100 and not one.whole and two.whole


def begin(station: Station) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "armillary.runtime.recorder_process", str(station.folder)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)


def send_until(station: Station, count: int, process: "subprocess.Popen[bytes] | None") -> None:
    """As fast as the recorder takes them: what is on its way is bounded by the pipe, whatever the machine does meanwhile."""
    for _ in range(count):
        record = station.tick()
        while not station.history.send(record):
            assert process is None or process.poll() is None, "the recorder has ended"
            time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_kill_at_any_moment_loses_less_than_a_second(station: Callable[..., Station], seed: int) -> None:
    here = station(pipe=200_000)  # about a quarter of a second
    process = begin(here)
    try:
        send_until(here, random.Random(seed).randint(1500, 6000), process)
        process.kill()
        process.wait(10)
        path = here.recordings.latest()
        found = Recording.open(path)
        assert not found.whole and here.record["time"][0] - 0.001 - found.time[-1] < 1.0
        assert np.allclose(np.diff(found.time), 0.001)
        assert repair(path)
        with path.open("rb") as file:
            reader = SeekingReader(file, validate_crcs=True)
            assert len(list(reader.iter_messages(topics=["/controller_state"]))) == len(found.time)
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["terminate", "end"])
def test_told_to_end_it_takes_all_that_is_there_and_finishes(station: Callable[..., Station], how: str) -> None:
    here = station()
    process = begin(here)
    try:
        send_until(here, 1, process)
        while not here.recordings.recordings():
            time.sleep(0.01)
        send_until(here, 2999, process)
        if how == "terminate":
            process.send_signal(signal.SIGTERM)
        else:
            here.history.send(b"M" + Message("end", 1).encode())
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    found = Recording.open(here.recordings.latest())
    assert found.whole and len(found.time) == 3000
    assert not (here.folder / "recorder").exists()


@pytest.mark.slow
def test_it_ends_by_itself_when_its_parent_is_gone(station: Callable[..., Station]) -> None:
    here = station()
    send_until(here, 1000, None)
    script = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-m', 'armillary.runtime.recorder_process', {str(here.folder)!r}])\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    try:
        while not here.recordings.recordings():
            time.sleep(0.01)
    finally:
        parent.kill()
        parent.wait()
    while (here.folder / "recorder").exists():
        time.sleep(0.01)
    found = Recording.open(here.recordings.latest())
    assert found.whole and len(found.time) == 1000


def test_what_a_killed_recorder_left_is_made_whole_by_the_next(tmp_path: Path) -> None:
    import shutil

    from armillary.runtime.recording import Recording
    from armillary.runtime.recording_folder import RecordingFolder
    from tests.runtime import made_recordings

    file = tmp_path / "20261115-120000-000_cobot6.mcap"
    whole = made_recordings.record_many_joints(tmp_path / "whole.mcap", 6)
    shutil.copy(whole, file)
    with file.open("r+b") as spoilt:
        spoilt.truncate(int(file.stat().st_size * 0.7))
    assert not Recording.open(file).whole
    assert RecordingFolder(tmp_path).mend() == [file] and Recording.open(file).whole
    assert RecordingFolder(tmp_path).mend() == []
