"""Master and slave: one robot follows another's joints or tool, scaled, with a clutch.

The slave is moved by set-points, which its executor filters and holds to its limits; they are not certified. Nothing here raises
while it follows: what is wrong is held, and said.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.motion import tool_pose
from armillary.runtime import State
from armillary.solvers import solve_ik
from armillary.spatial import axis_angle_rotation, rotation_vector, transform

__all__ = ["BadFollowing", "Follower", "Following"]

Array = NDArray[np.float64]
_LOST = 0.15  # s without a sign of the master, and the slave stands
_EDGE = 1e-4  # rad or m that are kept from the ends of joints
_AGAIN = 0.5  # s after it was asked to follow in which a slave may not move yet


class BadFollowing(ArmillaryError):
    """Two robots that cannot follow each other so; says why."""


@dataclass(frozen=True)
class Following:
    """What a follower does now.

    Attributes:
        engaged: Whether the clutch is closed.
        lost: Why it let go by itself, or "".
        held_by: What holds the slave at an edge, or "".
        rounds: How many set-points it has sent.
    """

    engaged: bool
    lost: str
    held_by: str
    rounds: int


class Follower:
    """A slave that follows a master while its clutch is engaged: `with Follower(master, slave) as follower: follower.engage()`.

    When the clutch is engaged, where both are is taken as the beginning: nothing jumps. When it is let go, or the master is lost
    (silent, faulted, powered off), the slave stands, and the clutch must be engaged anew.
    """

    def __init__(
        self, master: Cell, slave: Cell, *, mapping: str = "joints", scale: float = 1.0, mirror: Sequence[int] = (),
        lower: Sequence[float] | Array | None = None, upper: Sequence[float] | Array | None = None,
        box: Sequence[Sequence[float]] | Array | None = None, speed: float = 1.0, tool_speed: float = 0.25, rate: float = 100.0,
    ) -> None:  # fmt: skip
        """Args:
        mapping: "joints" (each joint the one in the same place; as many of both) or "tool" (the slave's tool moves as the
            master's does, along the axes of what each arm stands on).
        scale: How far the slave goes for what the master goes; a tool's turns are not scaled.
        mirror: Joints, or axes of the tool (0, 1, 2), that go the other way, by number from 0.
        lower, upper: Ends of the slave's joints, inside its own, shape (n,) [rad or m].
        box: Corners of the box that the slave's tool stays in, in what its arm stands on, (2, 3) [m]; for "tool".
        speed: Share of the slave's joint speeds that is used at most.
        tool_speed: Of the slave's tool at most, for "tool" [m/s]; turns at one rad/s for each quarter of that.
        rate: Set-points a second, 20 to 500 [Hz].

        Raises:
            BadFollowing: They do not fit together.
        """
        self.master, self.slave, self.mapping, self.scale = master, slave, mapping, float(scale)
        model = slave.model
        self._check(scale, mirror, speed, tool_speed, rate)
        self.lower, self.upper = _ends(model.lower, lower, "lower"), _ends(model.upper, upper, "upper")
        self.lower, self.upper = np.maximum(self.lower, model.lower) + _EDGE, np.minimum(self.upper, model.upper) - _EDGE
        if not (self.lower < self.upper).all():
            raise BadFollowing("no room is left between lower and upper; give ends with some between them")
        self.box = None if box is None else np.array(box, dtype=float)
        if self.box is not None and (self.box.shape != (2, 3) or not (self.box[0] < self.box[1]).all()):
            raise BadFollowing("the box is not two corners, the lower one first; give ((x, y, z), (x, y, z)) [m]")
        self._signs = np.ones(3 if mapping == "tool" else model.n)
        self._signs[list(mirror)] = -1.0
        self._step, self._tool_step = speed * model.velocity / rate, tool_speed / rate
        self._period, self._rounds = 1.0 / rate, 0
        self._lock, self._ends = threading.RLock(), threading.Event()
        self._engaged, self._lost, self._held_by, self._asked = False, "", "", 0.0
        self._ticks, self._heard = -1, time.monotonic()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        self._thread.start()

    def _check(self, scale: float, mirror: Sequence[int], speed: float, tool_speed: float, rate: float) -> None:
        if self.mapping not in ("joints", "tool"):
            raise BadFollowing(f"there is no mapping {self.mapping!r}; there are: joints, tool")
        n, m = self.slave.model.n, self.master.model.n
        if self.mapping == "joints" and n != m:
            raise BadFollowing(f"the master has {m} joints and the slave {n}; follow the tool instead")
        if any(axis not in range(3 if self.mapping == "tool" else n) for axis in mirror):
            raise BadFollowing(f"mirror names {list(mirror)}; give numbers from 0, of the slave's joints or of the tool's axes")
        if not 0.0 < scale <= 10.0:
            raise BadFollowing(f"a scale of {scale} is none; give one above 0 and up to 10")
        if not (0.0 < speed <= 1.0 and 0.0 < tool_speed < np.inf and 20.0 <= rate <= 500.0):
            raise BadFollowing(f"speed {speed}, tool_speed {tool_speed}, rate {rate}; give 0 to 1, above 0 m/s, and 20 to 500 Hz")

    # The clutch.

    def engage(self) -> None:
        """Follow from now on, from where both are.

        Raises:
            Refused, RuntimeProblem: The slave cannot be moved now.
            BadFollowing: The master cannot be followed now.
        """
        with self._lock:
            if why := self._master_lost():
                raise BadFollowing(f"the master cannot be followed: {why}")
            self.slave.follow()
            self._q = self.slave.state.q.copy()
            self._began = (self._q.copy(), self.master.state.q.copy())
            self._T_slave = tool_pose(self.slave.model, self._q, base=self.slave.model.reference)
            self._T_master = tool_pose(self.master.model, self._began[1], base=self.master.model.reference)
            self._T = self._T_slave.copy()
            self._lost, self._held_by, self._asked = "", "", time.monotonic()
            self._engaged = True
            self.slave.set_point(self._q)

    def disengage(self) -> None:
        """Let go: the slave comes to rest where its limits allow, and stands."""
        with self._lock:
            was, self._engaged = self._engaged, False
            if was:
                self._stop()

    @property
    def state(self) -> Following:
        with self._lock:
            return Following(self._engaged, self._lost, self._held_by, self._rounds)

    def close(self) -> None:
        """Let go and end. The cells go on."""
        self.disengage()
        self._ends.set()
        self._thread.join(timeout=2.0)

    def __enter__(self) -> "Follower":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The rounds.

    def _run(self) -> None:
        while not self._ends.wait(self._period):
            with self._lock:
                try:
                    self._round()
                except (ArmillaryError, OSError, ValueError) as error:  # a cell that was closed
                    self._let_go(str(error))

    def _round(self) -> None:
        why = self._master_lost()
        if not self._engaged:
            return
        if why:
            self._let_go(why)
            return
        slave = self.slave.state
        if slave.state != State.MOVING and time.monotonic() - self._asked > _AGAIN:
            self._let_go(f"the slave is {slave.state.name}" + (f": {slave.fault}" if slave.fault else ""))
            return
        before = self._q
        self._q = self._wanted()
        self.slave.set_point(self._q, np.clip((self._q - before) / self._period, -self._top, self._top))
        self._rounds += 1

    @property
    def _top(self) -> Array:
        return np.asarray(self._step / self._period)

    def _wanted(self) -> Array:
        """Where the slave is to be in this round: towards what the master asks, no faster and no further than it may."""
        q_master = self.master.state.q
        self._held_by = ""
        if self.mapping == "joints":
            goal = self._began[0] + self.scale * self._signs * (q_master - self._began[1])
        else:
            goal = self._by_tool(q_master)
        return self._inside(goal)

    def _inside(self, goal: Array) -> Array:
        """A goal within the ends of the joints, and within what they may go in a round."""
        held = np.clip(goal, np.minimum(self.lower, self._q), np.maximum(self.upper, self._q))
        if np.abs(held - goal).max() > 1e-9:
            joint = self.slave.model.joints[int(np.abs(held - goal).argmax())]
            self._held_by = f"{joint} is at the end of its range"
        return np.asarray(np.clip(held, self._q - self._step, self._q + self._step))

    def _by_tool(self, q_master: Array) -> Array:
        """Joint positions for the slave's tool, a step nearer to where the master's has gone; where it is if there are none."""
        T_now = tool_pose(self.master.model, q_master, base=self.master.model.reference)
        way = self._signs * self.scale * (T_now[:3, 3] - self._T_master[:3, 3])
        turn = rotation_vector(T_now[:3, :3] @ self._T_master[:3, :3].T)
        # A mirror turns the other way about the axes that stay.
        turn = turn * self._signs * np.prod(self._signs)
        goal = transform(_rotation(turn) @ self._T_slave[:3, :3], self._T_slave[:3, 3] + way)
        if self.box is not None:
            inside = np.clip(goal[:3, 3], self.box[0], self.box[1])
            if np.abs(inside - goal[:3, 3]).max() > 1e-9:
                self._held_by = "the tool is at the edge of its box"
            goal[:3, 3] = inside
        T = _step_towards(self._T, goal, self._tool_step)
        model = self.slave.model
        found = solve_ik(model, T, seed=self._q, base=model.reference, method="numeric", budget=0.004)
        # Another branch far away is no way to go on: the tool would leave its path.
        if not found.reached or np.abs(found.q - self._q).max() > 20.0 * self._step.max():
            self._held_by = str(found.hindrance or "the slave would have to turn over") if not found.reached else "a singularity"
            return self._q
        if ((found.q > self.upper) | (found.q < self.lower)).any():
            self._held_by = "a joint is at the end of its range"
            return self._q
        q = np.clip(found.q, self._q - self._step, self._q + self._step)
        if np.array_equal(q, found.q):
            self._T = T
        else:  # the joints are slower than the tool: it goes on from where they come to
            self._T = tool_pose(model, q, base=model.reference)
        return np.asarray(q)

    def _master_lost(self) -> str:
        """Why the master cannot be followed, or ""; to be asked in each round, for it watches whether it is alive."""
        station = self.master.station
        record = station.state
        if int(record["ticks"]) != self._ticks:
            self._ticks, self._heard = int(record["ticks"]), time.monotonic()
        if station.gone or time.monotonic() - self._heard > _LOST:
            return "the master is silent"
        state = State(int(record["state"]))
        return f"the master is {state.name}" if state in (State.FAULTED, State.OFF, State.STOPPED) else ""

    def _let_go(self, why: str) -> None:
        if self._engaged:
            self._engaged, self._lost = False, why
            self._stop()

    def _stop(self) -> None:
        try:
            self.slave.stop()
        except (ArmillaryError, OSError, ValueError):
            pass  # it stands all the same: set-points that cease stop it


def _ends(own: Array, given: Sequence[float] | Array | None, what: str) -> Array:
    if given is None:
        return own.copy()
    found = np.array(given, dtype=float)
    if found.shape != own.shape or np.isnan(found).any():
        raise BadFollowing(f"{what} has shape {found.shape}; give a number for each of the slave's {len(own)} joints")
    return found


def _rotation(turn: Array) -> Array:
    angle = float(np.linalg.norm(turn))
    return axis_angle_rotation(turn / angle, angle) if angle > 1e-12 else np.eye(3)


def _step_towards(T: Array, goal: Array, most: float) -> Array:
    """A pose towards another, by so much at most [m], and by four times as many rad."""
    way, turn = goal[:3, 3] - T[:3, 3], rotation_vector(goal[:3, :3] @ T[:3, :3].T)
    share = min(1.0, most / max(float(np.linalg.norm(way)), 0.25 * float(np.linalg.norm(turn)), 1e-12))
    return transform(_rotation(share * turn) @ T[:3, :3], T[:3, 3] + share * way)
