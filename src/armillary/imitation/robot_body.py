"""What of a robot is an arm, a head, a finger: by the names of its joints, and by how they move.

An arm's elbow is the joint that changes most how far the wrist is from the shoulder. Shoulder and wrist are where the axes before
and behind it come nearest to each other. So upper arm and forearm are lines between points that the robot's own joints define.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_frames import frame_of, unit
from armillary.imitation.bone_names import SIDE_WORDS, words_of
from armillary.imitation.errors import ImitationError
from armillary.model import Model
from armillary.spatial import axis_angle_rotation

__all__ = ["Point", "RobotArm", "RobotBody", "RobotFinger", "body_of"]

Array = NDArray[np.float64]
_FINGERS = {
    "thumb": (0,), "index": (1,), "middle": (2,), "ring": (3,), "pinky": (4,), "little": (4,), "mrl": (2, 3, 4),
    "gripper": (1, 2, 3, 4), "finger": (1, 2, 3, 4), "hand": (1, 2, 3, 4),
}  # fmt: skip
_FACE = {"eye", "eyes", "jaw", "eyelid", "eyebrow", "mouth", "camera", "face"}
_LEG = {"hip", "knee", "ankle", "leg", "foot", "thigh", "toe", "wheel", "caster", "suspension", "base", "track"}
_HEAD = {"head", "neck"}
_ARM = {"shoulder", "arm", "elbow", "forearm", "wrist", "biceps", "bicep", "humerus", "clavicle", "upperarm", "lowerarm"}
_REACHES = 0.2  # of an arm's length that it stretches out at zero, at least, to face that way
_WAIST = {"waist", "torso", "spine", "chest", "trunk", "abdomen"}


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the robot. joint: The moving joint that carries it, by its place in the model's tree; -1 for the world.
    place: In that joint's frame, shape (3,) [m]."""

    joint: int
    place: Array


@dataclass(frozen=True, eq=False)
class RobotFinger:
    """A joint that closes a finger.

    Attributes:
        number: Which finger of a person it follows, 0 for the thumb to 4; several where one joint closes several.
        column: Of q. straight, bent: Its positions then [rad or m].
    """

    number: tuple[int, ...]
    column: int
    straight: float
    bent: float


@dataclass(frozen=True, eq=False)
class RobotArm:
    """An arm.

    Attributes:
        side: left, right, or "" for an only one.
        columns: Of q, from the chest outwards. behind: Those of them behind the elbow.
        carrier: The moving joint that it hangs on; -1 for the world.
        shoulder, elbow, wrist: Between which upper arm and forearm lie.
        palm: The wrist as the hand has it. tip: Where the hand ends. back: Away from the palm, out of the back of the hand; None
            where nothing says so.
        root: The shoulder with all joints at zero, in the frame of what the arm hangs on, shape (3,) [m].
        R_carrier_body: x forward, y left, z up, in that frame.
        length: Of the stretched arm, up to the wrist [m].
        fingers: What closes its hand.
        limbs: Whether it has joints enough for upper arm and forearm to point anywhere, as a person's do; else it follows a hand.
    """

    side: str
    columns: tuple[int, ...]
    behind: tuple[int, ...]
    carrier: int
    shoulder: Point
    elbow: Point
    wrist: Point
    palm: Point
    tip: Point
    back: Point | None
    root: Array
    R_carrier_body: Array
    length: float
    fingers: tuple[RobotFinger, ...]
    limbs: bool


@dataclass(frozen=True, eq=False)
class RobotBody:
    """A robot as somebody who imitates.

    Attributes:
        arms: One or two.
        chest: The moving joint that carries all of them; -1 for the world. R_chest_body: x forward, y left, z up, in its frame.
        head: The moving joint of the head, or -2 where it has none. R_head_body: Likewise.
        head_base: What the head hangs on: the chest, or what carries both. R_headbase_body: Likewise.
        head_columns, waist_columns: Of q.
    """

    model: Model
    arms: tuple[RobotArm, ...]
    chest: int
    R_chest_body: Array
    head: int
    R_head_body: Array
    head_base: int
    R_headbase_body: Array
    head_columns: tuple[int, ...]
    waist_columns: tuple[int, ...]

    def rows(self) -> list[tuple[str, str]]:
        """Part of the body and the joints that move it, for people to look at."""
        names = self.model.joints
        rows = [("waist", self.waist_columns), ("head", self.head_columns)]
        rows += [(f"{arm.side} arm".strip(), arm.columns) for arm in self.arms]
        rows += [
            (f"{arm.side} fingers".strip(), tuple(finger.column for finger in arm.fingers)) for arm in self.arms if arm.fingers
        ]
        return [(part, ", ".join(names[column] for column in columns)) for part, columns in rows if columns]


def body_of(model: Model) -> RobotBody:
    """Find a robot's arms, head and fingers.

    Raises:
        ImitationError: It has no arm.
    """
    finder = _Finder(model)
    sides = {finder.sides[k] for k in finder.of_kind("arm")}
    wanted = ("left", "right") if {"left", "right"} & sides else ("",)
    arms = [arm for side in wanted if (arm := finder.arm(side)) is not None]
    if not arms:
        raise ImitationError(
            f"{model.spec.robot.name} has no arm that could follow a person: none of its joints is named as one, and no chain of "
            "three that turn was found"
        )
    return finder.body(tuple(arms))


class _Finder:
    """The robot's moving joints, as it stands with all of them at zero."""

    def __init__(self, model: Model) -> None:
        self.model, self.moving = model, model.tree.moving
        self.own = [k for k, joint in enumerate(self.moving) if joint.name in model.joints]
        said = {k: words_of(self.moving[k].name) for k in self.own}
        self.sides = {k: next((SIDE_WORDS[word] for word in words if word in SIDE_WORDS), "") for k, words in said.items()}
        self.kinds = {k: _kind(words) for k, words in said.items()}
        self._said = said
        if not self.of_kind("arm"):
            self._take_what_there_is()
        self.zero = np.zeros(model.n)
        self.poses = self.forward(self.zero)

    def of_kind(self, kind: str, side: str | None = None) -> list[int]:
        return [k for k in self.own if self.kinds[k] == kind and (side is None or self.sides[k] == side)]

    def _take_what_there_is(self) -> None:
        """No joint is called one of an arm's: those with a side are, or all that lead to the tool."""
        free = [k for k in self.own if self.kinds[k] == "" and not self.moving[k].prismatic]
        sided = [k for k in free if self.sides[k]]
        tool = set(self.way(self.model.tree.carriers[self.model.tip][0]))
        for k in sided or [k for k in free if k in tool]:
            self.kinds[k] = "arm"

    def forward(self, q: Array) -> list[Array]:
        """T_world_joint of every moving joint."""
        poses: list[Array] = []
        for joint in self.moving:
            value = q[joint.driver] * joint.multiplier + joint.offset
            T = np.eye(4)
            axis = np.array(joint.axis)
            if joint.prismatic:
                T[:3, 3] = axis * value
            else:
                T[:3, :3] = axis_angle_rotation(axis / np.linalg.norm(axis), float(value))
            above = poses[joint.parent] if joint.parent >= 0 else np.eye(4)
            poses.append(above @ joint.T_parent_joint @ T)
        return poses

    def way(self, k: int) -> list[int]:
        """Moving joints from the world to one."""
        way: list[int] = []
        while k >= 0:
            way.append(k)
            k = self.moving[k].parent
        return way[::-1]

    def arm(self, side: str) -> RobotArm | None:
        joints = [k for k in self.of_kind("arm", side) if not self.moving[k].prismatic]
        if not joints:
            return None
        ways = {k: [each for each in self.way(k) if each in joints] for k in joints}
        chain = max(ways.values(), key=len)
        if len(chain) < 3:
            return None
        elbow = self._elbow(chain)
        before, behind = chain[:elbow], chain[elbow + 1 :]
        axes = [self._axis(k) for k in chain]
        shoulder = _nearest_point(axes[max(0, elbow - 2) : elbow]) if elbow >= 2 else axes[0][0]
        fingers = self._fingers(side, chain[-1])
        hand = chain[-1]
        # On the axis of the first joint behind the elbow, so that a forearm does not change as its hand is turned.
        near = _nearest_point(axes[-2:]) if len(behind) >= 2 else axes[-1][0]
        wrist = _on(axes[elbow + 1], near) if behind else self._tip(hand, side)
        # The elbow is the point of its axis that is nearest to the shoulder, as far out along the arm as the axis lies.
        bend = _on(axes[elbow], shoulder)
        tip = self._tip(hand, side)
        carrier = self.moving[chain[0]].parent
        back = self._back(hand, side, wrist, tip)
        upper = before[-1] if before else carrier
        return RobotArm(
            side,
            tuple(self.moving[k].driver for k in chain),
            tuple(self.moving[k].driver for k in behind),
            carrier,
            self._point(upper, shoulder),
            self._point(upper, bend),
            self._point(chain[elbow], wrist),
            self._point(hand, wrist),
            self._point(hand, tip),
            None if back is None else self._point(hand, wrist + back),
            self._point(carrier, shoulder).place,
            self._rotation(carrier).T,  # of the world; the whole body says where ahead is
            float(np.linalg.norm(bend - shoulder) + np.linalg.norm(wrist - bend)),
            fingers,
            limbs=elbow >= 3,
        )

    def _elbow(self, chain: list[int]) -> int:
        """The place in a chain of the joint that changes most how far its end is from its begin."""
        model = self.model
        bounded = np.isfinite(model.lower) & np.isfinite(model.upper)
        far = np.zeros(model.n)
        far[bounded] = 0.5 * (model.lower[bounded] + model.upper[bounded])
        places = [place for place, k in enumerate(chain) if "elbow" in self._said[k] and place > 0] or range(1, len(chain) - 1)
        begin, end = chain[min(1, len(chain) - 1)], chain[-1]
        best, most = 1, -1.0
        for place in places:
            column = self.moving[chain[place]].driver
            lower, upper = max(model.lower[column], -2.5), min(model.upper[column], 2.5)
            lengths = []
            for value in np.linspace(lower, upper, 9):
                q = far.copy()
                q[column] = value
                poses = self.forward(q)
                lengths.append(np.linalg.norm(poses[end][:3, 3] - poses[begin][:3, 3]))
            if np.ptp(lengths) > most + 1e-9:
                best, most = place, float(np.ptp(lengths))
        return best

    def _axis(self, k: int) -> tuple[Array, Array]:
        """A point of a joint's axis and its direction, in the world."""
        T = self.poses[k]
        return T[:3, 3], unit(T[:3, :3] @ np.array(self.moving[k].axis))

    def _point(self, k: int, p_world: Array) -> Point:
        if k < 0:
            return Point(-1, p_world.copy())
        T = self.poses[k]
        return Point(k, T[:3, :3].T @ (p_world - T[:3, 3]))

    def _below(self, k: int) -> list[tuple[str, Array]]:
        """Frames that a joint carries, alone or by others, and where they are in the world."""
        found = []
        for name, (carrier, T) in self.model.tree.carriers.items():
            if carrier >= 0 and k in self.way(carrier):
                found.append((name, (self.poses[carrier] @ T)[:3, 3]))
        return found

    def _knuckles(self, k: int, side: str) -> dict[int, Array]:
        """Where the first joint of each finger is, by number."""
        found: dict[int, Array] = {}
        for place, joint in enumerate(self.moving):
            numbers = _finger_of(words_of(joint.name))
            if numbers and k in self.way(place) and (not side or _side(joint.name) in (side, "")):
                for number in numbers if len(numbers) == 1 else ():
                    found.setdefault(number, self.poses[place][:3, 3])
        return found

    def _tip(self, hand: int, side: str) -> Array:
        """The middle of the knuckles, or the furthest frame that the hand carries."""
        knuckles = [place for number, place in self._knuckles(hand, side).items() if number > 0]
        origin = self.poses[hand][:3, 3]
        if knuckles:
            return np.asarray(np.mean(knuckles, axis=0))
        far = max(self._below(hand), key=lambda each: float(np.linalg.norm(each[1] - origin)), default=("", origin))
        if np.linalg.norm(far[1] - origin) > 1e-3:
            return far[1]
        return np.asarray(origin + 0.1 * self._axis(hand)[1])

    def _back(self, hand: int, side: str, wrist: Array, tip: Array) -> Array | None:
        """Out of the back of the hand, by its knuckles."""
        knuckles = self._knuckles(hand, side)
        fingers = sorted(number for number in knuckles if number > 0)
        if len(fingers) < 2 or not side:
            return None
        across = knuckles[fingers[-1]] - knuckles[fingers[0]] if side == "left" else knuckles[fingers[0]] - knuckles[fingers[-1]]
        normal = np.cross(tip - wrist, across)
        return unit(normal) if np.linalg.norm(normal) > 1e-9 else None

    def _fingers(self, side: str, hand: int) -> tuple[RobotFinger, ...]:
        """Joints of fingers that are commanded; what spreads them stays."""
        found = []
        for k in self.of_kind("finger"):
            words = self._said[k]
            if self.sides[k] not in (side, "") or hand not in self.way(k) or {"abd", "virtual", "spread"} & set(words):
                continue
            column = self.moving[k].driver
            lower, upper = self.model.lower[column], self.model.upper[column]
            straight = float(np.clip(0.0, lower, upper))
            bent = float(upper if upper - straight >= straight - lower else lower)
            if self.moving[k].prismatic:  # the jaw of a gripper: at its far end it is open
                straight, bent = bent, straight
            if np.isfinite(bent) and np.isfinite(straight):
                found.append(RobotFinger(_finger_of(words), column, straight, bent))
        return tuple(found)

    def body(self, arms: tuple[RobotArm, ...]) -> RobotBody:
        ways = [self.way(arm.carrier) for arm in arms]
        chest = max((k for k in ways[0] if all(k in way for way in ways)), key=lambda k: len(self.way(k)), default=-1)
        heads = [k for k in self.of_kind("head") if not self.moving[k].prismatic]
        head = max(heads, key=lambda k: len(self.way(k)), default=-2)
        R_world_body = self._facing(arms, alone=not heads)
        head_base = max((k for k in self.way(chest) if k in self.way(head)), key=lambda k: len(self.way(k)), default=-1)
        above = set(self.way(chest))
        waist = [k for k in self.own if k in above and self.kinds[k] == "waist" and not self.moving[k].prismatic]
        return RobotBody(
            self.model,
            tuple(replace(arm, R_carrier_body=arm.R_carrier_body @ R_world_body) for arm in arms),
            chest,
            self._rotation(chest).T @ R_world_body,
            head,
            self._rotation(head).T @ R_world_body,
            head_base,
            self._rotation(head_base).T @ R_world_body,
            tuple(self.moving[k].driver for k in self.way(head) if k in heads) if head >= 0 else (),
            tuple(self.moving[k].driver for k in waist),
        )

    def _facing(self, arms: tuple[RobotArm, ...], *, alone: bool) -> Array:
        """R_world_body: ahead is across the shoulders; of an arm that is all there is, where it reaches; else the world's x."""
        shoulders = {arm.side: self._world(arm.shoulder) for arm in arms}
        up, forward = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
        if {"left", "right"} <= set(shoulders):
            left = shoulders["left"] - shoulders["right"]
            if np.hypot(left[0], left[1]) > 1e-3:
                forward = np.cross(left, up)
        elif alone and arms[0].side == "":
            reach = self._world(arms[0].tip) - self._world(arms[0].shoulder)
            if np.hypot(reach[0], reach[1]) > _REACHES * arms[0].length:
                forward = reach
        return frame_of(up, forward, (2, 0))

    def _rotation(self, k: int) -> Array:
        return self.poses[k][:3, :3] if k >= 0 else np.eye(3)

    def _world(self, point: Point) -> Array:
        if point.joint < 0:
            return point.place
        T = self.poses[point.joint]
        return np.asarray(T[:3, :3] @ point.place + T[:3, 3])


def _kind(words: list[str]) -> str:
    said = set(words)
    for kind, known in (
        ("face", _FACE),
        ("finger", set(_FINGERS)),
        ("leg", _LEG),
        ("head", _HEAD),
        ("arm", _ARM),
        ("waist", _WAIST),
    ):
        if said & known:
            return kind
    return ""


def _finger_of(words: Iterable[str]) -> tuple[int, ...]:
    """Which fingers a joint closes: one by its name, else all but the thumb."""
    return min((_FINGERS[word] for word in words if word in _FINGERS), key=len, default=())


def _side(name: str) -> str:
    return next((SIDE_WORDS[word] for word in words_of(name) if word in SIDE_WORDS), "")


def _on(axis: tuple[Array, Array], p: Array) -> Array:
    """The point of a line that is nearest to another."""
    point, along = axis
    return np.asarray(point + ((p - point) @ along) * along)


def _nearest_point(axes: list[tuple[Array, Array]]) -> Array:
    """The point nearest to lines; along parallel ones, nearest to where they are given."""
    A, b = 1e-6 * len(axes) * np.eye(3), 1e-6 * sum(point for point, _ in axes)
    for point, along in axes:
        across = np.eye(3) - np.outer(along, along)
        A, b = A + across, b + across @ point
    return np.asarray(np.linalg.solve(A, b))
