"""Paper 1's mapping: a person's joints onto a humanoid's, angle by angle, in closed form.

Shoulder 3 to 3, elbow 2 to 1, wrist 1, neck 3 to 2, fingers many to 1. The paper prints it for one robot whose shoulder turns
about z, y and x; here the axes are those of the robot's own joints, and what a shoulder is to do is a rotation, not three angles
of the file's order. It is as exact as the ranges of the joints let it be, knows nothing of speeds, and is very quick.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_frames import frame_of, unit
from armillary.imitation.body_parts import FINGERS, SIDES, finger, sided
from armillary.imitation.errors import ImitationError
from armillary.imitation.paper_kernels import map_frames
from armillary.imitation.person import Person
from armillary.imitation.robot_body import RobotArm, RobotBody, body_of
from armillary.model import Model
from armillary.spatial import axis_angle_rotation

__all__ = ["PaperMapping"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_ALONG = 0.7  # cosine between a forearm and a joint that turns the hand about it


class PaperMapping:
    """From the channels of a person's frames to joint positions of a robot: `PaperMapping(model, person).follow(values)`."""

    def __init__(self, model: Model, person: Person, *, body: RobotBody | None = None, mirrored: bool = False) -> None:
        """Raises:
        ImitationError: The robot's arms are not built as a person's: three joints before the elbow.
        """
        self.model, self.person, self.mirrored = model, person, mirrored
        body = body or body_of(model)
        self._bones = _Bones(person)
        self._robot = _Robot(model, body)

    def follow(self, values: Array, begin: Array | None = None) -> Array:
        """Joint positions of frames, shape (frames, n), inside the joints' ranges.

        Args:
            values: Shape (frames, channels), as the person's skeleton has them.
            begin: Joint positions before the first, shape (n,): of several solutions the nearest is taken.
        """
        values = np.ascontiguousarray(values, dtype=float)
        q = np.array(self.model.zero() if begin is None else begin, dtype=float)
        Q = np.empty((len(values), self.model.n))
        bones, robot = self._bones, self._robot
        map_frames(
            values, bones.parents, bones.begins, bones.channels, bones.chest, bones.parts, bones.aligned, bones.points,
            self.mirrored, robot.axes, robot.before, robot.after, robot.elbows, robot.wrists, robot.columns,
            robot.head_axes, robot.head_before, robot.head_after, robot.head_columns, robot.facing,
            bones.finger_bones, robot.finger_table, robot.finger_ends, self.model.lower, self.model.upper, q, Q,
        )  # fmt: skip
        return Q


class _Bones:
    """What of a skeleton is looked at: the bones between chest, hands and head, and those of fingers."""

    def __init__(self, person: Person) -> None:
        match = person.match
        skeleton, chest = match.skeleton, match["chest"]
        names = [sided(side, part) for part in ("upper_arm", "forearm", "hand") for side in SIDES] + ["head"]
        wanted = {bone for name in names if name in match for bone in _way(skeleton.parents, chest, match[name])}
        order = sorted(wanted)  # parents come before their children
        place = {bone: k for k, bone in enumerate(order)}
        rows: list[tuple[int, int]] = []
        begins = [0]
        for bone in order:
            rows += _turns(skeleton.channel_table, bone)
            begins.append(len(rows))
        fingers: list[tuple[int, int, int]] = []
        for s, side in enumerate(SIDES):
            for number in range(len(FINGERS)):
                for bone in match.fingers.get(finger(side, number), ()):
                    first = len(rows)
                    rows += _turns(skeleton.channel_table, bone)
                    fingers.append((first, len(rows), 5 * s + number))
        self.parents = np.array([place.get(int(skeleton.parents[bone]), -1) for bone in order], dtype=np.int64)
        self.begins = np.array(begins, dtype=np.int64)
        self.channels = np.array(rows, dtype=np.int64).reshape(len(rows), 2)
        self.finger_bones = np.array(fingers, dtype=np.int64).reshape(len(fingers), 3)
        self.chest = np.ascontiguousarray(person.alignment("chest").T)
        self.parts = np.array([place.get(match[name], -1) if name in match else -1 for name in names], dtype=np.int64)
        aligned = [sided(side, part) for part in ("upper_arm", "hand") for side in SIDES] + ["head"]
        self.aligned = np.array([person.alignment(name) for name in aligned])
        points = [person.along(sided(side, part)) for part in ("upper_arm", "forearm") for side in SIDES]
        self.points = np.array(points)


def _way(parents: Numbers, chest: int, bone: int) -> list[int]:
    """Bones from behind the chest to one."""
    way = []
    while bone >= 0 and bone != chest:
        way.append(bone)
        bone = int(parents[bone])
    return way


def _turns(table: Numbers, bone: int) -> list[tuple[int, int]]:
    """Channels that turn a bone, in their order: column and axis."""
    return [(column, int(what) - 3) for column, (whose, what) in enumerate(table) if whose == bone and what >= 3]


class _Robot:
    """What of a robot follows: its arms', head's and fingers' joints, with all of them at zero in one frame."""

    def __init__(self, model: Model, body: RobotBody) -> None:
        self.model, self.moving = model, model.tree.moving
        self._poses = _at_zero(model)
        self.axes, self.before, self.after = (
            np.tile(np.eye(3), (2, 1, 1)),
            np.tile(np.eye(3), (2, 1, 1)),
            np.tile(np.eye(3), (2, 1, 1)),
        )
        self.elbows, self.wrists = np.tile([0.0, 1.0, 0.0, 1.0, 0.0], (2, 1)), np.tile([0.0, 1.0], (2, 1))
        self.columns = np.full((2, 5), -1, dtype=np.int64)
        fingers: list[tuple[int, int]] = []
        ends: list[tuple[float, float]] = []
        for arm in body.arms:
            side = SIDES.index(arm.side) if arm.side else 1
            self._take_arm(side, arm)
            fingers += [(each.column, sum(1 << (5 * side + number) for number in each.number)) for each in arm.fingers]
            ends += [(each.straight, each.bent) for each in arm.fingers]
        self.finger_table = np.array(fingers, dtype=np.int64).reshape(len(fingers), 2)
        self.finger_ends = np.array(ends, dtype=float).reshape(len(ends), 2)
        self._take_head(body)

    def _take_arm(self, side: int, arm: RobotArm) -> None:
        before = len(arm.columns) - len(arm.behind) - 1
        if before != 3:
            raise ImitationError(
                f"{self.model.spec.robot.name} has {before} joints between chest and elbow, and paper 1's mapping is for three; "
                "use the general one (mapping general)"
            )
        joints = [self._joint(column) for column in arm.columns]
        R_carrier = self._rotation(arm.carrier)
        upper, elbow = joints[2], joints[3]
        shoulder_at, elbow_at, wrist_at = (
            self._place(point.joint, point.place) for point in (arm.shoulder, arm.elbow, arm.wrist)
        )
        along, fore, hinge = unit(elbow_at - shoulder_at), unit(wrist_at - elbow_at), self._axis(elbow)
        across = fore - (fore @ hinge) * hinge
        c, s = float(across @ along), float(np.cross(hinge, across) @ along)
        straight = float(np.arctan2(s, c))
        lower, upper_end = self.model.lower[arm.columns[3]], self.model.upper[arm.columns[3]]
        if not lower - np.pi <= straight <= upper_end + np.pi:
            straight -= 2.0 * np.pi * np.round((straight - 0.5 * (lower + upper_end)) / (2.0 * np.pi))
        sense = 1.0 if upper_end - straight >= straight - lower else -1.0
        F_world = frame_of(-along, -sense * hinge, (2, 1))
        self.axes[side] = [R_carrier.T @ self._axis(k) for k in joints[:3]]
        R0 = R_carrier.T @ self._rotation(upper)
        self.before[side] = arm.R_carrier_body
        self.after[side] = (self._rotation(upper).T @ F_world).T @ R0.T
        level, size = float((hinge @ fore) * (hinge @ along)), max(float(np.hypot(c, s)), 1e-9)
        self.elbows[side] = straight, sense, level, size, float(fore @ F_world[:, 1])
        self.columns[side, :4] = arm.columns[:4]
        if arm.behind and arm.back is not None:
            turns = float(self._axis(joints[4]) @ fore)
            if abs(turns) > _ALONG:
                hand = joints[-1]
                back = self._place(hand, arm.back.place) - self._place(hand, arm.palm.place)
                y = F_world[:, 1]
                angle = np.arctan2(fore @ np.cross(y, back), y @ back - (fore @ y) * (fore @ back))
                self.wrists[side], self.columns[side, 4] = (float(angle), float(np.sign(turns))), arm.columns[4]

    def _take_head(self, body: RobotBody) -> None:
        self.head_axes, self.facing = np.tile(np.array([0.0, 0.0, 1.0]), (3, 1)), np.array([1.0, 0.0, 0.0])
        self.head_before, self.head_after = np.eye(3), np.eye(3)
        self.head_columns = np.full(3, -1, dtype=np.int64)
        columns = body.head_columns
        if body.head < 0 or len(columns) not in (2, 3):
            return
        R_chest = self._rotation(body.chest)
        R0 = R_chest.T @ self._rotation(body.head)
        self.head_axes[: len(columns)] = [R_chest.T @ self._axis(self._joint(column)) for column in columns]
        self.head_before, self.head_after = body.R_chest_body, body.R_head_body.T @ R0.T
        self.facing = R0 @ body.R_head_body[:, 0]
        self.head_columns[: len(columns)] = columns

    def _joint(self, column: int) -> int:
        """The moving joint of a column of q."""
        name = self.model.joints[column]
        return next(k for k, joint in enumerate(self.moving) if joint.name == name)

    def _rotation(self, k: int) -> Array:
        return self._poses[k][:3, :3] if k >= 0 else np.eye(3)

    def _place(self, k: int, p_joint: Array) -> Array:
        return np.asarray(self._poses[k][:3, :3] @ p_joint + self._poses[k][:3, 3]) if k >= 0 else p_joint

    def _axis(self, k: int) -> Array:
        joint = self.moving[k]
        return np.asarray(np.sign(joint.multiplier) * unit(self._rotation(k) @ np.array(joint.axis, dtype=float)))


def _at_zero(model: Model) -> list[Array]:
    """T_world_joint of every moving joint, all at zero."""
    poses: list[Array] = []
    for joint in model.tree.moving:
        T = np.eye(4)
        axis = np.array(joint.axis, dtype=float)
        if joint.prismatic:
            T[:3, 3] = axis * joint.offset
        else:
            T[:3, :3] = axis_angle_rotation(axis / np.linalg.norm(axis), joint.offset)
        above = poses[joint.parent] if joint.parent >= 0 else np.eye(4)
        poses.append(above @ joint.T_parent_joint @ T)
    return poses
