"""A limb of a robot with what it is to do, as the compiled solver takes it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.retarget_kernels import DIRECTION, limb_errors, place_of, solve_frames, solve_starts
from armillary.imitation.robot_body import Point
from armillary.model import Model
from armillary.model.tree import MovingJoint

__all__ = ["Limb", "Task"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_PULL = 1e-5  # of what nothing asks for, against a task of weight one
_STARTS = 40
_WELL, _MUCH = 2e-4, 0.7  # half of a sum of squares that is good enough; the share of it that is worth a way elsewhere
_EDGE = 1e-7  # rad or m that solutions keep from the ends of joints


@dataclass(frozen=True, eq=False)
class Task:
    """Where a line between two points of a limb is to point, or where the second is to be.

    Attributes:
        name: What of the person it follows.
        weight: Against the other tasks of its stage. stage: 0 is solved first, 1 with what it left.
        kind: DIRECTION or POSITION.
    """

    name: str
    first: Point
    second: Point
    weight: float
    stage: int = 0
    kind: int = DIRECTION


class Limb:
    """A chain of joints from what it hangs on, and its tasks. Goals are given in the frame of what it hangs on."""

    def __init__(self, model: Model, base: int, end: int, tasks: list[Task], stages: dict[int, int] | None = None) -> None:
        """Args:
        base, end: Moving joints; base is -1 for the world, and is not one of the limb's.
        stages: Of columns of q that are solved in the second stage: 1.
        """
        self.model, self.tasks = model, tuple(tasks)
        moving = model.tree.moving
        way: list[int] = []
        k = end
        while k >= 0 and k != base:
            way.append(k)
            k = moving[k].parent
        way.reverse()
        self.columns = np.array(sorted({moving[k].driver for k in way}), dtype=np.int64)
        place = {int(column): number for number, column in enumerate(self.columns)}
        rows = [_row(moving[k]) for k in way]
        self._numbers = np.array(rows, dtype=float).reshape(len(rows), 18)
        self._driver = np.array([place[moving[k].driver] for k in way], dtype=np.int64)
        number = self._number = {joint: k for k, joint in enumerate(way)}
        self._joints = np.array(
            [[number.get(task.first.joint, -1), number.get(task.second.joint, -1), task.kind, task.stage] for task in tasks],
            dtype=np.int64,
        ).reshape(len(tasks), 4)
        self._points = np.array([np.concatenate([task.first.place, task.second.place]) for task in tasks]).reshape(len(tasks), 6)
        self._weights = np.array([task.weight for task in tasks], dtype=float)
        self._stages = np.array([(stages or {}).get(int(column), 0) for column in self.columns], dtype=np.int64)
        self.lower = np.minimum(model.lower[self.columns] + _EDGE, model.upper[self.columns])
        self.upper = np.maximum(model.upper[self.columns] - _EDGE, self.lower)
        self.rest = np.clip(0.0, self.lower, self.upper)

    @cached_property
    def starts(self) -> Array:
        """Configurations to look from for the best one, always the same: shape (starts, columns)."""
        random = np.random.default_rng(0)
        low, high = np.maximum(self.lower, -np.pi), np.minimum(self.upper, np.pi)
        return np.vstack([self.rest, 0.5 * (low + high), random.uniform(low, high, (_STARTS, len(self.columns)))])

    def memory(self) -> Array:
        """Of a stream of frames, to be given to each `follow` of it."""
        return np.zeros(2 * len(self.columns) + 4)

    def follow(
        self, goals: Array, begin: Array | None = None, memory: Array | None = None, known: Array | None = None
    ) -> tuple[Array, Array]:
        """Configurations of frames, each from the one before: those of one call are those of many with the same memory.

        Args:
            goals: Shape (frames, tasks, 3).
            begin: Where it is before the first frame, shape (columns,); the best of many starts without.
            memory: Of the frames before; see `memory`.
            known: Which tasks the person tells, 1 or 0, shape (tasks,); joints that serve none go to their place of rest.

        Returns:
            Shape (frames, columns), and what is left of the tasks in each, shape (frames,).
        """
        goals, n = np.ascontiguousarray(goals, dtype=float), len(self.columns)
        memory = self.memory() if memory is None else memory
        weights = self._weights if known is None else self._weights * known
        Q, left = np.empty((len(goals) + 1, n)), np.empty(len(goals))
        if len(goals):
            other, place, begun = memory[: n + 3], memory[n + 3 : 2 * n + 3], memory[2 * n + 3 :]
            if not begun[0]:
                place[:] = self._first(goals[0], begin, weights)
                begun[0] = 1.0
            Q[0] = place
            solve_frames(
                self._numbers, self._driver, self._joints, self._points, weights, goals, self.lower, self.upper, self.rest,
                self.starts, _PULL, self._stages, Q, other, left,
            )  # fmt: skip
            place[:] = Q[-1]
        return Q[1:], left

    def _first(self, goal: Array, begin: Array | None, weights: Array) -> Array:
        """Where a stream of frames begins: as near to where the limb is as does well, else where it does best."""
        if begin is None:
            asked = {int(stage) for stage, weight in zip(self._joints[:, 3], weights, strict=True) if weight > 0.0}
            needed = np.array([int(stage) in asked for stage in self._stages], dtype=bool)
            return np.where(needed, self.best(goal, weights=weights)[0], self.rest)
        start = np.clip(begin, self.lower, self.upper)
        found, left = self.best(goal, start[None], weights=weights)
        if left <= _WELL:
            return found
        best, least = self.best(goal, weights=weights)
        return best if least < _MUCH * left else found

    def best(self, goal: Array, starts: Array | None = None, weights: Array | None = None) -> tuple[Array, float]:
        """The best configuration of one frame, from many starts, shape (columns,), and what is left of the tasks."""
        found = self.rest.copy()
        left = solve_starts(
            self._numbers, self._driver, self._joints, self._points, self._weights if weights is None else weights,
            np.ascontiguousarray(goal, dtype=float), self.lower, self.upper, self.starts if starts is None else starts, _PULL,
            self._stages, found,
        )  # fmt: skip
        return found, float(left)

    def place(self, point: Point, q: Array) -> Array:
        """Where a point of it is, in the frame of what it hangs on, shape (3,) [m]. q: Of the limb's columns."""
        out = np.empty(3)
        place_of(self._numbers, self._driver, self._number.get(point.joint, -1), point.place, np.asarray(q, dtype=float), out)
        return out

    def errors(self, goals: Array, Q: Array) -> Array:
        """How far each task is off in each frame: an angle [rad], of a position a distance [m]. Shape (frames, tasks).

        Args:
            Q: Of the limb's columns, shape (frames, columns).
        """
        out = np.empty((len(goals), len(self.tasks)))
        limb_errors(
            self._numbers, self._driver, self._joints, self._points, np.ascontiguousarray(goals, dtype=float),
            np.ascontiguousarray(Q, dtype=float), out,
        )  # fmt: skip
        return out


def _row(joint: MovingJoint) -> Array:
    """As the kernels take a joint."""
    T = joint.T_parent_joint
    axis = np.array(joint.axis, dtype=float)
    return np.concatenate(
        [
            T[:3, :3].ravel(),
            T[:3, 3],
            axis / np.linalg.norm(axis),
            [float(joint.prismatic), joint.multiplier, joint.offset],
        ]
    )
