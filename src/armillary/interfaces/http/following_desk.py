"""A robot that follows another one, from the pendant: the clutch is a person's, and opens by itself when he is gone."""

import contextlib
import threading
import time

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.cell.follower import Follower, Following
from armillary.errors import ArmillaryError
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.manual_bounds import manual_speed
from armillary.interfaces.http.sessions import Session
from armillary.model import Model, frame_jacobian
from armillary.runtime import Refused
from armillary.runtime.board_kinds import LIFE
from armillary.runtime.channel import Board
from armillary.runtime.station_channels import find_stations
from armillary.runtime.station_settings import StationSettings

__all__ = ["FollowingDesk", "leaders", "manual_share", "must_open"]

Array = NDArray[np.float64]
_LOOK = 0.02  # s between looks whether somebody is still there
_HELD = 0.15  # s after the last sign of who holds to run
_SAMPLES = 2000  # configurations in which the tool's speed is looked at
_SPARE = 1.1  # by which the fastest of them may be beaten by one that was not looked at


def leaders(desk: Desk) -> dict[str, StationSettings]:
    """The other stations that run on this machine, by the name of their folder."""
    found = {}
    for folder in find_stations():
        if folder.resolve() != desk.folder.resolve():
            with contextlib.suppress(ArmillaryError, OSError):  # one that is just starting or ending
                found[folder.name] = StationSettings.read(folder)
    return found


def manual_share(model: Model, most: float) -> float:
    """The share of all joints' speeds at which the tool is never faster than so much [m/s], whatever they do together."""
    if not model.tip:
        return 1.0
    rng, fastest = np.random.default_rng(0), 0.0
    for _ in range(_SAMPLES):
        J = frame_jacobian(model, model.random(rng), model.tip)
        fastest = max(fastest, float(np.linalg.norm(J[:3], axis=0) @ np.where(np.isfinite(model.velocity), model.velocity, 0.0)))
    return min(1.0, most / (_SPARE * fastest)) if fastest > 0.0 else 1.0


def must_open(desk: Desk, session: Session) -> str:
    """Why a clutch that somebody closed may not be closed, or ""."""
    lease = desk.lease
    if lease.holder is not session or session.over:
        return f"{session.user} has no control any more"
    if lease.links == 0:
        return f"{session.user}'s browser has no link"
    if desk.mode == "manual" and time.monotonic() - _pressed(desk) > _HELD:
        return "nobody holds to run"
    return ""


def _pressed(desk: Desk) -> float:
    """When somebody was last known to hold to run, as the front has it [s, monotonic]."""
    board = Board(desk.folder / "life", LIFE)
    try:
        return float(board.read()[1]["pressed"][0])
    finally:
        board.close()


class FollowingDesk:
    """Who is followed, and whether the clutch is closed. Safe for many threads.

    In manual mode it is closed only while somebody holds to run, and the tool stays below 250 mm/s. In either mode it opens when
    who closed it has no control, or no link, any more.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._lock = threading.RLock()
        self._master: Cell | None = None
        self._follower: Follower | None = None
        self._said: Following | None = None
        self.leader, self.kind, self.scale, self.opened_by = "", "joints", 1.0, ""
        self._share: float | None = None

    @property
    def state(self) -> Following | None:
        """What the follower does, or did last; None where none was engaged yet."""
        follower = self._follower
        return follower.state if follower is not None else self._said

    def choose(self, leader: str, kind: str, scale: float) -> None:
        """Another leader; the clutch is open.

        Raises:
            Refused: There is none of this name. BadFollowing: they do not fit together.
        """
        found = leaders(self.desk)
        if leader not in found:
            raise Refused(f"no cell {leader!r} runs on this machine; there are: {', '.join(found) or 'none'}")
        with self._lock:
            self.end()
            master = Cell.connect(leader)
            try:
                # Made once, so that what does not fit is said now and not when somebody closes the clutch.
                Follower(master, self.desk.cell, mapping=kind, scale=scale).close()
            except ArmillaryError:
                master.close()
                raise
            self._master, self.leader, self.kind, self.scale = master, leader, kind, scale

    def engage(self, session: Session) -> None:
        """Close the clutch: follow from where both are.

        Raises:
            Refused: No leader is chosen, a program runs, or nobody holds to run in manual mode.
            BadFollowing, RuntimeProblem: It cannot be followed now.
        """
        with self._lock:
            if self._master is None:
                raise Refused("choose a leader first")
            if self.desk.program_runs:
                raise Refused("a program runs; stop it first")
            if self._follower is not None and self._follower.state.engaged:
                return
            self._let_go("")
            if why := must_open(self.desk, session):
                raise Refused(f"the clutch stays open: {why}")
            manual, slow = self.desk.mode == "manual", manual_speed(self.desk.prepared.bounds)
            if self._share is None:
                self._share = manual_share(self.desk.cell.model, slow)
            follower = Follower(
                self._master, self.desk.cell, mapping=self.kind, scale=self.scale, speed=self._share if manual else 1.0,
                tool_speed=slow,
            )  # fmt: skip
            try:
                follower.engage()
            except BaseException:
                follower.close()
                raise
            self._follower, self.opened_by = follower, ""
        threading.Thread(target=self._watch, args=(session, follower), name="clutch", daemon=True).start()

    def disengage(self) -> None:
        """Open the clutch: the robot comes to rest."""
        with self._lock:
            self._let_go("")

    def end(self) -> None:
        """No leader any more. Any number of times."""
        with self._lock:
            self._let_go("")
            if self._master is not None:
                self._master.close()
            self._master, self._said, self.leader = None, None, ""

    def _let_go(self, why: str) -> None:
        follower, self._follower = self._follower, None
        if follower is not None:
            follower.close()
            self._said, self.opened_by = follower.state, why

    def _watch(self, session: Session, follower: Follower) -> None:
        """Until the clutch is open: whether it may stay closed."""
        while follower is self._follower:
            why = must_open(self.desk, session) or ("" if follower.state.engaged else follower.state.lost)
            if why:
                with self._lock:
                    if follower is self._follower:
                        self._let_go(why)
                return
            time.sleep(_LOOK)
