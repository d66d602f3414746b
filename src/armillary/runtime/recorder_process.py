"""The recorder as a process of its own: forked by the supervisor, or `python -m armillary.runtime.recorder_process FOLDER`.

It reads what the executor says from a pipe, and never says anything back: whatever happens here, the executor does not wait.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description import write_urdf
from armillary.errors import ArmillaryError
from armillary.model import Model, load_model
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.histogram import Histogram
from armillary.runtime.message import Assembly, Message
from armillary.runtime.prepared import Prepared
from armillary.runtime.realtime import leave_core
from armillary.runtime.recording_folder import ContinuousRecording, RecordingFolder
from armillary.runtime.recording_frames import Frames
from armillary.runtime.recording_thinning import Thinning
from armillary.runtime.recording_writer import RecordingAbout, RecordingWriter
from armillary.runtime.starter import Starter
from armillary.runtime.station_channels import RECORDER

__all__ = ["Recorder", "main", "run"]

_SAID = 30.0  # s for which it is said that something was left out
_POLL = 0.02  # s
_BATCH = 2000  # records that are taken before it looks up
_FLUSH = 0.5  # s after which what waits is written, where nothing new came
_NEAR = 60.0  # s that an event may be away from the tick it is said behind
_LINGER = 0.5  # s of silence until it ends after who started it


class Recorder:
    """From the pipe to the files."""

    def __init__(self, folder: Path, model: Model | None = None) -> None:
        """Args:
        folder: The station's.
        model: The robot, where it is read already.
        """
        settings = json.loads((folder / "settings.json").read_text())
        self.model = model or load_model(settings["source"], group=settings.get("group") or None)
        self._kind = state_kind(self.model.n)
        self._frames = Frames(self.model)
        self._lock_step = _is_lock_step(settings)
        about = _about(self.model, settings)
        place = RecordingFolder(settings.get("recordings") or None)
        self.recording = ContinuousRecording(place, about, begin=self._begin)
        self._pipe = Pipe(folder / "history")
        path = folder / "recorder"
        self._board = Board(path, RECORDER, create=not path.exists())  # one that was killed left its board behind
        self._thinning, self._motion = Thinning(), Assembly()
        self._time, self._number, self._origin = (about.started_ns - about.epoch_ns) / 1e9, 0, ""
        self._gaps, self._bad, self._problem, self._said_at = 0, 0, "", 0.0
        self._switches: tuple[int, int, bytes] = 0, 0, b""  # inputs and outputs of the tick before
        self._ended, self._flushed = False, time.monotonic()
        self._starter, self._heard = Starter(), time.monotonic()

    def run(self) -> None:
        """Until it is told to end, or who started it is gone and nothing comes any more."""
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the station, which ends what it started
        while not self._ended and self._starter.lets_go_on(self._hears):
            now = time.monotonic()
            if self.drain() or not self._starter.gone:
                self._heard = now
            self._keep_up(now)
            time.sleep(_POLL)
        self.close()

    def _hears(self) -> bool:
        """Whether something still comes: without who started it the executor may still be stopping."""
        return time.monotonic() - self._heard <= _LINGER

    def close(self) -> None:
        """Take what is left in the pipe, finish the file, say so."""
        while self.drain():
            pass
        self.recording.close()
        if told := self.recording.told():
            print(f"armillary recorder: {told}", file=sys.stderr, flush=True)
        self.recording.folder.mend()  # those of recorders that were killed before it
        self._say()
        self._board.close()

    def drain(self) -> int:
        """Write what is in the pipe; how many records that were."""
        for count in range(_BATCH):
            try:
                data = self._pipe.receive()
            except ArmillaryError as error:
                self._pass_over(error)
                self._pipe.clear()  # it is damaged: it begins anew behind the damage
                return count
            if data is None:
                return count
            try:
                self._take(data)
            except (ArmillaryError, TypeError, ValueError) as error:
                self._pass_over(error)
        return _BATCH

    def _pass_over(self, error: Exception) -> None:
        """What cannot be written down is left out, counted, and said for a while: the next ones are whole again."""
        self._bad += 1
        self._problem, self._said_at = f"{self._bad} records were left out, the last one since {error}", time.monotonic()

    def _end(self, *_: object) -> None:
        self._ended = True

    def _keep_up(self, now: float) -> None:
        # In lock step the bytes follow from what was recorded alone: no clock closes a chunk.
        if now - self._flushed >= _FLUSH:
            self._flushed = now
            if not self._lock_step:
                self.recording.flush()
        self._say()

    def _say(self) -> None:
        recording, value = self.recording, self._board.value
        value["written"], value["lost"] = recording.written, recording.lost + self._gaps + self._bad
        value["file"] = str(recording.last_file or "").encode()[:400]
        if self._problem and time.monotonic() - self._said_at > _SAID:
            self._problem = ""
        value["problem"] = (recording.problem or self._problem).encode()[:200]
        value["time"] = time.monotonic()
        self._board.write()

    def _begin(self, writer: RecordingWriter) -> None:
        frames, still = self._frames, self.model.zero()
        parents = [frames.parents[name] for name in frames.fixed]
        begun = (writer.about.started_ns - writer.about.epoch_ns) / 1e9
        if parents:
            writer.poses(begun, frames.fixed, parents, frames.poses(still, frames.fixed), fixed=True)

    def _take(self, data: bytes) -> None:
        if data[:1] == b"T":
            record = data[1:]
            if len(record) != self._kind.itemsize:
                raise ArmillaryError(f"a tick of {len(record)} bytes, not {self._kind.itemsize}: it is of another robot")
            self._take_tick(record)
        elif data[:1] == b"M":
            self._take_message(Message.decode(data[1:]))
        else:
            raise ArmillaryError(f"a record that begins with {data[:1]!r}")

    def _take_tick(self, record: bytes) -> None:
        value = np.frombuffer(record, dtype=self._kind, count=1)[0]
        number, self._time = int(value["ticks"]), float(value["time"])
        if self._number and number > self._number:
            self._gaps += number - self._number - 1  # the executor does not wait: what found no room is missing
        self._number = number
        self._origin = bytes(value["origin"]).decode(errors="ignore")
        # Not analogue inputs: they are never quite the same.
        switches = int(value["inputs"]), int(value["outputs"]), value["analog_outputs"].tobytes()
        switched, self._switches = switches != self._switches, switches
        for kept in self._thinning.take(self._time, bool(value["moves"]), record, switched=switched):
            self.recording.write(lambda writer, kept=kept: self._write_tick(writer, kept, value["measured_q"]))  # type: ignore[misc]

    def _write_tick(self, writer: RecordingWriter, record: bytes, q: NDArray[np.float64]) -> None:
        writer.tick(record)
        frames = self._frames
        if frames.moving and writer.wants_poses(self._time) and np.isfinite(q).all():
            parents = [frames.parents[name] for name in frames.moving]
            writer.poses(self._time, frames.moving, parents, frames.poses(np.array(q), frames.moving))

    def _take_message(self, message: Message) -> None:
        values, write = message.values, self.recording.write
        if message.kind == "end":
            self._ended = True
        elif message.kind == "happened":
            kind, state, text = (str(values.get(name, "")) for name in ("event", "state", "text"))
            when, source = float(values.get("time", self._time)), str(values.get("source", self._origin))
            if not abs(when - self._time) < _NEAR:  # of before the executor's clock was set: it is said now
                when = self._time
            write(lambda writer: writer.event(when, kind, state, text, source))
        elif message.kind == "segments":
            self._motion.take(message)
        elif message.kind == "run":
            taken = self._motion.handover(message)
            # It was taken behind the tick that came last: the executor's clock, not that of who sent it.
            write(lambda writer: writer.trajectory(self._time, taken.trajectory))
            write(lambda writer: writer.piece(self._time, taken.motion, taken.at, taken.trajectory))
        elif message.kind == "statistics":
            write(lambda writer: writer.diagnostics(self._time, _status(message)))


def _is_lock_step(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("lock_step", settings.get("pace") == "lock_step"))


def _about(model: Model, settings: Mapping[str, Any]) -> RecordingAbout:
    lock_step, started = _is_lock_step(settings), time.time_ns()
    if lock_step or "epoch_ns" in settings:
        epoch = started = int(settings.get("epoch_ns", 0))
    elif settings.get("pace", "real") == "real":
        epoch = started - time.monotonic_ns()  # the executor's clock is the system's
    else:
        epoch = started  # it counts from zero
    robot = model.spec.robot
    return RecordingAbout(
        robot.name, model.joints, model.digest, write_urdf(robot), started, epoch, float(settings.get("period", 0.001)),
        str(settings["source"]), str(settings.get("group") or ""), lock_step,
    )  # fmt: skip


def _status(message: Message) -> list[dict[str, Any]]:
    """What the executor says of its time, as diagnostics: one for all, and one for each thing that took time."""
    whole = {"name": "executor", "values": {name: value for name, value in message.values.items() if name != "names"}}
    counts, most = message.arrays["counts"].astype(np.int64), message.arrays["most"]
    parts = [
        {"name": f"executor: {name}", "values": {key: json.dumps(item) for key, item in summary.items()}}
        for k, name in enumerate(message.values["names"])
        for summary in [Histogram(counts[k], float(most[k])).summary()]
    ]
    return [whole, *parts]


def run(folder: Path, prepared: Prepared) -> None:
    """Record a station, in a process that was made for it."""
    os.nice(5)  # it is the last to get time
    Recorder(folder, prepared.model).run()


def main() -> None:
    folder = Path(sys.argv[1])
    try:
        settings = json.loads((folder / "settings.json").read_text())
        os.nice(5)
        if settings.get("real_time", False) and settings.get("pace", "real") == "real":
            leave_core()
        Recorder(folder).run()
    except ArmillaryError as error:
        print(f"armillary recorder: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
