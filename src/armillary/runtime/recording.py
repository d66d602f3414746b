"""A recording that was written, as arrays: whole, or as far as its writer came before it was killed."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mcap.records import Channel, Chunk, Header, McapRecord, Metadata, Schema
from numpy.typing import NDArray

from armillary.motion import BadMotion, Trajectory
from armillary.protocols.cdr import BadMessage, decode
from armillary.protocols.mcap_file import MAGIC, LoggedMessage, McapFile, NoMcap, ReadUpTo, read_chunk, read_records
from armillary.regular_file import read_regular
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.recording_format import METADATA, POINT, TOPICS, RecordingAbout, controller_state_layout, tick_layout

__all__ = [
    "BadRecording", "RecordedEvent", "RecordedInputsOutputs", "RecordedPiece", "RecordedTrajectory", "Recording", "repair",
]  # fmt: skip

Array = NDArray[np.float64]
_TAIL = len(tick_layout("").bytes()) - 5  # where the source line of a tick begins: its length, and the string
_SCALARS = {"late": "late", "work": "work", "rate": "rate", "progress": "progress", "round_trip": "round_trip", "state": "state",
            "certified": "certified", "contacts": "contacts", "overruns": "overruns", "motion": "motion",
            "motion_time": "motion_time"}  # fmt: skip


class BadRecording(RuntimeProblem):
    """A file that is no recording of ours."""

    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(f"{path}: {why}; give a recording that Armillary wrote (.mcap)")


@dataclass(frozen=True)
class RecordedEvent:
    """Something that happened.

    Attributes:
        time: Since the recording's start [s].
        kind, state, text, source: What, which state it led to, more in words, and the program's line.
    """

    time: float
    kind: str
    state: str
    text: str
    source: str


@dataclass(frozen=True, eq=False)
class RecordedInputsOutputs:
    """Inputs and outputs, from a time on.

    Attributes:
        time: Since the recording's start [s].
        inputs, outputs: Digital ones, bit by bit.
        analog_inputs, analog_outputs: In their own units, shape (k,); NaN where there is none.
    """

    time: float
    inputs: int
    outputs: int
    analog_inputs: Array
    analog_outputs: Array

    def same(self, other: "RecordedInputsOutputs") -> bool:
        """Whether nothing has changed from one to the other."""
        return (
            (self.inputs, self.outputs) == (other.inputs, other.outputs)
            and np.array_equal(self.analog_inputs, other.analog_inputs, equal_nan=True)
            and np.array_equal(self.analog_outputs, other.analog_outputs, equal_nan=True)
        )


@dataclass(frozen=True, eq=False)
class RecordedTrajectory:
    """A motion that was taken.

    Attributes:
        time: When, since the recording's start [s].
        times: Of its points, from its own start, shape (k,) [s].
        q, v, a: Shape (k, n).
    """

    time: float
    joints: tuple[str, ...]
    times: Array
    q: Array
    v: Array
    a: Array


@dataclass(frozen=True, eq=False)
class RecordedPiece:
    """A motion, or what it was changed to while it was driven, exactly as it was taken.

    Attributes:
        motion: The number of the motion that it belongs to.
        at: From which time of that motion on it was driven, if it was not changed again before [s].
        trajectory: From there to a stop.
    """

    motion: int
    at: float
    trajectory: Trajectory


@dataclass(frozen=True, eq=False)
class Recording:
    """All that a file holds. k ticks of n joints, in the order of time.

    Attributes:
        about: What it is of.
        whole: Whether its writer finished it; otherwise it ends where the writer was killed (`repair` makes it whole).
        start_ns: When its first tick was [ns, wall time].
        time: Of the ticks since then, shape (k,) [s].
        q, v, a, torque: What was commanded, shape (k, n) each [rad or m, and so on; N m or N].
        measured_q, measured_v, measured_a, measured_torque: What the driver said, shape (k, n) each.
        late, work, round_trip: Shape (k,) [s]. rate, progress: Shape (k,). state: `State` as numbers, shape (k,).
        certified: Whether what moved was proven, shape (k,). contacts, overruns: Shape (k,).
        motion: The number of the motion that was driven, shape (k,). motion_time: Where in its own time, shape (k,) [s].
        source: The program's line of each tick.
        inputs_outputs: As they were at the first tick, and each time that one changed.
        diagnostics: Each with its "time" [s since the start] and "status", as written.
        damaged_from: From which byte on the file is damaged; None where it is not.
    """

    about: RecordingAbout
    whole: bool
    start_ns: int
    time: Array
    q: Array
    v: Array
    a: Array
    torque: Array
    measured_q: Array
    measured_v: Array
    measured_a: Array
    measured_torque: Array
    late: Array
    work: Array
    round_trip: Array
    rate: Array
    progress: Array
    state: NDArray[np.uint8]
    certified: NDArray[np.bool_]
    contacts: NDArray[np.uint16]
    overruns: NDArray[np.uint64]
    motion: NDArray[np.uint64]
    motion_time: Array
    source: tuple[str, ...]
    events: tuple[RecordedEvent, ...]
    trajectories: tuple[RecordedTrajectory, ...]
    pieces: tuple[RecordedPiece, ...]
    diagnostics: tuple[dict[str, Any], ...]
    inputs_outputs: tuple[RecordedInputsOutputs, ...] = ()
    damaged_from: int | None = None

    @classmethod
    def open(cls, path: Path | str) -> "Recording":
        """Read a file.

        Raises:
            BadRecording: It cannot be read, or is no recording of ours.
        """
        path = Path(path)
        try:
            return _recording(_Contents(path))
        except (NoMcap, BadMessage, BadMotion, ValueError, TypeError, KeyError, OverflowError) as error:
            raise BadRecording(path, str(error)) from None

    def __repr__(self) -> str:
        lasts = self.time[-1] if len(self.time) else 0.0
        cut = "" if self.whole else ", cut off" if self.damaged_from is None else f", damaged from byte {self.damaged_from} on"
        return f"Recording({self.about.robot}, {lasts:.4g} s, {len(self.time)} ticks{cut})"


class _Contents:
    """The messages of a file by topic, in the order of time, and its metadata."""

    def __init__(self, path: Path) -> None:
        self.about: dict[str, str] | None = None
        self.messages: dict[str, list[LoggedMessage]] = {topic: [] for topic in TOPICS}
        data = _bytes_of(path)
        self.whole, up_to = _is_whole(data), ReadUpTo()
        topics: dict[int, str] = {}
        for record in read_records(memoryview(data), up_to):
            if not self._take(record, topics):
                up_to.damaged = True
                break
        self.whole = self.whole and not up_to.damaged
        self.damaged_from = up_to.at if up_to.damaged else None
        if self.about is None and not up_to.finished:
            how = f"it is damaged from byte {up_to.at} on" if up_to.damaged else f"it ends in the middle, after {len(data)} bytes"
            raise NoMcap(f"{how}, before it says what was recorded: nothing could be read")
        if self.about is None:
            raise NoMcap("it is an MCAP of something else")
        for messages in self.messages.values():
            messages.sort(key=lambda message: message.time_ns)  # the second before a motion was written late

    def _take(self, record: McapRecord | LoggedMessage, topics: dict[int, str]) -> bool:
        if isinstance(record, Channel):
            topics[record.id] = record.topic
        elif isinstance(record, Metadata) and record.name == METADATA:
            self.about = dict(record.metadata)
        elif isinstance(record, Chunk):
            try:
                inside = list(read_chunk(record))
            except NoMcap:
                return False  # damaged: what came before it is good
            for each in inside:
                self._take(each, topics)
        elif isinstance(record, LoggedMessage):
            self.messages.get(topics.get(record.channel, ""), []).append(record)
        return True

    def decoded(self, topic: str) -> list[tuple[int, dict[str, Any]]]:
        return [(message.time_ns, decode(TOPICS[topic], message.data)) for message in self.messages[topic]]


def _bytes_of(path: Path) -> bytes:
    # Not mapped: a file that is being written may become shorter, when the disk is full.
    try:
        return read_regular(path)
    except OSError as error:
        raise NoMcap(f"it cannot be read: {error.strerror}") from None


def _is_whole(data: bytes) -> bool:
    return data.endswith(MAGIC) and len(data) > 2 * len(MAGIC)


def _recording(contents: _Contents) -> Recording:
    description = "".join(str(value["data"]) for _, value in contents.decoded("/robot_description")[:1])
    about = RecordingAbout.from_values(contents.about or {}, description)
    ticks = contents.messages["/tick"]
    states = contents.messages["/controller_state"]
    if len(states) != len(ticks):  # both are written in each tick, and the writer was killed between the two
        both = {message.time_ns for message in ticks}
        states = [message for message in states if message.time_ns in both]
    stamps = np.array([message.time_ns for message in ticks], dtype=np.int64)
    start = int(stamps[0]) if len(stamps) else about.started_ns
    return Recording(
        about=about, whole=contents.whole, start_ns=start, time=(stamps - start) / 1e9,
        **_motion(about, states), **_ticks(ticks), **_said(contents, start), damaged_from=contents.damaged_from,
    )  # fmt: skip


def _motion(about: RecordingAbout, states: list[LoggedMessage]) -> dict[str, Any]:
    layout, n = controller_state_layout(about.joints), len(about.joints)
    rows = layout.rows([message.data for message in states])
    found = {}
    for which, prefix in (("reference", ""), ("feedback", "measured_")):
        for field, name in zip(POINT, ("q", "v", "a", "torque"), strict=True):
            found[prefix + name] = layout.column(rows, f"{which}.{field}") if n else np.zeros((len(states), 0))
    return found


def _ticks(ticks: list[LoggedMessage]) -> dict[str, Any]:
    groups: dict[bytes, list[int]] = {}
    for i, message in enumerate(ticks):
        groups.setdefault(message.data[_TAIL:], []).append(i)
    empty = tick_layout("")
    found: dict[str, Any] = {name: np.zeros(len(ticks), dtype=empty.view(field).dtype) for name, field in _SCALARS.items()}
    source = [""] * len(ticks)
    for members in groups.values():
        said = str(decode(TOPICS["/tick"], ticks[members[0]].data)["source"])
        layout = tick_layout(said)
        rows = layout.rows([ticks[i].data for i in members])
        for name, field in _SCALARS.items():
            found[name][members] = layout.column(rows, field)[:, 0]
        for i in members:
            source[i] = said
    return {**found, "source": tuple(source)}


def _said(contents: _Contents, start: int) -> dict[str, Any]:
    """Events, motions and diagnostics."""
    events = tuple(
        RecordedEvent((stamp - start) / 1e9, value["kind"], value["state"], value["text"], value["source"])
        for stamp, value in contents.decoded("/events")
    )
    trajectories = []
    for stamp, value in contents.decoded("/joint_trajectory"):
        points, joints = value["points"], tuple(value["joint_names"])
        since = [point["time_from_start"]["sec"] + point["time_from_start"]["nanosec"] / 1e9 for point in points]
        q, v, a = (np.array([point[name] for point in points], dtype=float).reshape(-1, len(joints)) for name in POINT[:3])
        trajectories.append(RecordedTrajectory((stamp - start) / 1e9, joints, np.array(since, dtype=float), q, v, a))
    diagnostics = tuple(
        {"time": (stamp - start) / 1e9, "status": value["status"]} for stamp, value in contents.decoded("/diagnostics")
    )
    pieces = tuple(_piece(value) for _, value in contents.decoded("/motion_pieces"))
    return {
        "events": events, "trajectories": tuple(trajectories), "pieces": pieces, "diagnostics": diagnostics,
        "inputs_outputs": _inputs_outputs(contents, start),
    }  # fmt: skip


def _inputs_outputs(contents: _Contents, start: int) -> tuple[RecordedInputsOutputs, ...]:
    found: list[RecordedInputsOutputs] = []
    for stamp, value in contents.decoded("/io"):
        now = RecordedInputsOutputs(
            (stamp - start) / 1e9, value["inputs"], value["outputs"], value["analog_inputs"], value["analog_outputs"]
        )
        if not found or not now.same(found[-1]):  # ticks that were written late say again what was said
            found.append(now)
    return tuple(found)


def _piece(value: dict[str, Any]) -> RecordedPiece:
    joints, durations = tuple(value["joint_names"]), np.array(value["durations"], dtype=float)
    coefficients = np.array(value["coefficients"], dtype=float).reshape(len(durations), len(joints), 6)
    trajectory = Trajectory(
        joints, durations, coefficients, continuity=int(value["continuity"]), origins=tuple(value["origins"]),
        profile=str(value["profile"]),
    )  # fmt: skip
    return RecordedPiece(int(value["motion"]), float(value["at"]), trajectory)


def repair(path: Path | str) -> bool:
    """Make a file whole whose writer was killed: its good chunks stay as they are, index and footer are added.

    Returns:
        Whether there was anything to do. What stood there before is replaced only when the new file is complete.

    Raises:
        BadRecording: It is no MCAP, or the new file cannot be written.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.repairing")
    try:
        data = _bytes_of(path)
        if _is_whole(data):
            return False
        with temporary.open("wb") as file:
            _copy(data, file.write)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except NoMcap as error:
        raise BadRecording(path, str(error)) from None
    except OSError as error:
        raise BadRecording(path, f"it cannot be repaired: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _copy(data: bytes, write: Any) -> None:
    records = read_records(memoryview(data))
    header = next(records, None)
    if not isinstance(header, Header):
        raise NoMcap("it ends before anything was recorded")
    copy = McapFile(write, profile=header.profile, library=header.library)
    for record in records:
        if isinstance(record, Schema | Channel):
            copy.put(record)
        elif isinstance(record, Metadata):
            copy.metadata(record.name, record.metadata)
        elif isinstance(record, Chunk):
            index: dict[int, list[int]] = {}
            try:
                for inside in read_chunk(record):
                    if isinstance(inside, LoggedMessage):
                        index.setdefault(inside.channel, []).extend((inside.time_ns, inside.offset))
                    else:
                        copy.know(inside)
            except NoMcap:
                break
            copy.put_chunk(record, index)
    copy.finish()
