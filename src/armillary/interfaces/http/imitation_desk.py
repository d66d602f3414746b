"""A robot that imitates a person, from the pendant: where the motion comes from, and a clutch that opens when nobody is there."""

import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.cell.imitation_session import ImitationSession
from armillary.cell.imitation_state import ImitationState
from armillary.cell.recorded_imitation import program_text
from armillary.errors import ArmillaryError
from armillary.imitation import (
    Capture,
    FileMotion,
    GivenMotion,
    Imitator,
    Match,
    MotionSource,
    Person,
    Room,
    bvh_text,
    match,
    open_live,
    parse_bvh,
    poses_of,
    read_bvh,
    sides_of_bones,
)
from armillary.imitation.capture import positions_are_displacements
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.following_desk import manual_share, must_open
from armillary.interfaces.http.manual_bounds import manual_speed
from armillary.interfaces.http.motion_library import MotionLibrary
from armillary.interfaces.http.sessions import Session
from armillary.runtime import Refused

__all__ = ["Imitated", "ImitationDesk"]

Array = NDArray[np.float64]
_LOOK = 0.02  # s between looks whether somebody is still there
_FIRST = 3.0  # s that the first frame of a live source is waited for


@dataclass(frozen=True, eq=False)
class Imitated:
    """Whose motion is imitated, and how.

    Attributes:
        kind: "file", "live" or "given". name: Of the file, or the address.
        rows: What was matched to what: part of the body, bone, by what.
        parents, sides: Of the skeleton's bones, for who draws it.
    """

    kind: str
    name: str
    source: MotionSource
    session: ImitationSession
    matched: Match
    room: Room
    mirrored: bool
    mapping: str
    said: str

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        return [(str(part), str(bone), str(how)) for part, bone, how in self.matched.rows()]

    @property
    def parents(self) -> list[int]:
        return [int(parent) for parent in self.matched.skeleton.parents]

    @property
    def sides(self) -> list[str]:
        return list(sides_of_bones(self.matched))


class ImitationDesk:
    """Who is imitated, and whether the clutch is closed. Safe for many threads.

    In manual mode it is closed only while somebody holds to run, and slowly. In either mode it opens when who closed it has no
    control, or no link, any more.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk, self.library = desk, MotionLibrary(desk.place)
        self._lock = threading.RLock()
        self._now: Imitated | None = None
        self.opened_by = ""
        self._share: float | None = None
        self._speed = 1.0
        desk.person, desk.take_frame = self.places, self.put

    @property
    def imitated(self) -> Imitated | None:
        return self._now

    @property
    def state(self) -> ImitationState | None:
        now = self._now
        return None if now is None else now.session.state

    def places(self) -> Array | None:
        """The person's bones, upright, shape (bones, 3) [m]; None where there is none."""
        now = self._now
        places = None if now is None else now.session.state.places
        return None if now is None or places is None else now.room.upright(places)

    def choose(self, kind: str, name: str, *, mapping: str, mirrored: bool, arm: str, speed: float) -> None:
        """Another source; the clutch is open.

        Raises:
            ArmillaryError: It cannot be read, or nothing comes, or the robot has no arm; says why.
        """
        source, capture = self._open(kind, name)
        try:
            skeleton = source.skeleton
            if capture is None:  # what is live is learnt from its first frames: a calibration does better
                frame = source.next(_FIRST)
                values = np.zeros((0, skeleton.channel_count)) if frame is None else frame.values[None]
                capture = Capture(skeleton, values, source.period, name)
            displaced = positions_are_displacements(skeleton, capture.values)
            poses = poses_of(skeleton, capture.values[:: max(1, len(capture) // 200)], displaced=displaced)
            found = match(skeleton, poses if len(poses.places) else None)
            person = Person.of_capture(capture, found)
            imitator = Imitator(
                self.desk.cell.model, person, source.period, mapping=mapping, mirrored=mirrored, arm=arm, speed=speed,
                displaced=displaced,
            )  # fmt: skip
            # What is compiled is compiled now: a robot that moves waits for nothing.
            imitator.run(capture.values[:2] if len(capture) else np.zeros((2, skeleton.channel_count)))
            if not len(poses.places):
                poses = poses_of(skeleton, np.zeros((1, skeleton.channel_count)), displaced=True)
            room = Room(found, poses.places * person.stature.metres, person.postures(poses).chest)
            with self._lock:
                self.end()
                session = ImitationSession(self.desk.cell, source, imitator)
                self._now = Imitated(kind, name, source, session, found, room, mirrored, mapping, person.said)
                self.opened_by, self._speed = "", speed
        except BaseException:
            source.close()
            raise

    def _open(self, kind: str, name: str) -> tuple[MotionSource, Capture | None]:
        if kind == "file":
            capture = read_bvh(self.library.path(name), partial=True)
            if len(capture) < 2:
                raise Refused(f"{name} has {len(capture)} frames; a motion has two at least")
            return FileMotion(capture, repeat=True), capture
        if kind == "live":
            return open_live(name, wait=_FIRST), None
        capture = parse_bvh(name.encode(), "the skeleton", partial=True)
        return GivenMotion(capture.skeleton, capture.period), None

    def put(self, values: Array) -> None:
        """A frame from a page or a program, where that is the source.

        Raises:
            Refused: Another source is chosen. ImitationError: It is no frame of its skeleton.
        """
        now = self._now
        if now is None or not isinstance(now.source, GivenMotion):
            raise Refused("no source that is given frames is chosen; choose it first")
        now.source.put(values)

    def engage(self, session: Session) -> None:
        """Close the clutch: the robot eases into the person's pose.

        Raises:
            Refused: Nobody is chosen, a program runs, or nobody holds to run in manual mode.
            BadImitation, RuntimeProblem: It cannot be done now.
        """
        with self._lock:
            now = self._now
            if now is None:
                raise Refused("choose whose motion is imitated first")
            if self.desk.program_runs:
                raise Refused("a program runs; stop it first")
            if why := must_open(self.desk, session):
                raise Refused(f"the clutch stays open: {why}")
            if self._share is None:
                self._share = manual_share(self.desk.cell.model, manual_speed(self.desk.prepared.bounds))
            now.session.speed = min(self._speed, self._share) if self.desk.mode == "manual" else self._speed
            now.session.engage()
            self.opened_by = ""
        threading.Thread(target=self._watch, args=(session, now), name="clutch", daemon=True).start()

    def freeze(self) -> None:
        """The robot stands; the clutch can be closed again from there."""
        now = self._now
        if now is not None:
            now.session.freeze()

    def release(self) -> None:
        """Open the clutch: the robot comes to rest."""
        now = self._now
        if now is not None:
            now.session.release()

    def calibrate(self) -> None:
        """Raises:
        Refused: Nobody is chosen. BadImitation: Nothing comes in.
        """
        if self._now is None:
            raise Refused("choose whose motion is imitated first")
        self._now.session.calibrate()

    def set_speed(self, speed: float) -> None:
        """Share of the joints' velocities, from the next time that the clutch is closed in manual mode, at once in automatic."""
        self._speed = speed
        if self._now is not None and self.desk.mode != "manual":
            self._now.session.speed = speed

    @property
    def speed(self) -> float:
        return self._speed

    def recorded(self, what: str, robot: str) -> tuple[str, str]:
        """What was kept of the person (BVH) or of the robot (a program), and a name for the file.

        Raises:
            Refused: Nobody is chosen. ImitationError, TeachError: Nothing was kept.
        """
        if self._now is None:
            raise Refused("choose whose motion is imitated first")
        kept = self._now.session.recorded()
        if what == "person":
            return bvh_text(kept.capture), "person.bvh"
        return program_text(kept.path, robot, f"imitated from {self._now.name}"), "imitation.py"

    def record(self) -> None:
        """Raises:
        Refused: Nobody is chosen.
        """
        if self._now is None:
            raise Refused("choose whose motion is imitated first")
        self._now.session.record()

    def end(self) -> None:
        """Nobody is imitated any more. Any number of times."""
        with self._lock:
            now, self._now = self._now, None
            if now is not None:
                now.session.close()
                now.source.close()

    def _watch(self, session: Session, now: Imitated) -> None:
        """Until the clutch is open: whether it may stay closed."""
        while now is self._now and now.session.state.engaged:
            if why := must_open(self.desk, session):
                self.opened_by = why
                try:
                    now.session.release()
                except ArmillaryError:
                    pass  # a station that is gone moves nothing
                return
            time.sleep(_LOOK)
