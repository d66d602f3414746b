"""Recordings: what goes in comes out, also of a file that was cut off anywhere; folders are bounded; disks may be full."""

import errno
import os
import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import SeekingReader, make_reader
from mcap.writer import CompressionType, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from armillary.motion import Trajectory
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.recording import BadRecording, Recording, repair
from armillary.runtime.recording_folder import ContinuousRecording, NoRecording, RecordingFolder, default_folder
from armillary.runtime.recording_format import TOPICS
from armillary.runtime.recording_writer import RecordingAbout, RecordingWriter

JOINTS = ("shoulder", "elbow", "wrist")
ABOUT = RecordingAbout("arm", JOINTS, "abc", "<robot/>", started_ns=1_700_000_000_000_000_000, epoch_ns=1_699_999_999_000_000_000)


def ticks(count: int, n: int = len(JOINTS), seed: int = 0) -> np.ndarray:
    """Random ticks at 1 kHz from 1 s on."""
    rng = np.random.default_rng(seed)
    records = np.zeros(count, dtype=state_kind(n))
    records["time"] = 1.0 + np.arange(count) / 1000
    records["ticks"] = np.arange(1, count + 1)
    for name in ("q", "v", "a", "torque", "measured_q", "measured_v", "measured_a", "measured_torque"):
        records[name] = rng.normal(size=(count, n))
    for name in ("rate", "progress", "late", "work", "round_trip"):
        records[name] = rng.uniform(size=count)
    records["state"], records["moves"] = rng.integers(0, 7, count), 1
    records["contacts"], records["certified"], records["overruns"] = 3, rng.integers(0, 2, count), np.arange(count) // 7
    records["motion"], records["motion_time"] = 7 + np.arange(count) // 500, rng.uniform(0, 9, count)
    records["origin"] = [f"pick.gcode:{i // 50}".encode() for i in range(count)]
    return records


def motion() -> Trajectory:
    durations = np.array([0.05, 0.031])
    coefficients = np.random.default_rng(1).normal(size=(2, len(JOINTS), 6))
    return Trajectory(JOINTS, durations, coefficients, continuity=1)


def write(path: Path, records: np.ndarray, about: RecordingAbout = ABOUT) -> None:
    writer = RecordingWriter(path, about)
    pose = np.tile(np.eye(4), (2, 1, 1))
    pose[1, :3, 3] = 1, 2, 3
    writer.poses(1.0, ["base", "tool"], ["world", "hand"], pose, fixed=True)
    writer.event(1.0, "POWER_ON", "STOPPED", "by hand — ä", "line 1")
    writer.trajectory(1.0, motion())
    writer.piece(1.0, 7, 0.25, motion())
    for record in records:
        writer.tick(record.tobytes())
        if writer.wants_poses(float(record["time"])):
            writer.poses(float(record["time"]), ["hand", "finger"], ["base", "hand"], pose)
    writer.diagnostics(float(records["time"][-1]), [{"name": "executor", "level": 1, "message": "late", "values": {"ticks": 7}}])
    writer.finish()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings") / "whole.mcap"
    write(path, ticks(2300))
    return path


def test_what_goes_in_comes_out(whole: Path) -> None:
    records, found = ticks(2300), Recording.open(whole)
    assert found.whole and found.about == ABOUT
    assert found.start_ns == ABOUT.epoch_ns + 1_000_000_000
    assert np.allclose(found.time, np.arange(2300) / 1000, atol=1e-9)
    for name in ("q", "v", "a", "torque", "measured_q", "measured_v", "measured_a", "measured_torque", "late", "work", "rate",
                 "progress", "round_trip", "state", "certified", "contacts", "overruns", "motion", "motion_time"):  # fmt: skip
        assert (getattr(found, name) == records[name]).all(), name
    assert found.source == tuple(f"pick.gcode:{i // 50}" for i in range(2300))
    event = found.events[0]
    assert (event.time, event.kind, event.state, event.text, event.source) == (
        0.0,
        "POWER_ON",
        "STOPPED",
        "by hand — ä",
        "line 1",
    )
    assert found.diagnostics[0]["status"][0]["values"] == [{"key": "ticks", "value": "7"}]


def test_a_motion_is_written_every_20_ms_and_at_its_knots(whole: Path) -> None:
    written, trajectory = Recording.open(whole).trajectories[0], motion()
    assert written.joints == JOINTS
    assert np.allclose(written.times, [0, 0.02, 0.04, 0.05, 0.06, 0.08, 0.081])
    expected = trajectory.sample(written.times)
    assert (
        np.allclose(written.q, expected[:, 0])
        and np.allclose(written.v, expected[:, 1])
        and np.allclose(written.a, expected[:, 2])
    )


def test_a_piece_of_a_motion_comes_back_to_the_last_digit(whole: Path) -> None:
    (piece,) = Recording.open(whole).pieces
    assert (piece.motion, piece.at) == (7, 0.25) and piece.trajectory.digest == motion().digest


def test_inputs_and_outputs_are_written_at_the_first_tick_and_when_one_changes(tmp_path: Path) -> None:
    records = ticks(400)
    records["analog_inputs"], records["analog_inputs"][:, 0] = np.nan, 1.5  # NaN is no change from NaN
    records["outputs"][100:] = 5
    records["inputs"][101:] = 5
    records["analog_outputs"][200:300, 7] = -0.25
    write(tmp_path / "io.mcap", records)
    found = Recording.open(tmp_path / "io.mcap").inputs_outputs
    assert [round(each.time, 6) for each in found] == [0.0, 0.1, 0.101, 0.2, 0.3]
    assert [(each.inputs, each.outputs) for each in found] == [(0, 0), (0, 5), (5, 5), (5, 5), (5, 5)]
    assert [each.analog_outputs[7] for each in found] == [0.0, 0.0, 0.0, -0.25, 0.0]
    assert all(each.analog_inputs[0] == 1.5 and np.isnan(each.analog_inputs[1:]).all() for each in found)


def test_ticks_that_are_written_late_tell_the_same_of_inputs_and_outputs(tmp_path: Path) -> None:
    """Of a robot that stood, every fiftieth tick is written at once, and the others when a motion follows."""
    records = ticks(300)
    records["outputs"][70:90] = 1
    records["outputs"][160:] = 2
    order = [*range(0, 300, 50), *(i for i in range(300) if i % 50)]
    write(tmp_path / "late.mcap", records[order])
    found = Recording.open(tmp_path / "late.mcap").inputs_outputs
    assert [(round(each.time, 6), each.outputs) for each in found] == [(0.0, 0), (0.07, 1), (0.09, 0), (0.16, 2)]


def test_every_message_is_read_by_others_with_our_schemas(whole: Path) -> None:
    """mcap's own reader by its index, and rosbags by the schema that stands in the file."""
    store, counts = get_typestore(Stores.EMPTY), dict.fromkeys(TOPICS, 0)
    with whole.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            assert schema is not None and schema.encoding == "ros2msg" and channel.message_encoding == "cdr"
            if schema.name not in store.types:
                known = get_types_from_msg(schema.data.decode(), schema.name).items()
                store.register({name: kind for name, kind in known if name not in store.types})
            read = store.deserialize_cdr(message.data, schema.name)
            counts[channel.topic] += 1
            if channel.topic == "/controller_state":
                assert read.joint_names == list(JOINTS)
                error = read.reference.positions - read.feedback.positions
                assert np.array_equal(read.error.positions, error)
                assert read.header.stamp.sec * 10**9 + read.header.stamp.nanosec == message.log_time
            if channel.topic == "/io":
                assert (read.inputs, read.outputs, len(read.analog_inputs), len(read.analog_outputs)) == (0, 0, 8, 8)
            if channel.topic == "/tf_static":
                assert read.transforms[1].child_frame_id == "tool" and read.transforms[1].header.frame_id == "hand"
                assert (read.transforms[1].transform.translation.z, read.transforms[1].transform.rotation.w) == (3.0, 1.0)
    assert counts == {
        "/robot_description": 1, "/tf_static": 1, "/controller_state": 2300, "/tick": 2300, "/joint_states": 230, "/tf": 115,
        "/diagnostics": 1, "/events": 1, "/joint_trajectory": 1,
        "/motion_pieces": 1, "/io": 1,
    }  # fmt: skip


def test_chunks_last_half_a_second_and_the_index_agrees_with_them(whole: Path) -> None:
    with whole.open("rb") as file:
        reader = SeekingReader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == sum(1 for _ in reader.iter_messages())
        assert all(chunk.message_end_time - chunk.message_start_time <= 500_000_000 for chunk in summary.chunk_indexes)
        stamps = [message.log_time - ABOUT.epoch_ns for _, _, message in reader.iter_messages(topics=["/tick"])]
        assert stamps == [1_000_000_000 + i * 1_000_000 for i in range(2300)]
        assert [metadata.name for metadata in reader.iter_metadata()] == ["armillary"]


def test_the_same_input_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    write(tmp_path / "again.mcap", ticks(2300))
    assert (tmp_path / "again.mcap").read_bytes() == whole.read_bytes()
    write(tmp_path / "other.mcap", ticks(2300, seed=1))
    assert (tmp_path / "other.mcap").read_bytes() != whole.read_bytes()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1), damaged=st.booleans())
def test_a_file_cut_off_anywhere_opens_and_can_be_repaired(whole: Path, tmp_path: Path, share: float, damaged: bool) -> None:
    data, path = whole.read_bytes(), tmp_path / "cut.mcap"
    cut = data[: int(share * (len(data) - 1))]
    path.write_bytes(cut + bytes(300) if damaged else cut)  # what a power cut may leave behind: zeros
    try:
        found = Recording.open(path)
    except BadRecording:
        assert len(cut) < 2000  # before it says what it is of
        return
    assert not found.whole and (found.q == ticks(2300)["q"][: len(found.q)]).all()
    assert repair(path) and not repair(path)
    again = Recording.open(path)
    assert again.whole and np.array_equal(again.q, found.q) and again.source == found.source
    with path.open("rb") as file:
        reader = SeekingReader(file, validate_crcs=True)
        assert sum(1 for _ in reader.iter_messages(topics=["/tick"])) == len(found.time)
    assert [entry.name for entry in tmp_path.iterdir()] == ["cut.mcap"]


def test_a_second_that_is_written_late_comes_out_in_order(tmp_path: Path) -> None:
    records, path = ticks(1500), tmp_path / "late.mcap"
    order = [*range(0, 1000, 50), *(i for i in range(1000) if i % 50), *range(1000, 1500)]
    write(path, records[order])
    found = Recording.open(path)
    assert (
        (found.q == records["q"]).all() and (np.diff(found.time) > 0).all() and found.state.tolist() == records["state"].tolist()
    )


def test_numbers_that_are_none_are_recorded_as_they_are(tmp_path: Path) -> None:
    records = ticks(3)
    records["q"][1], records["measured_q"][1], records["late"][1] = np.nan, np.inf, np.inf
    write(tmp_path / "wild.mcap", records)
    found = Recording.open(tmp_path / "wild.mcap")
    assert np.isnan(found.q[1]).all() and np.isposinf(found.measured_q[1]).all() and np.isposinf(found.late[1])


@pytest.mark.parametrize("content", [b"", b"no recording", b"\x89MCAP0\r\n", b"\x89MCAP0\r\n" + bytes(50)])
def test_what_is_no_recording_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(content)
    with pytest.raises(BadRecording, match=r"x\.mcap: .*; give a recording"):
        Recording.open(path)
    with pytest.raises(BadRecording, match=r"x\.mcap"):
        repair(path)
    assert path.read_bytes() == content
    with pytest.raises(BadRecording, match="cannot be read"):
        Recording.open(tmp_path / "not there.mcap")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_and_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "damaged.mcap"
    path.unlink(missing_ok=True)
    write(path, ticks(5))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, min(len(content) - 1, 800)) | st.integers(0, len(content) - 1))] = data.draw(
            st.integers(0, 255)
        )
    path.write_bytes(content)
    try:
        Recording.open(path)
        repair(path)
    except BadRecording:
        pass


@pytest.mark.parametrize("compression", list(CompressionType))
def test_an_mcap_of_others_is_no_recording_and_is_repaired_all_the_same(tmp_path: Path, compression: CompressionType) -> None:
    path = tmp_path / "theirs.mcap"
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=2000, compression=compression)
        writer.start("theirs", "test")
        channel = writer.register_channel("/talk", "json", writer.register_schema("talk", "jsonschema", b"{}"))
        for i in range(100):
            writer.add_message(channel, i, b"x" * 100, i)
        writer.finish()
    with pytest.raises(BadRecording, match="an MCAP of something else"):
        Recording.open(path)
    path.write_bytes(path.read_bytes()[:-700])
    assert repair(path)
    with path.open("rb") as file:
        reader = SeekingReader(file, validate_crcs=True)
        found = [message.data for _, channel, message in reader.iter_messages() if channel.topic == "/talk"]
        assert len(found) > 50 and set(found) == {b"x" * 100} and reader.get_header().profile == "theirs"


# The folder.


class Clock:
    """Time that stands still until it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wall_ns(self) -> int:
        return 1_700_000_000_000_000_000 + int(self.now * 1e9)


@pytest.fixture
def said() -> list[str]:
    return []


def continuous(folder: Path, clock: Clock, said: list[str], **options: Any) -> ContinuousRecording:
    return ContinuousRecording(RecordingFolder(folder), ABOUT, say=said.append, clock=clock, wall_ns=clock.wall_ns, **options)


def feed(recording: ContinuousRecording, clock: Clock, records: np.ndarray) -> int:
    written = 0
    for record in records:
        clock.now = float(record["time"])
        raw = record.tobytes()
        written += recording.write(lambda writer, raw=raw: writer.tick(raw))  # type: ignore[misc]
    return written


def test_the_default_folder_is_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder() == RecordingFolder("").path == tmp_path / "armillary" / "recordings"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_folder() == Path.home() / ".local" / "state" / "armillary" / "recordings"


def test_names_sort_by_time_and_tell_the_robot(tmp_path: Path) -> None:
    folder = RecordingFolder(tmp_path)
    with pytest.raises(NoRecording, match="no recording yet"):
        folder.latest()
    for second, robot in enumerate(("arm", "a b/../c", "arm")):
        folder.new_name(robot, 1_700_000_000_000_000_000 + second * 10**9).touch()
    (tmp_path / "notes.txt").touch()
    names = [path.name for path in folder.recordings()]
    assert names == ["20231114-221320-000_arm.mcap", "20231114-221321-000_a-b-c.mcap", "20231114-221322-000_arm.mcap"]
    assert folder.latest().name == names[2] and folder.latest("a b/../c").name == names[1]
    assert folder.new_name("arm", 1_700_000_000_000_000_000).name == "20231114-221320-001_arm.mcap"
    with pytest.raises(NoRecording, match="of other"):
        folder.latest("other")


def test_files_follow_each_other_and_the_folder_stays_below_its_bound(tmp_path: Path, said: list[str]) -> None:
    clock = Clock()
    recording = continuous(tmp_path, clock, said, file_size=600_000, total_size=2_000_000)
    records = ticks(12_000)
    most = 0
    for begin in range(0, len(records), 200):
        assert feed(recording, clock, records[begin : begin + 200]) == 200
        most = max(most, sum(path.stat().st_size for path in tmp_path.iterdir()))
    recording.close()
    files = [Recording.open(path) for path in RecordingFolder(tmp_path).recordings()]
    assert len(files) >= 2 and most <= 2_000_000 and all(path.stat().st_size < 600_000 + 30_000 for path in tmp_path.iterdir())
    assert files[0].about.part > 0 and all(file.whole for file in files)  # the oldest are gone
    kept = np.concatenate([file.q for file in files])
    assert (kept == records["q"][-len(kept) :]).all()  # and nothing is missing between files
    assert not said and recording.lost == 0


def test_a_file_that_is_being_written_is_never_deleted(tmp_path: Path) -> None:
    folder = RecordingFolder(tmp_path)
    old, new = (folder.new_name("arm", second * 10**9) for second in (1, 2))
    write(new, ticks(10))
    writer = RecordingWriter(old, ABOUT)
    assert folder.keep_below(0) == 1 and old.exists() and not new.exists()
    writer.finish()
    assert folder.keep_below(0) == 1 and not old.exists()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """A disk with room for so many bytes."""
    room, real = {"bytes": 10**9}, os.write

    def write(file: int, data: bytes) -> int:
        if room["bytes"] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = real(file, data[: room["bytes"]])  # the last write before is a short one, as on a real disk
        room["bytes"] -= count
        return count

    monkeypatch.setattr("armillary.runtime.recording_writer.os.write", write)
    yield room
    monkeypatch.undo()


def test_a_full_disk_pauses_the_recording_and_it_goes_on_when_there_is_room(
    tmp_path: Path, said: list[str], full_disk: dict[str, int]
) -> None:
    clock = Clock()
    recording = continuous(tmp_path, clock, said)
    records = ticks(20_000)
    assert feed(recording, clock, records[:2000]) == 2000
    full_disk["bytes"] = 100_000
    written = 2000 + feed(recording, clock, records[2000:12_000])
    assert recording.problem and recording.file is None and recording.written > 0
    assert len(said) == 1 and "nothing is recorded: No space left on device" in said[0]
    assert len(list(tmp_path.iterdir())) == 1  # tries that came to nothing leave nothing
    full_disk["bytes"] = 10**9
    written += feed(recording, clock, records[12_000:])
    recording.close()
    assert len(said) == 2 and "records again" in said[1] and not recording.problem
    first, second = (Recording.open(path) for path in RecordingFolder(tmp_path).recordings())
    assert not first.whole and second.whole
    in_files = len(first.time) + len(second.time)
    assert recording.lost == len(records) - in_files and written >= in_files
    assert (first.q == records["q"][: len(first.q)]).all() and (second.q == records["q"][-len(second.q) :]).all()


def test_a_disk_with_room_for_a_head_alone_does_not_make_it_say_that_it_records(
    tmp_path: Path, said: list[str], full_disk: dict[str, int]
) -> None:
    clock = Clock()
    recording = continuous(tmp_path, clock, said)
    records = ticks(40_000)
    feed(recording, clock, records[:2000])
    (first,) = tmp_path.iterdir()
    full_disk["bytes"] = 0
    feed(recording, clock, records[2000:4000])
    for begin in range(4000, 34_000, 6000):  # each time a head fits, and nothing behind it
        full_disk["bytes"] = 40_000
        feed(recording, clock, records[begin : begin + 6000])
        assert recording.problem and recording.last_file == first
        assert full_disk["bytes"] == 0, "a head was begun"
    assert len(said) == 1 and f"what came before is in {first.name}" in said[0]
    assert list(tmp_path.iterdir()) == [first] and recording.pauses == 1
    full_disk["bytes"] = 10**9
    feed(recording, clock, records[34_000:])
    assert len(said) == 2 and "records again" in said[1] and recording.last_file == recording.file != first
    recording.close()
    second = RecordingFolder(tmp_path).latest()
    assert [path for path, _, _ in recording.files] == [first, second]
    for path, since, until in recording.files:
        assert until - since == pytest.approx(Recording.open(path).time[-1], abs=1e-6)
    assert first.name in recording.told() and second.name in recording.told() and f"{recording.lost} records" in recording.told()


def test_a_limit_of_the_system_is_borne_as_a_full_disk(tmp_path: Path, said: list[str]) -> None:
    clock, before = Clock(), resource.getrlimit(resource.RLIMIT_FSIZE)
    recording = continuous(tmp_path, clock, said)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, before[1]))
        feed(recording, clock, ticks(3000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(said) == 1 and recording.lost > 0
    assert len(Recording.open(RecordingFolder(tmp_path).latest()).time) + recording.lost == 3000


def test_a_folder_that_cannot_be_made_is_said_once_and_tried_again(tmp_path: Path, said: list[str]) -> None:
    clock, place = Clock(), tmp_path / "file"
    place.write_text("no folder")
    recording = continuous(place, clock, said)
    assert feed(recording, clock, ticks(9000)[:8000]) == 0
    recording.flush()
    assert recording.lost == 8000 and len(said) == 1 and "File exists" in recording.problem
    place.unlink()
    clock.now += 5.0
    assert recording.write(lambda writer: writer.event(1.0, "here")) and len(said) == 1, "it is not on the disk yet"
    recording.close()
    assert len(said) == 2 and "records again" in said[1] and not recording.problem
    assert Recording.open(RecordingFolder(place).latest()).events[0].kind == "here"


def test_an_end_that_finds_no_room_is_counted_and_not_raised(tmp_path: Path, said: list[str], full_disk: dict[str, int]) -> None:
    clock = Clock()
    recording = continuous(tmp_path, clock, said)
    feed(recording, clock, ticks(1200))
    full_disk["bytes"] = 0
    recording.close()
    found = Recording.open(RecordingFolder(tmp_path).latest())
    assert not found.whole and len(found.time) + recording.lost == 1200 and recording.problem


def test_what_a_recording_is_of_comes_back() -> None:
    about = replace(ABOUT, part=3, lock_step=True, group="left arm", period=0.002)
    assert RecordingAbout.from_values(about.values(), about.description) == about
