"""One file of a recording while it is written: MCAP with ROS 2 messages. The same input gives the same bytes."""

import fcntl
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.motion import Trajectory
from armillary.protocols.cdr import FixedLayout, encode
from armillary.protocols.mcap_file import McapFile
from armillary.protocols.ros_types import schema_text
from armillary.runtime.board_kinds import INPUTS_OUTPUTS, state_kind
from armillary.runtime.recording_format import (
    METADATA,
    POINT,
    TOPICS,
    RecordingAbout,
    controller_state_layout,
    inputs_outputs_layout,
    tick_layout,
)
from armillary.spatial import quaternions_from_rotations

__all__ = ["RecordingAbout", "RecordingWriter"]

Array = NDArray[np.float64]
_NUMBERS = ("rate", "progress", "late", "work", "round_trip")  # of a tick, one after the other in the message
_CHUNK_NS = 500_000_000  # a chunk is closed after so much recorded time: what a killed writer loses
_CHUNK_BYTES = 1 << 23
_JOINT_STATES_NS, _POSES_NS = 10_000_000, 20_000_000
_STEP = 0.02  # s between the points of a motion
_SOURCES = 256  # layouts that are kept, one for each source line


class _WholeWrites:
    """A file that is written in whole pieces: of one that fails nothing stays."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        # So others see that it is being written; the lock goes with the process, however that ends.
        try:
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            pass  # a file system without locks
        self._good = 0

    def write(self, data: bytes) -> None:
        at = 0
        try:
            while at < len(data):
                at += os.write(self._file, data[at:] if at else data)
        except OSError:
            try:
                os.ftruncate(self._file, self._good)
            except OSError:
                pass  # then it ends with a piece that readers pass over
            raise
        self._good += at

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class RecordingWriter:
    """Writes one file.

    Every method may raise OSError (a full disk): the file then ends with its last whole chunk, and is to be abandoned.
    """

    def __init__(self, path: Path, about: RecordingAbout) -> None:
        self.path, self.about = path, about
        self._kind = state_kind(len(about.joints))
        self._file = _WholeWrites(path)
        try:
            self._mcap = McapFile(self._file.write)
            self._mcap.metadata(METADATA, about.values())
            types = {name: self._mcap.schema(name, schema_text(name)) for name in dict.fromkeys(TOPICS.values())}
            self._channels = {topic: self._mcap.channel(topic, types[name]) for topic, name in TOPICS.items()}
        except OSError:
            self._file.close()
            path.unlink(missing_ok=True)
            raise
        self._begun: int | None = None  # when the open chunk began
        self._make_layouts()
        self._next_joint_state = self._next_poses = -1
        self._poses: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[FixedLayout, NDArray[np.intp]]] = {}
        self._put("/robot_description", about.started_ns, encode(TOPICS["/robot_description"], {"data": about.description}))

    def _make_layouts(self) -> None:
        joints = self.about.joints
        n = len(joints)
        self._state = controller_state_layout(joints)
        paths = [f"{which}.{name}" for which in ("reference", "feedback", "error") for name in POINT]
        self._places = self._state.indices(paths) if n else np.zeros(0, dtype=np.intp)
        self._numbers: Array = np.zeros(12 * n)
        # q, v, a, torque and then the same measured: they follow each other in a record as they do in the message.
        fields: Mapping[str, Any] = self._kind.fields or {}
        self._offset = fields["q"][1]
        self._ticks: dict[bytes, FixedLayout] = {}
        begin, size = fields["inputs"][1], sum(self._kind[name].itemsize for name in INPUTS_OUTPUTS)
        self._inputs_outputs, self._io = slice(begin, begin + size), inputs_outputs_layout()
        self._last_io = b""  # of the tick before
        zero = np.zeros(n)
        example = {"name": list(joints), "position": zero, "velocity": zero, "effort": zero}
        self._joints = FixedLayout(TOPICS["/joint_states"], example)

    @property
    def size(self) -> int:
        """Bytes written, and those that wait at their full length."""
        return self._mcap.position + self._mcap.pending

    @property
    def written(self) -> int:
        """Bytes written."""
        return self._mcap.position

    @property
    def chunks(self) -> int:
        """How many are in the file."""
        return self._mcap.chunks

    @property
    def span(self) -> tuple[float, float] | None:
        """From when to when it has something beyond what every file begins with, since the recording's start [s]."""
        found = self._mcap.span_ns(1)
        return None if found is None else ((found[0] - self.about.started_ns) / 1e9, (found[1] - self.about.started_ns) / 1e9)

    def time_ns(self, time: float) -> int:
        """A time of the records' clock [s] as wall time [ns]."""
        return max(self.about.epoch_ns + round(time * 1e9), 0)

    def wants_poses(self, time: float) -> bool:
        """Whether it is time for the next `poses`."""
        return self.time_ns(time) // _POSES_NS > self._next_poses

    def tick(self, record: bytes) -> None:
        """One tick.

        Args:
            record: The bytes of one `state_kind` record.
        """
        value = np.frombuffer(record, dtype=self._kind, count=1)[0]
        n = len(self.about.joints)
        stamp = self.time_ns(float(value["time"]))
        sec, nanosec = _seconds(stamp)
        numbers, state = self._numbers, self._state
        numbers[: 8 * n] = np.frombuffer(record, dtype=np.float64, count=8 * n, offset=self._offset)
        with np.errstate(all="ignore"):  # numbers that are none are recorded as they are
            np.subtract(numbers[: 4 * n], numbers[4 * n : 8 * n], out=numbers[8 * n :])
        state.floats[self._places] = numbers
        state.put("header.stamp.sec", sec)
        state.put("header.stamp.nanosec", nanosec)
        state.put("speed_scaling_factor", value["rate"])
        self._put("/controller_state", stamp, state.bytes())
        self._put("/tick", stamp, self._tick(value, sec, nanosec))
        now = record[self._inputs_outputs]
        if now != self._last_io:
            self._last_io = now
            self._put("/io", stamp, self._inputs_and_outputs(value, sec, nanosec))
        if stamp // _JOINT_STATES_NS > self._next_joint_state:
            self._next_joint_state = stamp // _JOINT_STATES_NS
            joints = self._joints
            joints.put("header.stamp.sec", sec)
            joints.put("header.stamp.nanosec", nanosec)
            if n:
                for name, field in (("position", "measured_q"), ("velocity", "measured_v"), ("effort", "measured_torque")):
                    joints.put(name, value[field])
            self._put("/joint_states", stamp, joints.bytes())

    def _tick(self, value: Any, sec: int, nanosec: int) -> bytes:
        source = bytes(value["origin"])
        layout = self._ticks.get(source)
        if layout is None:
            if len(self._ticks) >= _SOURCES:
                self._ticks.clear()
            layout = self._ticks[source] = tick_layout(source.decode(errors="ignore"))
        layout.put("header.stamp.sec", sec)
        layout.put("header.stamp.nanosec", nanosec)
        for name in ("state", "certified", *_NUMBERS, "contacts", "overruns", "motion", "motion_time"):
            layout.put(name, value[name])
        return layout.bytes()

    def _inputs_and_outputs(self, value: Any, sec: int, nanosec: int) -> bytes:
        layout = self._io
        layout.put("header.stamp.sec", sec)
        layout.put("header.stamp.nanosec", nanosec)
        for name in INPUTS_OUTPUTS:
            layout.put(name, value[name])
        return layout.bytes()

    def poses(
        self, time: float, names: Sequence[str], parents: Sequence[str], T_parent_frame: Array, *, fixed: bool = False
    ) -> None:
        """Where frames are.

        Args:
            T_parent_frame: Of each frame in its parent, shape (k, 4, 4).
            fixed: They never move: written once, to /tf_static.
        """
        stamp = self.time_ns(time)
        if not fixed:
            self._next_poses = stamp // _POSES_NS
        key = (tuple(names), tuple(parents))
        if key not in self._poses:
            frames = [
                {"header": {"frame_id": parent}, "child_frame_id": name} for name, parent in zip(names, parents, strict=True)
            ]
            layout = FixedLayout(TOPICS["/tf"], {"transforms": frames})
            parts = [f"translation.{axis}" for axis in "xyz"] + [f"rotation.{axis}" for axis in "xyzw"]
            paths = [f"transforms.{i}.transform.{part}" for i in range(len(frames)) for part in parts]
            self._poses[key] = layout, layout.indices(paths)
        layout, places = self._poses[key]
        T = np.asarray(T_parent_frame, dtype=float).reshape(-1, 4, 4)
        values = np.empty((len(T), 7))
        values[:, :3] = T[:, :3, 3]
        values[:, 3:] = np.roll(quaternions_from_rotations(T[:, :3, :3]), -1, axis=1)  # ROS has w last
        layout.floats[places] = values.ravel()
        sec, nanosec = _seconds(stamp)
        for i in range(len(T)):
            layout.put(f"transforms.{i}.header.stamp.sec", sec)
            layout.put(f"transforms.{i}.header.stamp.nanosec", nanosec)
        self._put("/tf_static" if fixed else "/tf", stamp, layout.bytes())

    def event(self, time: float, kind: str, state: str = "", text: str = "", source: str = "") -> None:
        """Something that happened."""
        stamp = self.time_ns(time)
        value = {"header": _header(stamp), "kind": kind, "state": state, "text": text, "source": source}
        self._put("/events", stamp, encode(TOPICS["/events"], value))

    def trajectory(self, time: float, trajectory: Trajectory) -> None:
        """A motion that was taken: a point each 20 ms, and one at each knot."""
        stamp = self.time_ns(time)
        times = np.unique(np.concatenate([np.arange(0.0, trajectory.duration, _STEP), trajectory.knots]))
        points = []
        for at, (q, v, a, _) in zip(times, trajectory.sample(times), strict=True):
            sec, nanosec = _seconds(round(float(at) * 1e9))
            points.append({
                "positions": q, "velocities": v, "accelerations": a, "time_from_start": {"sec": sec, "nanosec": nanosec},
            })  # fmt: skip
        value = {"header": _header(stamp), "joint_names": list(trajectory.joints), "points": points}
        self._put("/joint_trajectory", stamp, encode(TOPICS["/joint_trajectory"], value))

    def piece(self, time: float, motion: int, at: float, trajectory: Trajectory) -> None:
        """What was taken, exactly: the polynomials of a motion from a time of its own on, up to its stop."""
        stamp = self.time_ns(time)
        value = {
            "header": _header(stamp), "motion": motion, "at": at, "joint_names": list(trajectory.joints),
            "continuity": trajectory.continuity, "profile": trajectory.profile, "origins": list(trajectory.origins),
            "durations": trajectory.durations, "coefficients": trajectory.coefficients.ravel(),
        }  # fmt: skip
        self._put("/motion_pieces", stamp, encode(TOPICS["/motion_pieces"], value))

    def diagnostics(self, time: float, status: Sequence[Mapping[str, Any]]) -> None:
        """How things are.

        Args:
            status: Of each thing: name, level (0 good, 1 warning, 2 error), message, and values: a mapping of texts.
        """
        stamp = self.time_ns(time)
        said = [
            {
                "level": int(item.get("level", 0)), "name": str(item["name"]), "message": str(item.get("message", "")),
                "hardware_id": self.about.robot,
                "values": [{"key": str(key), "value": str(value)} for key, value in item.get("values", {}).items()],
            }
            for item in status
        ]  # fmt: skip
        self._put("/diagnostics", stamp, encode(TOPICS["/diagnostics"], {"header": _header(stamp), "status": said}))

    def flush(self) -> None:
        """Close the chunk: all that was given is now in the file."""
        self._begun = None
        self._mcap.close_chunk()

    def finish(self) -> None:
        """Write index and footer, and close."""
        try:
            self._mcap.finish()
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close it as it is, with its last whole chunk."""
        self._file.close()

    def _put(self, topic: str, stamp: int, data: bytes) -> None:
        # The second before a motion is written late: it does not move the chunk's begin. A clock that was set back does.
        if self._begun is None or stamp < self._begun - 4 * _CHUNK_NS:
            self._begun = stamp
        elif stamp - self._begun >= _CHUNK_NS or self._mcap.pending > _CHUNK_BYTES:
            self.flush()
            self._begun = stamp
        self._mcap.message(self._channels[topic], stamp, data)


def _seconds(time_ns: int) -> tuple[int, int]:
    """Seconds and nanoseconds, as ROS has a time."""
    return divmod(time_ns, 1_000_000_000)


def _header(time_ns: int) -> dict[str, Any]:
    sec, nanosec = _seconds(time_ns)
    return {"stamp": {"sec": sec, "nanosec": nanosec}}
