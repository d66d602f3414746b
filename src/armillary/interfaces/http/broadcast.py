"""State on its way to browsers: made once, told to all, and to a slow one only the newest of it."""

import asyncio
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.cell import RunState
from armillary.cell.cell_state import inputs_outputs_of
from armillary.errors import ArmillaryError
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.held_pace import HeldPace
from armillary.interfaces.http.messages import (
    Control,
    InputsOutputs,
    Motion,
    Nearest,
    Pair,
    PersonPlaces,
    ProgramState,
    Status,
    Variable,
    Variables,
)
from armillary.interfaces.http.recent_troubles import RecentTroubles
from armillary.interfaces.http.sessions import Session
from armillary.interfaces.http.stage_times import StageTimes
from armillary.interfaces.http.wire import Message, encode
from armillary.model import Model, frame_jacobian
from armillary.motion import tool_pose
from armillary.runtime import State
from armillary.spatial import rpy_from_rotation

__all__ = ["Broadcast", "Viewer"]

_RATE = 60.0  # times a second that Motion is told at most
_SEES = 1.0  # s between looks at who has control
_PERSON = 2  # rounds between pictures of who is imitated
_SLOW = 6  # rounds between looks at what changes seldom
_WAITING = 200  # messages that wait for one browser; the oldest go
_SAID = 20  # of what a program has said
_SHOWN = 200  # variables


@dataclass(eq=False)
class Viewer:
    """One browser's end of the line: what it has still to be told."""

    session: Session
    seen: bool = True
    newest: dict[str, str] = field(default_factory=dict)
    queue: deque[str] = field(default_factory=lambda: deque(maxlen=_WAITING))
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    motion_at: float = 0.0
    pace: HeldPace = field(default_factory=HeldPace)

    def tell(self, message: Message) -> None:
        if message.queued:
            self.queue.append(encode(message))
        else:
            self.newest[message.key] = encode(message)
        self.wake.set()

    async def next(self) -> list[str]:
        """What there is to be told now; waits for it."""
        await self.wake.wait()
        self.wake.clear()
        told = [*self.queue, *self.newest.values()]
        self.queue.clear()
        self.newest.clear()
        return told


class Broadcast:
    """Reads the station's boards, and tells every viewer what has changed.

    Attributes:
        soon: Somebody has asked for a change: what changes seldom is looked at in the next round, and not up to six later.
        times: How long the way to the motor side and back takes ("round_trip"), and one round here ("server").
    """

    def __init__(self, desk: Desk) -> None:
        self.desk, self.viewers = desk, set[Viewer]()
        self.soon, self._state = False, -1
        self._wrong = ""  # what could not be shown last
        self._last: dict[str, str] = {}
        self._troubles = RecentTroubles()
        self.times = {"round_trip": StageTimes(), "server": StageTimes()}

    def join(self, viewer: Viewer) -> None:
        """Tell a new one everything."""
        self.viewers.add(viewer)
        self._linked(viewer.session)
        viewer.newest.update(self._last)
        viewer.wake.set()

    def leave(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        self._linked(viewer.session)

    def _linked(self, session: Session) -> None:
        self.desk.lease.linked(session, self.links_of(session))

    def links_of(self, session: Session) -> int:
        return sum(viewer.session is session for viewer in self.viewers)

    def tell_all(self, message: Message) -> None:
        for viewer in self.viewers:
            viewer.tell(message)

    async def run(self) -> None:
        """For ever. What goes wrong in showing something is noted, and the rest is shown."""
        turn, due = 0, time.monotonic()
        while True:
            due = max(due + 1.0 / _RATE, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            begin = time.perf_counter()
            try:
                self._tell(turn)
                self.times["server"].add(time.perf_counter() - begin)
            except Exception as error:  # whatever a language from elsewhere shows
                if repr(error) != self._wrong:
                    self._wrong = repr(error)
                    self.desk.audit.note("the pendant", f"cannot show what happens: {error!r}")
            turn += 1

    async def see_who_has_control(self) -> None:
        """For ever, once a second while somebody looks: others on this machine take it and give it back without the pendant."""
        while True:
            if self.viewers:
                with suppress(ArmillaryError):  # a front that is started again is asked the next time
                    await asyncio.to_thread(self.desk.see_who_has_control)
            await asyncio.sleep(_SEES)

    def _tell(self, turn: int) -> None:
        for alarm in self.desk.alarms.heard(self.desk.cell.station.happenings):
            self.tell_all(alarm)
        if self.viewers:
            record = self.desk.cell.station.state
            lost = int(self.desk.cell.station.recording["lost"])
            self._troubles.look(lost=lost, late=float(record["late"]), latest=float(record["latest"]))
            self.times["round_trip"].add(float(record["round_trip"]))
            self._tell_motion(motion_of(record, self.desk.cell.model))
            if turn % _PERSON == 0:
                self._tell_changed([person_of(self.desk)])
            if turn % _SLOW == 0 or self.soon or self._state != int(record["state"]):
                self.soon, self._state = False, int(record["state"])
                self._tell_changes(record)

    def _tell_motion(self, message: Motion) -> None:
        now, text = time.monotonic(), encode(message)
        self._last[message.key] = text
        for viewer in self.viewers:
            if now - viewer.motion_at > 0.9 / _RATE:
                viewer.motion_at = now
                viewer.newest[message.key] = text
                viewer.wake.set()

    def _tell_changes(self, record: Any) -> None:
        desk = self.desk
        messages: list[Message] = [self._status(record), program_of(desk), variables_of(desk), io_of(record)]
        nearest = nearest_of(desk, record)
        if nearest is not None:
            messages.append(nearest)
        self._tell_changed(messages)

    def _tell_changed(self, messages: list[Message]) -> None:
        for message in messages:
            text = encode(message)
            if self._last.get(message.key) != text:
                self._last[message.key] = text
                for viewer in self.viewers:
                    viewer.newest[message.key] = text
                    viewer.wake.set()

    def _status(self, record: Any) -> Status:
        desk, station = self.desk, self.desk.cell.station
        lease, holder, recording = desk.lease, desk.lease.holder, station.recording
        name = holder.user if holder is not None else desk.run_name if desk.program_runs else desk.elsewhere
        return Status(
            state=State(int(record["state"])).name, mode=desk.mode, moves=bool(record["moves"]),
            certified=bool(record["certified"]), rate=float(record["rate"]),
            fault=bytes(record["fault"]).decode(errors="replace"), driver=station.settings.driver,
            simulated=station.settings.driver in ("physics", "ideal"),
            control=Control(holder.number if holder is not None else "", name, lease.links > 0, lease.asked_by),
            tool=desk.cell.model.tip, frame=desk.cell.model.reference or "world", held_by=station.jog_held_by,
            contacts=int(record["contacts"]), recording=recording["file"], recorded=int(recording["written"]),
            trouble=recording["problem"], viewers=len(self.viewers), alarms=desk.alarms.unseen,
            lost=self._troubles.lost, late_ticks=self._troubles.late,
        )  # fmt: skip


def motion_of(record: Any, model: Model) -> Motion:
    """What the executor says, as a browser is told it."""
    q, v, measured = record["q"], record["v"], record["measured_q"]
    T = tool_pose(model, np.array(q), base=model.reference)
    T_actual = tool_pose(model, actual_of(record), base=model.reference)
    speed = float(np.linalg.norm((frame_jacobian(model, np.array(q), model.tip) @ v)[:3])) if model.tip else 0.0
    return Motion(
        time=float(record["time"]), q=tuple(q.tolist()), v=tuple(v.tolist()), a=tuple(record["a"].tolist()),
        torque=tuple(record["torque"].tolist()), measured_q=tuple(measured.tolist()),
        measured_torque=tuple(record["measured_torque"].tolist()), xyz=tuple(T[:3, 3].tolist()),
        rpy=rpy_from_rotation(T[:3, :3]), actual_xyz=tuple(T_actual[:3, 3].tolist()),
        actual_rpy=rpy_from_rotation(T_actual[:3, :3]), speed=speed, late=float(record["late"]),
        work=float(record["work"]), round_trip=float(record["round_trip"]), progress=float(record["progress"]),
    )  # fmt: skip


def actual_of(record: Any) -> NDArray[np.float64]:
    """Where the robot is drawn, shape (n,): each joint where it is measured, and as commanded where nothing measures it."""
    q, measured = np.array(record["q"]), np.array(record["measured_q"])
    found: NDArray[np.float64] = np.where(np.isfinite(measured), measured, q)
    return found


def program_of(desk: Desk) -> ProgramState:
    run = desk.run
    if run is None:
        return ProgramState("", "", "", 0, 0, 0, 0.0, False, "", ())
    file, _, line = run.line.rpartition(":")
    if not run.over:
        desk.run_lasted = time.monotonic() - desk.run_began
    return ProgramState(
        state=run.state.value, name=desk.run_name, file=file, line=int(line) if line.isdigit() else 0, read_line=run.shown.line,
        moves=run.moves, seconds=round(desk.run_lasted, 1), step=run.stepping,
        error=str(run.error or "") if run.state == RunState.FAILED else "",  # who stopped it knows why it ended
        said=tuple(list(run.said)[-_SAID:]),
    )  # fmt: skip


def variables_of(desk: Desk) -> Variables:
    if desk.run is None:
        return Variables((), (), ())
    shown = desk.run.shown
    variables = tuple(Variable(name, float(value)) for name, value in list(shown.variables.items())[:_SHOWN])
    return Variables(variables, shown.calls, tuple(f"{name} {value}".strip() for name, value in shown.modes.items()))


def io_of(record: Any) -> InputsOutputs:
    found = inputs_outputs_of(record)
    return InputsOutputs(
        found["inputs"],
        found["outputs"],
        tuple(found["analog_inputs"].tolist()),
        tuple(found["analog_outputs"].tolist()),
        found["forced"],
        found["forced_analog"],
    )


def person_of(desk: Desk) -> Message:
    places = desk.person()
    return PersonPlaces(() if places is None else tuple(np.round(places, 4).ravel().tolist()))


def nearest_of(desk: Desk, record: Any) -> Nearest | None:
    """The two parts that are nearest to each other, as they were when it was last looked; None where nothing is known."""
    q = actual_of(record)
    seen = desk.parts.look(q, contacts=int(record["contacts"]) > 0) if np.isfinite(q).all() else None
    if seen is None or seen.nearest is None:
        return None
    found = seen.nearest
    at_a, at_b = (tuple(round(float(value), 4) for value in point) for point in (found.p_world_first, found.p_world_second))
    touching = tuple(Pair(first, second) for first, second in seen.touching)
    return Nearest(found.first, found.second, round(found.distance, 4), at_a, at_b, touching)
