"""The worker that jogs: what is asked on a board in, short proven pieces of motion out, fifty a second."""

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.model import frame_jacobian
from armillary.motion import Bounds
from armillary.motion.jog_stream import JogPiece, JogStream, JointJog, ToolJog
from armillary.runtime.board_kinds import jog_kind, state_kind
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.handover import Handover
from armillary.runtime.jog_frame import frame_axes
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.prepared import Prepared
from armillary.runtime.states import State
from armillary.runtime.station_channels import JOGGER

__all__ = ["Jogger", "run", "warm_up"]

Array = NDArray[np.float64]
_LOOK, _IDLE = 0.004, 0.02  # s between looks, while it jogs and otherwise
_SHARE = 0.9  # of a bound on the tool's speed that is used: the arm's lever changes between pieces
_FRESH = 0.1  # s: what was asked longer ago does not hold any more
_AHEAD = 0.06  # s that the robot is given ahead of where it is
_JOINTS, _TWIST, _TWIST_IN_TOOL = 1, 2, 3


class Jogger:
    """Makes the pieces of a jog, and begins and ends it."""

    def __init__(self, folder: Path, prepared: Prepared) -> None:
        self.prepared, self.model = prepared, prepared.model
        kind = state_kind(self.model.n)
        self.state, self._state = Board(folder / "state", kind), np.zeros(1, dtype=kind)
        self.jog, self._asked = Board(folder / "jog", jog_kind(self.model.n)), np.zeros(1, dtype=jog_kind(self.model.n))
        self.says = Board(folder / "jogger", JOGGER)
        self.pieces, self.answers = Pipe(folder / "jog_pieces"), Pipe(folder / "jog_answers")
        self.answers.clear()
        self._parent = os.getppid()
        self._stream: JogStream | None = None
        self._kind: tuple[int, bytes] = (0, b"")
        self._motion = (int(time.monotonic() * 1e3) << 8) | 1 << 62  # numbers of motions, apart from the planner's
        self._fixed = self._begun = 0.0
        self._number = 0

    def serve(self) -> None:
        while os.getppid() == self._parent:
            try:
                self.look()
            except ArmillaryError as error:
                self._stream = None
                self._say(str(error))
            time.sleep(_LOOK if self._stream is not None else _IDLE)

    def look(self) -> None:
        """See what is asked, and give the robot more to do where it needs it."""
        self.state.read(self._state)
        self.jog.read(self._asked)
        asked, now = self._asked[0], time.monotonic()
        kind = (int(asked["kind"]), bytes(asked["frame"]))
        wanted = kind[0] != 0 and now - float(asked["time"]) < _FRESH
        self._hear(wanted)
        stands = State(int(self._state["state"][0])) == State.READY and not self._state["moves"][0]
        if self._stream is None and wanted and stands:
            self._begin(kind)
        if self._stream is None:
            return
        driven = int(self._state["motion"][0]) == self._motion
        if not driven and now - self._begun > 0.2:
            self._stream = None  # it has come to rest, or was never taken
            return
        # Another kind of jog, or another frame: this one stops first.
        same = wanted and kind == self._kind
        ahead = _AHEAD + 2.0 * float(self._state["interval"][0])  # set-points of a buffer are made one interval at once
        while self._stream is not None and self._fixed - (float(self._state["motion_time"][0]) if driven else 0.0) < ahead:
            if not self._more(self._speeds(asked) if same else np.zeros_like(self._speeds(asked))):
                return

    def _begin(self, kind: tuple[int, bytes]) -> None:
        q = np.array(self._state["q"][0])
        prepared, model = self.prepared, self.model
        if kind[0] == _JOINTS:
            self._stream = JointJog(model, prepared.limits, q, bounds=self._bounds())
        else:
            self._stream = ToolJog(
                model, prepared.limits, q, bounds=self._bounds(), base=model.reference, in_tool=kind[0] == _TWIST_IN_TOOL
            )
        self._kind, self._fixed, self._begun = kind, 0.0, time.monotonic()
        self._motion += 1

    def _bounds(self) -> Bounds:
        """What the jog is held to: the cell's own, and the speed of the tool that the front says."""
        most, own = float(self._asked["tool_speed"][0]), self.prepared.bounds.tool_speed
        return replace(self.prepared.bounds, tool_speed=own if not most else most if own is None else min(most, own))

    def _more(self, speeds: Array) -> bool:
        """One more piece; False where there is none."""
        stream = self._stream
        assert stream is not None
        first = self._fixed == 0.0
        if not first and stream.rests and not speeds.any():
            self._stream = None
            return False
        piece = stream.next(speeds)
        if speeds.any():
            self._say("nothing further in this direction can be reached" if piece is None else piece.held_by)
        if piece is None or not piece.certificate:
            # Nothing to move, or not proven: what the robot has ends at rest, and that is driven now.
            self._stream = None if first or piece is None else stream
            if not first:
                self._end_when_rested()
            return False
        self._send(piece)
        self._fixed += piece.moment
        return True

    def _end_when_rested(self) -> None:
        if not self._state["moves"][0]:
            self._stream = None

    def _send(self, piece: JogPiece) -> None:
        handover = Handover(piece.trajectory, piece.certificate, self._motion, self._fixed, while_pressed=True)
        for message in handover_messages(handover, self._number + 1, time.monotonic()):
            self._number = message.number
            while not self.pieces.send(message.encode()):
                time.sleep(0.001)

    def _hear(self, wanted: bool) -> None:
        while (data := self.answers.receive()) is not None:
            refused = str(Message.decode(data).values["refused"])
            if refused and self._stream is not None:
                self._stream = None
                if wanted:
                    self._say(refused)

    def _speeds(self, asked: NDArray[np.void]) -> Array:
        """Joint velocities, or the twist turned into the base's axes where it is meant along another frame's."""
        kind, frame = int(asked["kind"]), bytes(asked["frame"]).decode(errors="replace")
        most = self._bounds().tool_speed
        if self._kind[0] == _JOINTS:
            speeds = np.clip(asked["speeds"][: self.model.n], -self.model.velocity, self.model.velocity)
            return self._slowed(speeds, self._tool_speed(speeds), most)
        twist = np.array(asked["speeds"][:6])
        twist = self._slowed(twist, float(np.linalg.norm(twist[:3])), most)
        if kind == _TWIST and frame:
            R = frame_axes(self.model, np.array(self._state["q"][0]), frame)
            twist = np.concatenate([R @ twist[:3], R @ twist[3:]])
        return twist

    def _slowed(self, speeds: Array, fast: float, most: float | None) -> Array:
        """All slower by the same share, where the tool would be faster than it may."""
        return speeds if most is None or fast <= _SHARE * most else np.asarray(speeds * (_SHARE * most / fast))

    def _tool_speed(self, speeds: Array) -> float:
        """How fast the tool is with velocities of the joints [m/s]."""
        if not self.model.tip:
            return 0.0
        J = frame_jacobian(self.model, np.array(self._state["q"][0]), self.model.tip)
        return float(np.linalg.norm(J[:3] @ speeds))

    def _say(self, held_by: str) -> None:
        value = self.says.value
        value["time"], value["held_by"] = time.monotonic(), held_by.encode(errors="replace")[:240]
        self.says.write()


def warm_up(prepared: Prepared) -> None:
    """Jog on paper, so that what is slow the first time has been done before somebody waits for it."""
    q, model = prepared.start, prepared.model
    for stream in (JointJog, ToolJog):
        try:
            speeds = np.full(model.n if stream is JointJog else 6, 1e-3)
            stream(model, prepared.limits, q, bounds=prepared.bounds).next(speeds)
        except ArmillaryError:
            pass  # a robot without a tool, say: it is told when somebody jogs


def run(folder: Path, prepared: Prepared) -> None:
    """The jogger's process."""
    jogger = Jogger(folder, prepared)
    warm_up(prepared)
    jogger.serve()
