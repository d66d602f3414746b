"""A person moves, the robot moves: frames of a source made set-points of a cell, with a clutch.

The robot is moved by set-points, which its executor filters and holds to its limits; they are not certified. Nothing here raises
while it runs: what is wrong is held, and said.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armillary.cell.cell import Cell
from armillary.cell.imitation_link import ImitationLink
from armillary.cell.imitation_state import ImitationPhase, ImitationState, StageTimes
from armillary.cell.recorded_imitation import ImitationRecorder, RecordedImitation
from armillary.errors import ArmillaryError
from armillary.imitation import Imitated, Imitator, MotionFrame, MotionSource, poses_of
from armillary.runtime import State

__all__ = ["BadImitation", "ImitationSession"]

Array = NDArray[np.float64]
_LOOK = 0.02  # s that a frame is waited for before the robot is looked after
_LATE = (0.06, 0.15)  # s without a frame from which on the robot is brought to a hold: three periods of the source, within these
_CARRIED = 0.05  # s for which the executor carries a set-point on; then it is said again, so that it is not taken for silence
_AGAIN = 0.5  # s after it was asked to follow in which a robot may not move yet
_EASES = 1.5  # s that a robot takes to come up to speed, as the imitator has it
_STANDS = 0.01  # of the joints' velocities: below it a robot that was held goes on from where it is
_FRESH = 0.5  # s that the newest frame may be old when the clutch is closed
_CALIBRATES = 1.0  # s of frames that a calibration takes
_RATED = 1.0  # s over which frames are counted


class BadImitation(ArmillaryError):
    """A person who cannot be imitated so, or not now; says why."""

    answer_is_no = True


class ImitationSession:
    """A robot that does what a person does, while its clutch is closed.

        with ImitationSession(cell, source, imitator) as session:
            session.engage()

    When the clutch is closed the robot eases from where it stands into the person's pose. Frozen it stands, and goes on from
    there in the same way; so too where nothing comes in for a while. When that lasts too long, or the robot is stopped, has a
    fault, or control goes to another, the clutch opens by itself, and must be closed anew. Safe for many threads.
    """

    def __init__(
        self, cell: Cell, source: MotionSource, imitator: Imitator, *, patience: float = 2.0, begin: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """Args:
        source: It stays the caller's to close. imitator: It is this session's from now on.
        patience: How long the robot waits for a source that has fallen silent before the clutch opens [s].
        begin: Whether its thread begins at once; without, who has a time of its own calls `round`.
        clock: [s]

        Raises:
            BadImitation: Source, imitator and cell do not fit together.
        """
        if imitator.model.joints != cell.model.joints:
            raise BadImitation("the imitator was made for other joints than the cell's; make it of the cell's own model")
        if imitator.person.match.skeleton.channel_count != source.skeleton.channel_count:
            raise BadImitation(
                f"the source's skeleton has {source.skeleton.channel_count} channels, and the person was learnt from one with "
                f"{imitator.person.match.skeleton.channel_count}; learn it from the source's"
            )
        if not 0.2 <= patience <= 60.0:
            raise BadImitation(f"a patience of {patience:g} s; give 0.2 to 60")
        self.cell, self.source, self.imitator, self.patience = cell, source, imitator, patience
        self._late = float(np.clip(3.0 * source.period, *_LATE))
        self._clock, self._lock, self._ends = clock, threading.RLock(), threading.Event()
        self._link = ImitationLink(cell, clock=clock)
        self._times, self._arrived = StageTimes(), deque[float](maxlen=1000)
        self._state = ImitationState(speed=imitator.speed, scale=imitator.scale)
        self._asked = self._begun = self._written = self._counted = self._went = 0.0
        self._sent = deque[tuple[float, float]](maxlen=8)  # when set-points went to the driver, by what they answer
        self._good, self._newest = -np.inf, -np.inf  # when the last frame came that could be used, and its own time
        self._q, self._v = np.zeros(cell.model.n), np.zeros(cell.model.n)
        self._collected: list[Array] | None = None
        self._collects = 0.0
        self._recorder: ImitationRecorder | None = None
        self._thread = threading.Thread(target=self._run, name="imitation", daemon=True)
        if begin:
            self._thread.start()

    # The clutch, and what can be changed while it runs.

    def engage(self) -> None:
        """Do what the person does from now on: from where the robot stands, frozen or not.

        Raises:
            BadImitation: Nothing comes in.
            Refused, NoControl, RuntimeProblem: The robot cannot be moved now.
        """
        with self._lock:
            if self._state.phase in (ImitationPhase.EASING, ImitationPhase.FOLLOWING):
                return
            now = self._clock()
            if now - self._good > _FRESH:
                raise BadImitation(f"nothing comes from {self.source.name}{self._why_silent()}; the robot is not moved")
            if self._state.phase is ImitationPhase.RELEASED:
                self.imitator.begin(self._commanded())  # before it is asked to follow: it may be somewhere that cannot be left
                self.cell.follow()
                self._asked = self._clock()
                self._hold()
            self._state = replace(self._state, phase=ImitationPhase.WAITING, lost="", held_by="")

    def freeze(self) -> None:
        """Stand, as soon as the limits allow; `engage` goes on from there. Nothing where the clutch is open."""
        with self._lock:
            if self._state.engaged:
                self._state = replace(self._state, phase=ImitationPhase.FROZEN)
                self._hold()

    def release(self) -> None:
        """Let go: the robot comes to rest and stands, and others may move it."""
        with self._lock:
            self._let_go("")

    def calibrate(self) -> None:
        """Learn from the next second how the person stands: straight, arms stretched out or hanging. Also while it moves.

        How it went is in `state.said`.

        Raises:
            BadImitation: Nothing comes in.
        """
        with self._lock:
            if self._clock() - self._good > _FRESH:
                raise BadImitation(f"nothing comes from {self.source.name}{self._why_silent()}; nothing can be learnt")
            self._collected, self._collects = [], self._clock()

    @property
    def speed(self) -> float:
        """Share of the joints' velocities that is used at most."""
        return self.imitator.speed

    @speed.setter
    def speed(self, share: float) -> None:
        with self._lock:
            self.imitator.speed = share
            self._state = replace(self._state, speed=self.imitator.speed)

    @property
    def scale(self) -> float:
        """How far from its zero each joint goes for what the person does; 1 is as the person."""
        return self.imitator.scale

    @scale.setter
    def scale(self, scale: float) -> None:
        with self._lock:
            self.imitator.scale = scale
            self._state = replace(self._state, scale=self.imitator.scale)

    def record(self) -> None:
        """Keep what comes in and what the robot does from now on; what was kept before is dropped."""
        with self._lock:
            self._recorder = ImitationRecorder(self.source.skeleton, self.source.period, self.cell.model.joints)

    def recorded(self) -> RecordedImitation:
        """What was kept since `record`; it goes on.

        Raises:
            ImitationError: Nothing was.
        """
        with self._lock:
            recorder = self._recorder or ImitationRecorder(self.source.skeleton, self.source.period, self.cell.model.joints)
            return recorder.finish()

    @property
    def state(self) -> ImitationState:
        with self._lock:
            now = self._clock()
            while self._arrived and now - self._arrived[0] > _RATED:
                self._arrived.popleft()
            share = 0.0 if self._collected is None else min(max((now - self._collects) / _CALIBRATES, 0.01), 1.0)
            return replace(
                self._state, rate=len(self._arrived) / _RATED, latency=self._times.shown(), calibrating=share,
                recorded=0 if self._recorder is None else len(self._recorder),
            )  # fmt: skip

    def close(self) -> None:
        """Let go and end. Cell and source go on."""
        self.release()
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)
        if not self._thread.is_alive():
            self._link.close()

    def __enter__(self) -> "ImitationSession":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The rounds.

    def _run(self) -> None:
        while not self._ends.is_set():
            try:
                frame = self.source.next(min(_LOOK, self.source.period))
            except Exception as error:  # a source may be anybody's code: one that fails is one that is silent
                self._say(f"{self.source.name}: {error}")
                frame = None
                self._ends.wait(_LOOK)
            self.round(frame)

    def round(self, frame: MotionFrame | None) -> None:
        """What is to be done with a frame, or without one. Never raises."""
        with self._lock:
            if self._ends.is_set():
                return
            try:
                self._look_after()
                if frame is not None and self._usable(frame):
                    self._take(frame)
                else:
                    self._wait()
            except Exception as error:  # a cell that was closed, or a fault of ours: neither may leave a robot moving
                words = str(error) if isinstance(error, ArmillaryError) else f"{type(error).__name__}: {error}"
                self._let_go(words)

    def _look_after(self) -> None:
        """Let go of a robot that is not moved from here any more; count how long the last set-point took."""
        self._count()
        if not self._state.engaged:
            return
        record = self.cell.station.state
        state = State(int(record["state"]))
        if state == State.FAULTED:
            self._let_go(f"the robot has a fault: {bytes(record['fault']).decode(errors='replace')}")
        elif state != State.MOVING and self._clock() - self._asked > _AGAIN:
            self._let_go(f"the robot was stopped: it is {state.name}")
        elif self.cell.station.gone:
            self._let_go("the station is gone")

    def _usable(self, frame: MotionFrame) -> bool:
        """Whether a frame can be one."""
        self._arrived.append(self._clock())
        self._state = replace(self._state, frames=self._state.frames + 1)
        wrong = ""
        if frame.values.shape != (self.source.skeleton.channel_count,):
            wrong = f"a frame has {frame.values.size} values, and the skeleton {self.source.skeleton.channel_count} channels"
        elif not np.isfinite(frame.values).all():
            wrong = "a frame has a value that is no number"
        elif frame.time <= self._newest:
            wrong = "a frame is not newer than the one before"
        if wrong:
            self._state = replace(self._state, refused=self._state.refused + 1)
            self._say(f"{self.source.name}: {wrong}")
        return not wrong

    def _take(self, frame: MotionFrame) -> None:
        """A frame that can be used: into a set-point where the clutch is closed."""
        came = self._clock()
        self._times.add("decoded", came - frame.time)
        periods = max(1, round((frame.time - self._newest) / self.source.period)) if np.isfinite(self._newest) else 1
        self._good, self._newest = came, frame.time
        self._link.show(frame.values, frame.time)
        self._collect(frame.values)
        phase = self._state.phase
        if phase is ImitationPhase.WAITING and self._may_go_on():
            self.imitator.begin(self._commanded())
            self._begun, periods, phase = came, 1, ImitationPhase.EASING
        if phase in (ImitationPhase.EASING, ImitationPhase.FOLLOWING):
            self._follow(frame, periods, came)
        else:
            self._state = replace(self._state, places=self._places(frame.values))
            if self._state.engaged:
                self._hold()
        if self._recorder is not None and self._state.engaged:
            self._recorder.add(frame.time, frame.values, self._commanded())

    def _follow(self, frame: MotionFrame, periods: int, came: float) -> None:
        imitated = self.imitator.step(frame.values, periods=periods)
        solved = self._clock()
        self._times.add("solved", solved - came)
        if not (np.isfinite(imitated.q).all() and np.isfinite(imitated.v).all()):
            self._state = replace(self._state, refused=self._state.refused + 1)
            self._say("a frame leads to no joint positions")
            self._hold()
            return
        self._q[:], self._v[:] = imitated.q, imitated.v
        self._write(frame.time)
        self._times.add("written", self._written - solved)
        eases = came - self._begun < _EASES
        self._show(imitated, ImitationPhase.EASING if eases else ImitationPhase.FOLLOWING)

    def _show(self, imitated: Imitated, phase: ImitationPhase) -> None:
        self._state = replace(
            self._state, phase=phase, held_by=imitated.held_by, errors=imitated.errors, places=imitated.places,
            q=imitated.q, set_points=self._state.set_points + 1,
        )  # fmt: skip

    def _wait(self) -> None:
        """No frame that can be used: the robot goes on a little, then stands, then is let go of."""
        phase, now = self._state.phase, self._clock()
        silent = now - self._good
        if phase is ImitationPhase.RELEASED:
            return
        if phase is ImitationPhase.FROZEN:
            self._hold()
        elif silent > self.patience:
            self._let_go(f"nothing came from {self.source.name} for {silent:.1f} s{self._why_silent()}")
        elif phase is ImitationPhase.WAITING or silent > self._late:
            self._state = replace(self._state, phase=ImitationPhase.WAITING)
            self._hold()
        elif now - self._written > _CARRIED:  # as the executor has it: where the last one was carried to
            self._q += self._v * _CARRIED
            self._v[:] = 0.0
            self._write(self._newest)

    def _hold(self) -> None:
        """Come to rest, or stay there; said in every round, for the executor stops for good where nothing is said."""
        self._link.set_point(self._commanded(), np.zeros(self.cell.model.n), 0.0, holds=True)
        self._written = self._clock()

    def _write(self, since: float) -> None:
        self._link.set_point(self._q, self._v, since)
        self._written = self._clock()

    def _commanded(self) -> Array:
        """Where the joints are commanded to be now, shape (n,)."""
        return np.array(self.cell.station.state["q"], dtype=float)

    def _may_go_on(self) -> bool:
        """Whether the robot follows, and stands."""
        record = self.cell.station.state
        still = np.abs(record["v"]) <= _STANDS * self.cell.model.velocity
        return int(record["state"]) == State.MOVING and bool(still.all())

    def _collect(self, values: Array) -> None:
        """A frame of a calibration; with the last one it is done."""
        if self._collected is None:
            return
        self._collected.append(values)
        if self._clock() - self._collects < _CALIBRATES:
            return
        rows, self._collected = np.array(self._collected), None
        try:
            self.imitator.calibrate(poses_of(self.source.skeleton, rows, displaced=self.imitator.displaced))
            self._say(f"calibrated from {len(rows)} frames")
        except ArmillaryError as error:
            self._say(f"not calibrated: {error}")

    def _places(self, values: Array) -> Array:
        """The person's bones, shape (bones, 3) [m]."""
        poses = poses_of(self.source.skeleton, values[None], displaced=self.imitator.displaced)
        return np.asarray(poses.places[0] * self.imitator.person.stature.metres)

    def _count(self) -> None:
        """How long the newest set-points were on their way, each once."""
        way = self._link.way_out()
        if way.since > self._counted and way.written >= self._asked:
            self._counted = way.since
            self._times.add("executor", way.sent - way.written)
            self._sent.append((way.since, way.sent))
            if not self._link.hosted:
                self._times.add("all", way.sent - way.since)
        since, out = self._link.out()
        sent = next((when for of, when in self._sent if of == since), None)
        if sent is not None and since != self._went:
            self._went = since
            self._times.add("servo frame", out - sent)
            self._times.add("all", out - since)

    def _say(self, words: str) -> None:
        self._state = replace(self._state, said=words)

    def _why_silent(self) -> str:
        error = self.source.statistics.error
        return f" ({error})" if error else ""

    def _let_go(self, why: str) -> None:
        if not self._state.engaged:
            return
        self._state = replace(self._state, phase=ImitationPhase.RELEASED, lost=why, held_by="")
        try:
            self._hold()
            self.cell.stop()
        except Exception:
            pass  # it stands all the same: set-points that cease stop it
