"""A person's postures made a robot's: any robot with an arm, within its limits, one solve a frame."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_frames import turned
from armillary.imitation.body_parts import finger
from armillary.imitation.errors import ImitationError
from armillary.imitation.limb import Limb, Task
from armillary.imitation.person import Postures
from armillary.imitation.retarget_kernels import POSITION
from armillary.imitation.robot_body import Point, RobotArm, RobotBody, body_of
from armillary.model import Model
from armillary.spatial import axis_angle_rotation

__all__ = ["ARM_PARTS", "Followed", "Retarget"]

Array = NDArray[np.float64]
ARM_PARTS = (0.56, 0.44)  # of a person's arm that are upper arm and forearm (Drillis and Contini, 1966)
_REACH = 0.97  # of a robot's stretched arm that a person's stretched arm is
_SIDE = {"left": 0, "right": 1}
_NOWHERE = Point(-1, np.zeros(3))


@dataclass(frozen=True, eq=False)
class Followed:
    """What a robot made of postures.

    Attributes:
        q: Shape (frames, n).
        errors: Of each task that the person tells, in each frame: an angle [rad], of a position a distance [m]. Shape (frames,)
            each.
    """

    q: Array
    errors: dict[str, Array]


class Retarget:
    """Joint positions of a robot that does what a person does: inside the ends of its joints, as fast as the person is.

    A limb that does better elsewhere after some frames goes there at once: how it gets there within its limits is `Imitator`'s.
    """

    def __init__(self, model: Model, *, body: RobotBody | None = None, arm: str = "right") -> None:
        """Args:
        arm: Which of the person's arms a robot follows that has only one: left or right.

        Raises:
            ImitationError: The robot has no arm, or a person has no such one.
        """
        if arm not in _SIDE:
            raise ImitationError(f"a person has no arm '{arm}'; give left or right")
        self.model, self.body = model, body or body_of(model)
        self._sides = [each.side or arm for each in self.body.arms]
        self._limbs: list[tuple[str, Limb]] = []
        moving = model.tree.moving
        body = self.body
        if body.waist_columns:
            first = next(k for k in range(len(moving)) if moving[k].driver in body.waist_columns)
            base = moving[first].parent
            R_world_body = _rotation_at_zero(model, body.chest) @ body.R_chest_body
            self._R_base_body = _rotation_at_zero(model, base).T @ R_world_body
            self._limbs.append(("waist", Limb(model, base, body.chest, _axes("waist", body.chest, body.R_chest_body))))
        if body.head >= 0 and body.head_columns:
            self._limbs.append(("head", Limb(model, body.head_base, body.head, _axes("head", body.head, body.R_head_body))))
        for side, each in zip(self._sides, self.body.arms, strict=True):
            self._limbs.append((side, self._arm(side, each)))

    def memory(self) -> dict[str, Array]:
        """Of a stream of frames, to be given to each `follow` of it."""
        return {name: limb.memory() for name, limb in self._limbs}

    def follow(self, postures: Postures, begin: Array | None = None, memory: dict[str, Array] | None = None) -> Followed:
        """What the robot makes of postures; arguments and errors as of `positions`."""
        q = self.positions(postures, begin, memory)
        return Followed(q, self.errors(postures, q))

    def positions(self, postures: Postures, begin: Array | None = None, memory: dict[str, Array] | None = None) -> Array:
        """Joint positions for postures, each from the one before, shape (frames, n). What the person does not tell stays at rest.

        Args:
            begin: Where the robot is before the first, shape (n,); without, where it is best in the first frame.
            memory: Of the frames before: with it, frame by frame gives the same numbers as all at once.

        Raises:
            BadConfiguration: `begin` is not n finite numbers.
        """
        begin = None if begin is None else self.model.valid(begin, "begin")
        q = np.tile(self.model.zero() if begin is None else begin, (len(postures), 1))
        for name, limb in self._limbs:
            known = np.array([float(_of_person(task.name) <= postures.known) for task in limb.tasks])
            found, _ = limb.follow(
                self.goals(name, limb, postures),
                None if begin is None else begin[limb.columns],
                None if memory is None else memory[name],
                known,
            )
            q[:, limb.columns] = found
        for side, arm in zip(self._sides, self.body.arms, strict=True):
            for each in arm.fingers:
                told = [number for number in each.number if finger(side, number) in postures.known]
                curls = [postures.curls[:, _SIDE[side], number] for number in told]
                share = np.clip(sum(curls) / len(curls), 0.0, 1.0) if curls else np.zeros(len(postures))
                q[:, each.column] = each.straight + share * (each.bent - each.straight)
        return q

    def errors(self, postures: Postures, q: Array) -> dict[str, Array]:
        """How far the robot is off what the person does, of each task that the person tells, as in `Followed`.

        Args:
            q: Shape (frames, n).
        """
        errors: dict[str, Array] = {}
        for name, limb in self._limbs:
            off = limb.errors(self.goals(name, limb, postures), q[:, limb.columns])
            errors |= {task.name: off[:, k] for k, task in enumerate(limb.tasks) if _of_person(task.name) <= postures.known}
        return errors

    def limbs(self) -> list[tuple[str, Limb]]:
        """Each with its name: waist, head, left, right."""
        return list(self._limbs)

    def goals(self, name: str, limb: Limb, postures: Postures) -> Array:
        """What a limb's tasks are to be, in the frame of what it hangs on, shape (frames, tasks, 3)."""
        if name == "waist":
            return np.stack([turned(self._R_base_body, postures.waist[:, :, axis]) for axis in (0, 2)], axis=1)
        if name == "head":
            return np.stack([turned(self.body.R_headbase_body, postures.head[:, :, axis]) for axis in (0, 2)], axis=1)
        k = _SIDE[name]
        arm = self.body.arms[self._sides.index(name)]
        R = arm.R_carrier_body
        parts = {
            "upper_arm": postures.arms[:, k],
            "forearm": postures.forearms[:, k],
            "hand": postures.hands[:, k, :, 0],
            "back": postures.hands[:, k, :, 2],
        }
        goals = []
        for task in limb.tasks:
            part = task.name.partition("_")[2]
            if task.kind == POSITION:
                way = ARM_PARTS[0] * parts["upper_arm"] + ARM_PARTS[1] * parts["forearm"]
                goals.append(arm.root + _REACH * arm.length * turned(R, way))
            else:
                goals.append(turned(R, parts[part]))
        return np.stack(goals, axis=1)

    def _arm(self, side: str, arm: RobotArm) -> Limb:
        """Upper arm and forearm by the joints up to the elbow, then the hand by those behind it; or the hand by all."""
        stage = 1 if arm.limbs else 0
        hand = [Task(f"{side}_hand", arm.palm, arm.tip, 1.0 if arm.limbs else 0.5, stage)]
        if arm.back is not None:
            hand.append(Task(f"{side}_back", arm.palm, arm.back, 0.7, stage))
        if arm.limbs:
            arms = [Task(f"{side}_upper_arm", arm.shoulder, arm.elbow, 1.0), Task(f"{side}_forearm", arm.elbow, arm.wrist, 1.0)]
        else:
            arms = [Task(f"{side}_place", _NOWHERE, arm.wrist, 3.0 / arm.length, kind=POSITION)]
        return Limb(self.model, arm.carrier, arm.tip.joint, [*arms, *hand], dict.fromkeys(arm.behind, stage))


def _of_person(task: str) -> frozenset[str]:
    """What of a person a task needs to be told: a hand's back with the hand, a place with the arm."""
    side, _, part = task.partition("_")
    if task in ("waist_up", "head_up"):
        return frozenset((side,))
    if part == "place":
        return frozenset((f"{side}_upper_arm", f"{side}_forearm"))
    return frozenset((f"{side}_hand" if part == "back" else task,))


def _axes(name: str, joint: int, R: Array) -> list[Task]:
    """Where a frame's x and z axes point: x counts, z as far as it can."""
    begin = Point(joint, np.zeros(3))
    return [Task(name, begin, Point(joint, R[:, 0]), 1.0), Task(f"{name}_up", begin, Point(joint, R[:, 2]), 0.3)]


def _rotation_at_zero(model: Model, joint: int) -> Array:
    """R_world_joint of a moving joint with all at zero."""
    R = np.eye(3)
    while joint >= 0:
        each = model.tree.moving[joint]
        turn = np.eye(3) if each.prismatic else axis_angle_rotation(np.array(each.axis) / np.linalg.norm(each.axis), each.offset)
        R, joint = each.T_parent_joint[:3, :3] @ turn @ R, each.parent
    return R
