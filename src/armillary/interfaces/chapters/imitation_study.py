"""Paper 1 measured: how far a robot's limbs point beside a person's, and in which frames no pose could do better."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.imitation import Capture, Imitator, Person, Postures, Retarget, delay_between, match
from armillary.imitation.retarget import ARM_PARTS
from armillary.imitation.retarget_kernels import POSITION
from armillary.model import Model, Scene
from armillary.motion import limits_of

__all__ = ["MATCHED", "PARTS", "MotionStudy", "study_motion"]

Array = NDArray[np.float64]
MATCHED = np.radians(1.0)  # a frame that some pose of the robot matches: every direction of the limb within this
PARTS = ("upper_arm", "forearm", "head", "hand", "back")
_ROUNDING = 1e-9  # of a limit
_ALL_PARTS = {"head": ("head",), "left": ("left_upper_arm", "left_forearm"), "right": ("right_upper_arm", "right_forearm")}


@dataclass(frozen=True, eq=False)
class MotionStudy:
    """One motion on one robot.

    Attributes:
        errors: Of each of the robot's tasks: the angle between person's and robot's [rad], shape (frames,).
        best: The same by an independent solve of each frame by itself: many starts, no rates, no smoothing.
        reachable: Of each limb (left, right, head): frames that some pose matches, shape (frames,).
        over: How far limits were exceeded at most, as a share of it: position, velocity, acceleration; 0 or less is inside.
        hand: Where the wrist of the person and of the robot is, seen from the shoulder, in lengths of the arm, (2, frames, 3);
            of the right arm, or the only one.
        collisions: Frames in which the robot's parts meet.
        pace: How many times slower the person moved.
        late: By how much the robot is behind [s]; NaN where nothing moves.
    """

    name: str
    robot: str
    frames: int
    errors: dict[str, Array]
    best: dict[str, Array]
    reachable: dict[str, NDArray[np.bool_]]
    over: dict[str, float]
    hand: Array
    collisions: int
    pace: float
    late: float

    def of_part(self, part: str, *, reachable: bool) -> Array:
        """Errors of a part on both sides [rad], of the frames that can be matched or of all."""
        found = []
        for task, off in self.errors.items():
            side, _, name = task.rpartition(f"_{part}") if task != part else (task, "", part)
            if task != part and (name or side not in ("left", "right")):
                continue
            limb = side if side in self.reachable else "head"
            found.append(off[self.reachable[limb]] if reachable else off)
        return np.concatenate(found) if found else np.zeros(0)

    @property
    def share_reachable(self) -> float:
        """Of all frames of all limbs."""
        return float(np.concatenate(list(self.reachable.values())).mean()) if self.reachable else 1.0


def study_motion(
    model: Model, capture: Capture, *, mapping: str = "general", slower: bool = False, every: int = 1,
    progress: Callable[[str], None] | None = None,
) -> MotionStudy:  # fmt: skip
    """Let a robot imitate a capture and measure what comes of it.

    Args:
        slower: The person moves as much slower as the robot's joints need, if they do.
        every: Which frames the independent solve looks at: each, or each second, ...; between them it is as in the last.
    """
    person = Person.of_capture(capture, match(capture.skeleton, capture.poses))
    imitator = Imitator(model, person, capture.period, mapping=mapping, displaced=capture.displaced)
    made = imitator.run(capture.values)
    pace = made.pace(model) if slower else 1.0
    if pace > 1.0:
        scene = imitator.collision.scene if imitator.collision is not None else None
        imitator = Imitator(model, person, pace * capture.period, mapping=mapping, displaced=capture.displaced, scene=scene)
        made = imitator.run(capture.values)
    retarget = imitator.retarget
    best, reachable = _best(retarget, made.wanted, set(made.errors), every, progress)
    over = _over(model, made.q, made.period)
    collided = 0 if imitator.collision is None else _collisions(imitator.collision.scene, made.q)
    return MotionStudy(
        capture.source, model.spec.robot.name, len(made), made.errors, best, reachable, over,
        _hands(retarget, made.wanted, made.q), collided, pace,
        delay_between(retarget.positions(made.wanted, None, retarget.memory()), made.q, made.period),
    )  # fmt: skip


def _best(
    retarget: Retarget, wanted: Postures, told: set[str], every: int, progress: Callable[[str], None] | None
) -> tuple[dict[str, Array], dict[str, NDArray[np.bool_]]]:
    best: dict[str, Array] = {}
    reachable: dict[str, NDArray[np.bool_]] = {}
    for name, limb in retarget.limbs():
        if name not in _ALL_PARTS or not told & set(_ALL_PARTS[name]):
            continue
        goals = retarget.goals(name, limb, wanted)
        Q = np.empty((len(goals), len(limb.columns)))
        for f in range(0, len(goals), every):
            if progress is not None and f % 200 == 0:
                progress(f"what {name} could do at best: {f} of {len(goals)}")
            Q[f : f + every] = limb.best(goals[f])[0]
        off = limb.errors(goals, Q)
        tasks = [task.name for task in limb.tasks]
        best |= {task: off[:, k] for k, task in enumerate(tasks) if limb.tasks[k].kind != POSITION}
        counted = [tasks.index(task) for task in _ALL_PARTS[name] if task in tasks]
        if counted:
            reachable[name] = np.asarray(off[:, counted].max(axis=1) <= MATCHED)
    return best, reachable


def _collisions(scene: Scene, Q: Array) -> int:
    """Frames in which parts meet that did not in the first one: what stands too near in the beginning is let apart."""

    def pairs(q: Array) -> set[frozenset[str]]:
        return {frozenset((contact.first, contact.second)) for contact in scene.contacts(q)}

    known = pairs(Q[0])
    return sum(bool(pairs(Q[f]) - known) for f in np.flatnonzero(~scene.free_batch(Q)))


def _over(model: Model, Q: Array, period: float) -> dict[str, float]:
    limits = limits_of(model)
    span = np.where(np.isfinite(limits.upper - limits.lower), limits.upper - limits.lower, 1.0)
    V = np.diff(Q, axis=0) / period
    A = np.diff(V, axis=0) / period
    return {
        "position": float(max(((limits.lower - Q) / span).max(), ((Q - limits.upper) / span).max())) if len(Q) else -1.0,
        "velocity": float((np.abs(V) / limits.velocity - 1.0).max()) if len(V) else -1.0,
        "acceleration": float((np.abs(A) / limits.acceleration - 1.0).max()) if len(A) else -1.0,
    }


def _hands(retarget: Retarget, wanted: Postures, Q: Array) -> Array:
    """Wrists seen from shoulders, of person and robot, in lengths of an arm."""
    arm = retarget.body.arms[-1]
    side = 0 if arm.side == "left" else 1
    person = ARM_PARTS[0] * wanted.arms[:, side] + ARM_PARTS[1] * wanted.forearms[:, side]
    _, limb = next(each for each in retarget.limbs() if each[0] == (arm.side or "right"))
    places = np.array([limb.place(arm.wrist, q) for q in Q[:, limb.columns]])
    robot = (places - arm.root) @ arm.R_carrier_body / arm.length
    return np.stack([person, robot])
