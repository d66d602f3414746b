"""A robot that does what a person does, frame by frame, inside all of its limits: what a file, a suit or a program sends.

Each frame goes the same way: the person's posture, the robot's joint positions for it, smoothed, and then as far as position,
velocity, acceleration and the robot's own parts let it in one period. What comes in can be anything; what comes out keeps limits.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.capture import Capture, Poses, poses_of
from armillary.imitation.errors import ImitationError
from armillary.imitation.matching import Match, match
from armillary.imitation.paper_mapping import PaperMapping
from armillary.imitation.person import Person, Postures
from armillary.imitation.rate_kernels import limit_frames
from armillary.imitation.retarget import Retarget
from armillary.imitation.self_collision import SelfCollision
from armillary.imitation.smoothing import USUAL, Smoothing
from armillary.model import Model, Scene
from armillary.motion import limits_of

__all__ = ["MAPPINGS", "Imitated", "Imitation", "Imitator", "imitate"]

Array = NDArray[np.float64]
MAPPINGS = ("general", "paper")
_EASE, _FROM = 1.5, 0.25  # s in which the speed grows from a share to the whole, after a begin or a calibration
_THERE = 0.05  # rad or m off its first goal at which a robot is there already
_OUTSIDE = 0.02  # rad or m that a robot may stand beyond the end of a joint: what encoders and zeros are off
_HELD = 1e-4  # rad or m off its goal from which on a joint counts as held back
_MOST_PERIODS = 25  # that one frame makes up for
NO_FRAME = "no frame that could be used"


@dataclass(frozen=True, eq=False)
class Imitated:
    """What a robot does in a frame.

    Attributes:
        q: Shape (n,) [rad or m]. v: Since the frame before, shape (n,) [rad/s or m/s].
        goal: Where the joints would be without limits, shape (n,).
        wanted: What the person does, one frame.
        errors: How far the robot is off that, by part: an angle [rad], of a place a distance [m]; of parts that the person tells.
        held_by: What kept it back most: a joint, two of its parts, that the frame was none; "" where nothing did.
        places: Where the person's bones are, shape (bones, 3) [m], in the room of the capture.
    """

    q: Array
    v: Array
    goal: Array
    wanted: Postures
    errors: dict[str, float]
    held_by: str
    places: Array


@dataclass(frozen=True, eq=False)
class Imitation:
    """What a robot does in a whole motion; see `Imitated`.

    Attributes:
        q, v, goals: Shape (frames, n). period: Between two frames [s].
        errors: Shape (frames,) each. held_by: Of each frame. places: Shape (frames, bones, 3) [m].
    """

    q: Array
    v: Array
    goals: Array
    period: float
    wanted: Postures
    errors: dict[str, Array]
    held_by: tuple[str, ...]
    places: Array

    def __len__(self) -> int:
        return len(self.q)

    def pace(self, model: Model, share: float = 0.99) -> float:
        """How much slower the person would have to move for the robot's velocities and accelerations to suffice; 1 at least.

        Args:
            share: Of the frames in which they are to.
        """
        limits = limits_of(model)
        v = np.diff(self.goals, axis=0) / self.period
        if len(v) < 2:
            return 1.0
        needed = [np.abs(v[1:]) / limits.velocity, np.sqrt(np.abs(np.diff(v, axis=0)) / self.period / limits.acceleration)]
        return max(1.0, float(np.quantile(np.maximum(*needed).max(axis=1), share)))


class Imitator:
    """One person onto one robot.

    Attributes:
        person: Whom it follows, as calibrated.
        period: Between two frames [s].
        speed: Share of the joints' velocities that is used; may be changed at any time.
        scale: How far from its zero each joint goes for what the person does; 1 is as the person. May be changed at any time.
        q, v: Where the robot is and how fast, shape (n,); q is None before the first frame where nobody said.
    """

    def __init__(
        self, model: Model, person: Person, period: float, *, mapping: str = "general", arm: str = "right",
        mirrored: bool = False, speed: float = 1.0, smoothing: Smoothing | None = USUAL, collision: bool = True,
        displaced: bool = False, scene: Scene | None = None,
    ) -> None:  # fmt: skip
        """Args:
        period: Between two frames [s].
        mapping: "general" for any robot, or "paper": joint by joint, for those that are built as a person.
        arm: Which of the person's arms a robot follows that has only one.
        mirrored: The robot's left does what the person's right does, as in a mirror.
        smoothing: None for none.
        collision: Whether the robot's parts are kept from each other.
        displaced: How positions of bones are told; see `Capture.displaced`.
        scene: The robot with the pairs of parts that count, as a cell has it; without, they are looked for, which takes seconds
            to minutes for a robot that is new to this machine.

        Raises:
            ImitationError: The robot has no arm, or an argument is none that there is.
        """
        if mapping not in MAPPINGS:
            raise ImitationError(f"there is no mapping '{mapping}'; there are: {', '.join(MAPPINGS)}")
        if not 0.0 < period < 10.0:
            raise ImitationError(f"frames {period:g} s apart are no motion; give the time between two")
        self.model, self.person, self.period = model, person, float(period)
        self.mapping, self.mirrored, self.displaced, self.smoothing = mapping, mirrored, displaced, smoothing
        self.retarget = Retarget(model, arm=arm)
        self._paper = PaperMapping(model, person, body=self.retarget.body, mirrored=mirrored) if mapping == "paper" else None
        self._limits = limits_of(model)
        self._lower, self._upper = self._limits.lower.copy(), self._limits.upper.copy()
        self.collision = SelfCollision(model, scene) if collision else None
        if self.collision is not None and not len(self.collision.levers):
            self.collision = None
        self.speed, self.scale = speed, 1.0
        self.q: Array | None = None
        self.v = np.zeros(model.n)
        self.reset()

    @property
    def speed(self) -> float:
        return self._speed

    @speed.setter
    def speed(self, share: float) -> None:
        if not 0.0 < share <= 1.0:
            raise ImitationError(f"{share:g} of the joints' velocities is no share; give more than 0 and at most 1")
        self._speed = float(share)

    @property
    def scale(self) -> float:
        return self._scale

    @scale.setter
    def scale(self, scale: float) -> None:
        if not 0.0 < scale <= 2.0:
            raise ImitationError(f"a scale of {scale:g} is none; give more than 0 and at most 2")
        self._scale = float(scale)

    def reset(self) -> None:
        """Forget all frames: the next is a first one. The robot is thought to stand where it is."""
        self._memory = self.retarget.memory()
        self._smooth = None if self.smoothing is None else self.smoothing.state(self.model.n)
        self._goal: Array | None = None  # of the frame before
        self._raw: Array | None = None  # the same, not smoothed
        self._last: tuple[Postures, Array] | None = None  # what the person did then, and where the bones were
        self._eased = 0  # frames since the begin
        self.v = np.zeros(self.model.n)
        if self.q is not None:
            self._stand(self.q)

    def begin(self, q: Array) -> None:
        """Where the robot stands, shape (n,), at rest. From there it eases into the person's posture.

        Raises:
            BadConfiguration: It is not n finite numbers.
            ImitationError: It is outside of the joints' ends.
        """
        q = self.model.valid(q, "begin").copy()
        outside = self.model.outside(q, _OUTSIDE)
        if outside:
            raise ImitationError(f"the robot cannot begin where {'; '.join(outside)}; move it back first")
        self.q = q
        self.reset()

    def _stand(self, q: Array) -> None:
        # One that stands a little beyond an end may come back by itself.
        self._lower, self._upper = np.minimum(self._limits.lower, q), np.maximum(self._limits.upper, q)
        if self.collision is not None:
            self.collision.begin(q)
            self._lower, self._upper = self.collision.narrowed(q, self._lower, self._upper)

    def calibrate(self, poses: Poses) -> None:
        """Learn anew how the person stands, from frames with arms stretched out or hanging; also while the robot moves.

        Raises:
            ImitationError: There is no frame, or a number in them is none; what was known is kept.
        """
        self.person = self.person.calibrated(poses)
        if self._paper is not None:
            self._paper = PaperMapping(self.model, self.person, body=self.retarget.body, mirrored=self.mirrored)
        self._eased = 0

    def step(self, values: Array, *, periods: int = 1) -> Imitated:
        """The next frame.

        Args:
            values: The skeleton's channels, shape (channels,). Where one is no number, the robot slows down where it is.
            periods: How many have passed since the last one: more than one where frames were lost.

        Raises:
            ImitationError: There are not as many values as channels, or no frame could ever be used and nothing said where the
                robot stands.
        """
        values = np.asarray(values, dtype=float)
        channels = self.person.match.skeleton.channel_count
        if values.shape != (channels,):
            raise ImitationError(f"a frame has shape {values.shape}; the skeleton has {channels} channels")
        made = self._run(values[None], max(1, min(int(periods), _MOST_PERIODS)))
        return Imitated(
            made.q[0], made.v[0], made.goals[0], made.wanted, {name: float(off[0]) for name, off in made.errors.items()},
            made.held_by[0], made.places[0],
        )  # fmt: skip

    def run(self, values: Array) -> Imitation:
        """Many frames, shape (frames, channels): the same numbers as one `step` for each.

        Raises:
            ImitationError: As `step`.
        """
        values = np.asarray(values, dtype=float)
        channels = self.person.match.skeleton.channel_count
        if values.ndim != 2 or values.shape[1] != channels:
            raise ImitationError(f"frames have shape {values.shape}; the skeleton has {channels} channels")
        return self._run(values, 1)

    # Inside

    def _run(self, values: Array, periods: int) -> Imitation:
        raw, postures, places, used = self._wanted(values)
        frames = len(values)
        for f in np.flatnonzero(~np.array(used, dtype=bool)):  # nor does a joint that nothing asks for go on
            raw[f] = raw[f - 1] if f else self._raw if self._raw is not None else raw[f]
        if periods > 1 and self._raw is not None:  # what was lost lies between
            shares = np.linspace(0.0, 1.0, periods + 1)[1:, None]
            raw = self._raw + shares * (raw - self._raw)
        if frames:
            self._raw = raw[-1].copy()
        goals = raw if self.smoothing is None or self._smooth is None else self.smoothing.smooth(raw, self.period, self._smooth)
        if self.q is None and frames:
            self.q = self._first(np.clip(goals[0], self._lower, self._upper))
            self._stand(self.q)
        goals = np.clip(goals, self._lower, self._upper)
        Q, V, held = self._limit(goals)
        last = slice(-1, None) if periods > 1 else slice(None)
        Q, V, goals, held = Q[last], V[last], goals[last], held[last]
        held = [NO_FRAME if not ok else said for ok, said in zip(used, held, strict=True)]
        return Imitation(
            Q, V, goals, self.period, postures, self.retarget.errors(postures, Q), tuple(held), places
        )  # fmt: skip

    def _wanted(self, values: Array) -> tuple[Array, Postures, Array, list[bool]]:
        """Joint positions that frames ask for, postures, places, and which frames could be used. One that cannot is the last."""
        with np.errstate(all="ignore"):  # of what is no number, nothing is used
            poses = poses_of(self.person.match.skeleton, values, displaced=self.displaced)
            postures = self.person.postures(poses)
        if self.mirrored:
            postures = postures.mirrored()
        places = poses.places * self.person.stature.metres
        used = _finite(values) & _finite(places) & _finite_postures(postures)
        if not used.all():
            postures, places = self._filled(postures, places, used)
        raw = self._scaled(self._mapped(postures, values, used))
        if len(values):
            self._last = _frames(postures, slice(-1, None)), places[-1:]
        return raw, postures, places, used.tolist()

    def _filled(self, postures: Postures, places: Array, used: NDArray[np.bool_]) -> tuple[Postures, Array]:
        """Frames that cannot be used are as the last that could; a first one is as the first that can."""
        if self._last is not None:
            postures, places = _joined(self._last[0], postures), np.concatenate([self._last[1], places])
            used = np.concatenate([[True], used])
        if not used.any():
            raise ImitationError("no frame has come yet that is one: all have values that are no numbers")
        which = np.maximum.accumulate(np.where(used, np.arange(len(used)), -1))
        which = np.where(which < 0, int(used.argmax()), which)[0 if self._last is None else 1 :]
        return _frames(postures, which), places[which]

    def _mapped(self, postures: Postures, values: Array, used: NDArray[np.bool_]) -> Array:
        if self._paper is None:
            return self.retarget.positions(postures, self.q, self._memory)
        # What cannot be used leaves the joints where they were asked to be before.
        before = self.q if self._raw is None else self._raw
        found = self._paper.follow(values[used], before)
        first = self.model.zero() if before is None else before
        return np.concatenate([first[None], found])[np.cumsum(used)]

    def _scaled(self, raw: Array) -> Array:
        """Joint positions, shape (frames, n), nearer to zero or further away; joints that nothing of the person moves stay."""
        if self._scale == 1.0:
            return raw
        columns = [int(column) for _, limb in self.retarget.limbs() for column in limb.columns]
        columns += [finger.column for arm in self.retarget.body.arms for finger in arm.fingers]
        zero = self.model.zero()[columns]
        raw[:, columns] = zero + self._scale * (raw[:, columns] - zero)
        return raw

    def _limit(self, goals: Array) -> tuple[Array, Array, list[str]]:
        """Goals, shape (frames, n), as far as limits let the robot follow them: positions, velocities, and what held it."""
        frames, n = goals.shape
        Q, V, said = np.empty((frames, n)), np.empty((frames, n)), [""] * frames
        if not frames:
            return Q, V, said
        assert self.q is not None  # it has been made to stand
        q, v = self.q.copy(), self.v.copy()
        before = goals[0].copy() if self._goal is None else self._goal.copy()
        if self._goal is None and np.abs(q - goals[0]).max() < _THERE:
            self._eased = round(_EASE / self.period)  # nothing to ease into
        times = self.period * (self._eased + np.arange(1, frames + 1))
        shares = np.minimum(1.0, _FROM + (1.0 - _FROM) * times / _EASE) * self.speed
        velocities = shares[:, None] * self._limits.velocity
        acceleration, lower, upper = self._limits.acceleration, self._lower, self._upper
        parts = self.collision
        levers, seen, distances, margins = (
            (np.zeros((0, n)), np.zeros((0, n)), np.zeros(0), np.zeros(0))
            if parts is None
            else (parts.levers, parts.seen, parts.distances, parts.margins)
        )
        f = 0
        while f < frames:
            loose = parts is not None and parts.entangled
            end = f + 1 if loose else frames  # then each frame is looked at
            f = limit_frames(
                goals[:end], f, before, q, v, self.period, lower, upper, velocities, acceleration,
                levers, seen, distances, margins, Q, V,
            )  # fmt: skip
            if parts is None:
                continue
            if f < end:
                Q[f], V[f], said[f] = parts.step(goals[f], before, q, v, self.period, lower, upper, velocities[f], acceleration)
                q, v, before = Q[f].copy(), V[f].copy(), goals[f].copy()
                f += 1
            if loose:
                parts.disentangle(q, v, self.period, acceleration)
        self.q, self.v, self._goal, self._eased = Q[-1].copy(), V[-1].copy(), goals[-1].copy(), self._eased + frames
        off = np.abs(Q - goals)
        worst = off.argmax(axis=1)
        for f in np.flatnonzero(off.max(axis=1) > _HELD).tolist():
            said[f] = said[f] or self._limit_of(int(worst[f]), V[f], velocities[f])
        return Q, V, said

    def _limit_of(self, column: int, v: Array, velocity: Array) -> str:
        name = self.model.joints[column]
        return f"{name}: {'velocity' if abs(v[column]) >= 0.999 * velocity[column] else 'acceleration'}"

    def _first(self, goal: Array) -> Array:
        """Where a robot stands of which nobody said: at its first goal, or as near to that as its parts do not meet."""
        parts = self.collision
        if parts is None or not (least := parts.too_near(goal)):
            return goal.copy()
        bounded = np.isfinite(self._lower) & np.isfinite(self._upper)
        middle = np.where(bounded, 0.5 * (np.where(bounded, self._lower, 0.0) + np.where(bounded, self._upper, 0.0)), 0.0)
        best = goal
        for q in (*(goal + share * (middle - goal) for share in np.linspace(0.1, 1.0, 10)), self.model.zero()):
            if (count := parts.too_near(q)) < least:  # some are near each other by build, and stay so
                best, least = q, count
        return best.copy()


def imitate(
    model: Model, capture: Capture, *, matching: Match | None = None, person: Person | None = None, begin: Array | None = None,
    mapping: str = "general", arm: str = "right", mirrored: bool = False, speed: float = 1.0,
    smoothing: Smoothing | None = USUAL, collision: bool = True,
) -> Imitation:  # fmt: skip
    """A whole motion, as a robot does it.

    Args:
        matching: Which bones are which parts; found without.
        person: As calibrated; learnt from the capture without.
        begin: Where the robot stands before, shape (n,); at its first pose without.

    Other arguments are the `Imitator`'s.

    Raises:
        ImitationError: The skeleton has no arm, or the robot, or an argument is none that there is.
    """
    if person is None:
        person = Person.of_capture(capture, matching or match(capture.skeleton, capture.poses))
    imitator = Imitator(
        model, person, capture.period, mapping=mapping, arm=arm, mirrored=mirrored, speed=speed, smoothing=smoothing,
        collision=collision, displaced=capture.displaced,
    )  # fmt: skip
    if begin is not None:
        imitator.begin(begin)
    return imitator.run(capture.values)


_ARRAYS = ("chest", "waist", "head", "upper_arms", "forearms", "hands", "curls")


def _finite(values: Array) -> NDArray[np.bool_]:
    """Of frames."""
    return np.asarray(np.isfinite(values).all(axis=tuple(range(1, values.ndim))))


def _finite_postures(postures: Postures) -> NDArray[np.bool_]:
    return np.asarray(np.logical_and.reduce([_finite(getattr(postures, name)) for name in _ARRAYS]))


def _frames(postures: Postures, which: slice | NDArray[np.int64]) -> Postures:
    return replace(postures, **{name: getattr(postures, name)[which] for name in _ARRAYS})


def _joined(first: Postures, second: Postures) -> Postures:
    joined: dict[str, Any] = {name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in _ARRAYS}
    return replace(second, **joined)
