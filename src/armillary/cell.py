"""A cell: one robot with its tool, its world and its motor side, ready to be moved from Python."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.description import CellDescription, open_cell
from armillary.description.cell_fit import own_cell
from armillary.description.source import find_source
from armillary.model import Model, frame_pose, load_model
from armillary.motion import (
    Bounds,
    MotionLimits,
    Plan,
    ToolPath,
    arc_through,
    bounds_of,
    limits_of,
    line,
    moved,
    plan_joints,
    plan_to_pose,
    plan_tool,
    scene_of,
    tool_pose,
)
from armillary.motion.certificate import world_hash
from armillary.runtime import Link, Refused, RuntimeProblem, State
from armillary.spatial import rpy_from_rotation, transform_from_xyz_rpy

__all__ = ["Cell", "CellState"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellState:
    """What a cell does now.

    Attributes:
        state: READY, MOVING, ...
        q, v: What the joints are commanded, shape (n,).
        measured: Where they are, shape (n,).
        xyz, rpy: Of the tool, in what the arm stands on [m], [rad].
        progress: Of the present motion, 0 to 1.
        rate: The override.
        fault: What is wrong, or "".
        late: How late the last tick was [s].
    """

    state: State
    q: Array
    v: Array
    measured: Array
    xyz: Array
    rpy: Array
    progress: float
    rate: float
    fault: str
    late: float

    def __str__(self) -> str:
        place = ", ".join(f"{value:.4f}" for value in self.xyz)
        return f"{self.state.name}, tool at ({place}) m" + (f": {self.fault}" if self.fault else "")


class Cell:
    """A robot that can be moved: `Cell.open(...)`, in a `with`.

    Every motion is planned and proven here and driven by an executor in a process of its own. Calls that move wait until the
    motion is done, unless told otherwise.
    """

    def __init__(
        self, source: str, model: Model, description: CellDescription | None, home: Array, *, group: str, spin: bool
    ) -> None:
        self.model, self.description, self.limits = model, description, limits_of(model)
        self.scene = scene_of(description, model)
        self._bounds = replace(bounds_of(description, model) if description is not None else Bounds(), scene=self.scene)
        world = world_hash(model, self.limits, self.scene)
        self.link = Link(source, model, home, group=group, world=world, spin=spin)

    @classmethod
    def open(cls, source: str, *, group: str = "", driver: str = "ideal", low_power: bool = False) -> "Cell":
        """A cell, powered and ready to move.

        Args:
            source: A robot's name, its description or its cell.toml.
            driver: Only "ideal" so far: a robot that does what it is told.
            low_power: Sleep between ticks instead of taking a core for real time.

        Raises:
            RuntimeProblem: It cannot be started, or there is no such driver.
        """
        if driver != "ideal":
            raise RuntimeProblem(f"there is no driver '{driver}' yet; there is: ideal")
        model = load_model(source, group=group or None)
        path = find_source(source)
        own = path if path.suffix == ".toml" else own_cell(path)
        description = open_cell(own).cell if own is not None else None
        cell = cls(str(source), model, description, _home(description, model), group=group, spin=not low_power)
        try:
            cell.link.order("power_on")
            cell.link.order("initialise")
            cell.link.wait(State.READY, timeout=10.0)
        except Exception:
            cell.close()
            raise
        return cell

    @property
    def state(self) -> CellState:
        """What it does now."""
        record = self.link.state
        q = record["q"].copy()
        T = tool_pose(self.model, q, base=self.model.reference)
        return CellState(
            state=State(int(record["state"])), q=q, v=record["v"].copy(), measured=record["measured_q"].copy(), xyz=T[:3, 3],
            rpy=np.array(rpy_from_rotation(T[:3, :3])), progress=float(record["progress"]), rate=float(record["rate"]),
            fault=bytes(record["fault"]).decode(errors="replace"), late=float(record["late"]),
        )  # fmt: skip

    def move_joints(self, goal: Sequence[float] | Array, *, speed: float = 1.0, wait: bool = True) -> Plan:
        """To joint positions [rad or m], as fast as the joints allow or at a share of that."""
        goal = self.model.valid(np.array(goal, dtype=float), "goal")
        return self._run(plan_joints(self.model, self._end, goal, limits=self.limits, bounds=self._bounds), speed, wait)

    def move_pose(
        self, xyz: Sequence[float] | Array, rpy: Sequence[float] | Array, *, speed: float = 1.0, wait: bool = True
    ) -> Plan:
        """By joints to a pose of the tool, in what the arm stands on [m], [rad]."""
        T = transform_from_xyz_rpy(xyz, rpy)
        plan = plan_to_pose(self.model, self._end, T, base=self.model.reference, limits=self.limits, bounds=self._bounds)
        return self._run(plan, speed, wait)

    def move_line(
        self, xyz: Sequence[float] | Array, rpy: Sequence[float] | Array, *, speed: float | None = None, wait: bool = True
    ) -> Plan:
        """Straight with the tool to a pose, in what the arm stands on [m], [rad].

        Args:
            speed: Of the tool at most [m/s].
        """
        return self._along(line(self._tool, transform_from_xyz_rpy(xyz, rpy)), speed, wait)

    def move_arc(
        self,
        via: Sequence[float] | Array,
        xyz: Sequence[float] | Array,
        rpy: Sequence[float] | Array,
        *,
        speed: float | None = None,
        wait: bool = True,
    ) -> Plan:
        """Along an arc through a point to a pose, in what the arm stands on [m], [rad]."""
        return self._along(arc_through(self._tool, via, transform_from_xyz_rpy(xyz, rpy)), speed, wait)

    def override(self, rate: float) -> None:
        """Let motions run at a share of their speed, 0 to 2."""
        self.link.override(rate)

    def hold(self) -> None:
        """Stop on the path, to go on later."""
        self.link.order("hold")

    def resume(self) -> None:
        """Go on from a hold."""
        self.link.order("resume")

    def stop(self, category: int = 2) -> None:
        """Stop: 2 on the path, 1 on the path and then power off, 0 power off at once."""
        self.link.stop(category)

    def reset(self) -> None:
        """Leave a fault and be ready again."""
        self.link.order("reset")
        self.link.order("initialise")
        self.link.wait(State.READY, timeout=10.0)

    def wait(self, *, timeout: float = 600.0) -> None:
        """Wait until it stands.

        Raises:
            RuntimeProblem: It came to a fault on the way; says which.
        """
        came = self.link.wait(State.READY, State.HOLDING, State.FAULTED, State.OFF, timeout=timeout)
        if came == State.FAULTED:
            raise RuntimeProblem(self.state.fault)

    def close(self) -> None:
        """Stop on the path, power off, end. Possible at any time."""
        self.link.close()

    def __enter__(self) -> "Cell":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _end(self) -> Array:
        """Where the robot stands; motions are planned from there."""
        record = self.link.state
        if record["moves"]:
            raise Refused("it moves; wait until it stands")
        return np.array(record["q"])

    @property
    def _tool(self) -> Array:
        return tool_pose(self.model, self._end, base=self.model.reference)

    def _along(self, path: ToolPath, speed: float | None, wait: bool) -> Plan:
        q, base = self._end, self.model.reference
        if base:
            path = moved(path, frame_pose(self.model, q, base))
        return self._run(plan_tool(self.model, q, path, feed=speed, limits=self.limits, bounds=self._bounds), 1.0, wait)

    def _run(self, plan: Plan, speed: float, wait: bool) -> Plan:
        if not 0.0 < speed <= 1.0:
            raise Refused(f"a speed of {speed} is none; give a share above 0 and up to 1")
        if not plan:
            raise Refused(f"this motion is not proven: {plan.certificate}")
        if speed < 1.0:
            slower = plan_slower(plan, speed, self.model, self.limits, self._bounds)
            plan = slower
        self.link.run(plan.trajectory, plan.certificate)
        self.link.wait(State.MOVING, State.READY, State.FAULTED, timeout=2.0)
        if wait:
            self.wait()
        return plan


def plan_slower(plan: Plan, speed: float, model: Model, limits: MotionLimits, bounds: Bounds) -> Plan:
    """The same motion at a share of its speed, proven again."""
    from armillary.motion import certify

    trajectory = plan.trajectory.slowed(1.0 / speed)
    return replace(plan, trajectory=trajectory, certificate=certify(trajectory, model, limits=limits, bounds=bounds))


def _home(description: CellDescription | None, model: Model) -> Array:
    """The cell's home, inside the limits; zero where it has none."""
    q = model.zero()
    if description is not None:
        groups = {group.name: group for group in description.groups}
        for state in description.states:
            if state.name == "home":
                for joint, value in zip(groups[state.group].joints, state.q, strict=True):
                    if joint in model.joints:
                        q[model.column(joint)] = value
    return np.clip(q, model.lower, model.upper)
