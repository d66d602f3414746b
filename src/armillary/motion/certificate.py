"""The proof that a trajectory keeps its limits, bound to all that it is a proof of."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.model import Coupling, Model, Scene, frame_jacobian_batch, frame_pose_batch, inverse_dynamics_batch
from armillary.motion import kernels
from armillary.motion.clearance import sweep
from armillary.motion.limits import MotionLimits, limits_of
from armillary.motion.tool_path import RADIAN, ToolPath
from armillary.motion.trajectory import State, Trajectory

__all__ = ["Bounds", "Certificate", "Violation", "certify", "motor_extrema", "tool_speeds"]

Array = NDArray[np.float64]
RELATIVE = 1e-9  # what a limit may be exceeded by: rounding
_ORDERS = ("position", "velocity", "acceleration", "jerk")
_UNITS = (("rad", "rad/s", "rad/s^2", "rad/s^3"), ("m", "m/s", "m/s^2", "m/s^3"))
_SAMPLES = 0.005  # s between samples of what has no closed form: torque, tool speed


@dataclass(frozen=True)
class Violation:
    """One limit that a trajectory does not keep.

    Attributes:
        kind: "position", "velocity", "acceleration", "jerk", "motor", "torque", "collision", "deviation", "tool speed",
            "workspace", "jump", "continuity", "start" or "finite".
        where: The joint, motor or pair of parts.
        time: When it is worst [s from the start].
        value, limit: What it is and what it may be.
        origin: Where the segment comes from (a program's line), or "".
        text: In words.
    """

    kind: str
    where: str
    time: float
    value: float
    limit: float
    origin: str
    text: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.text}" if self.origin else self.text


@dataclass(frozen=True)
class Certificate:
    """What was checked of a trajectory, and what came of it.

    Attributes:
        holds: Whether nothing was found.
        violations: What was found, worst of each kind and joint, in order of time.
        checked: What was checked, in words.
        segments: A hash of each segment of the trajectory, which this certificate is bound to.
        bound_to: A hash of model (with tool and payload), limits and world.
        use: The largest share of each limit that is used, by name.
        clearance: The smallest distance that was met, between any two parts that are checked [m]; None where no world was given,
            or nothing of it has shapes that can meet.
    """

    holds: bool
    violations: tuple[Violation, ...]
    checked: tuple[str, ...]
    segments: tuple[str, ...]
    bound_to: str
    use: dict[str, float] = field(default_factory=dict, hash=False)
    clearance: float | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return f"keeps its limits ({', '.join(self.checked)})"
        return "; ".join(str(violation) for violation in self.violations[:3]) + ("; ..." if len(self.violations) > 3 else "")

    def covers(
        self, trajectory: Trajectory, model: Model, limits: MotionLimits | None = None, scene: Scene | None = None,
        *, bounds: "Bounds | None" = None,
    ) -> bool:  # fmt: skip
        """Whether it is a proof of this very trajectory, for this model, these limits and this world, and holds."""
        world = world_hash(model, limits or limits_of(model), scene, bounds)
        return self.holds and self.segments == segment_hashes(trajectory) and self.bound_to == world


@dataclass(frozen=True, eq=False)
class Bounds:
    """What a trajectory is held to beyond the joints' limits.

    Attributes:
        scene: The robot among obstacles; nothing may touch.
        margin: Distance to be kept from everything [m].
        coupling: The actuation; motor speeds and ranges are held to what `motor_limits` allows.
        motor_velocity, motor_acceleration: Limits of each motor [counts/s], [counts/s^2], shape (n,); by the joints' limits where
            left out.
        torque: Hold the joints' effort limits by inverse dynamics.
        tool: The path that the tool is to follow, in the world, with `deviation` [m] and a tenth of a degree a tenth of a mm.
        tool_law: Where on that path the tool should be, s [m] for ascending times [s]: what turns round, or lies on itself, is
            held to that. Where left out the tool is looked for from one time to the next.
        deviation: How far it may leave it [m].
        tool_speed: [m/s].
        box: Corners of the box that the tip must stay in, (2, 3) [m].
        planes: Rows of a point and a normal (2, 3): the tip stays on the side that the normal points to.
        start: The state that the robot is in; the trajectory must begin there.
    """

    scene: Scene | None = None
    margin: float = 0.0
    coupling: Coupling | None = None
    motor_velocity: Array | None = None
    motor_acceleration: Array | None = None
    torque: bool = False
    tool: ToolPath | None = None
    tool_law: Callable[[Array], Array] | None = None
    deviation: float = 1e-5
    tip: str = ""
    tool_speed: float | None = None
    box: Array | None = None
    planes: tuple[tuple[Array, Array], ...] = ()
    start: State | None = None


def certify(
    trajectory: Trajectory, model: Model, *, limits: MotionLimits | None = None, bounds: Bounds | None = None
) -> Certificate:
    """Check a trajectory against everything that is known.

    Position, velocity, acceleration and jerk by the exact extrema of each polynomial; motors likewise, through the coupling;
    collision by steps no longer than the clearance that was found; torque and the tool by samples every 5 ms.

    Args:
        limits: The joints'; the model's where left out.
        bounds: What else it is held to.
    """
    limits, bounds = limits or limits_of(model), bounds or Bounds()
    check = _Check(trajectory, model, limits, bounds)
    check.joints()
    check.continuity()
    check.start()
    if bounds.coupling is not None:
        check.motors(bounds.coupling)
    if bounds.torque:
        check.torque()
    if bounds.tool_speed is not None or bounds.box is not None or bounds.planes or bounds.tool is not None:
        check.tool()
    clearance = check.collision(bounds.scene) if bounds.scene is not None else None
    found = sorted(check.found, key=lambda violation: violation.time)
    return Certificate(
        holds=not found, violations=tuple(found), checked=tuple(check.checked), segments=segment_hashes(trajectory),
        bound_to=world_hash(model, limits, bounds.scene, bounds), use=check.use, clearance=clearance,
    )  # fmt: skip


def segment_hashes(trajectory: Trajectory) -> tuple[str, ...]:
    """A hash of each segment: its numbers, and whose they are."""
    names = repr((trajectory.joints, trajectory.continuity)).encode()
    rows = np.concatenate([trajectory.durations[:, None], trajectory.coefficients.reshape(len(trajectory.durations), -1)], axis=1)
    return tuple(hashlib.sha256(names + row.tobytes()).hexdigest()[:32] for row in rows)


def world_hash(model: Model, limits: MotionLimits, scene: Scene | None, bounds: Bounds | None = None) -> str:
    """A hash of model, limits and world.

    Args:
        bounds: Of these what is the cell's and not of one motion: where the tip must stay, and the motors' limits.
    """
    data = hashlib.sha256(model.digest.encode())
    for array in (limits.lower, limits.upper, limits.velocity, limits.acceleration, limits.jerk):
        data.update(np.ascontiguousarray(array).tobytes())
    if scene is not None:
        for part in scene.parts:
            data.update(repr((part.owner, part.shape, part.carrier)).encode() + part.T_carrier_shape.tobytes())
        data.update(repr(scene.pairs).encode())
    for name, array in _of_the_cell(bounds) if bounds is not None else ():
        data.update(f"{name} {array.shape}".encode() + array.tobytes())
    return data.hexdigest()


def _of_the_cell(bounds: Bounds) -> Iterator[tuple[str, Array]]:
    """By name, what of the bounds holds for all motions in a cell."""
    if bounds.box is not None:
        yield "box", np.ascontiguousarray(bounds.box, dtype=float)
    for plane in bounds.planes:
        yield "plane", np.ascontiguousarray(plane, dtype=float)
    if bounds.coupling is not None:
        yield f"motors of {bounds.coupling.joints}", np.ascontiguousarray(bounds.coupling.matrix, dtype=float)
    for name, most in (("motor speed", bounds.motor_velocity), ("motor acceleration", bounds.motor_acceleration)):
        if most is not None:
            yield name, np.ascontiguousarray(most, dtype=float)


def _sampled(trajectory: Trajectory) -> tuple[Array, Array]:
    times = np.unique(np.concatenate([trajectory.every(_SAMPLES)[0], trajectory.knots]))
    return times, trajectory.sample(times)


def tool_speeds(model: Model, trajectory: Trajectory, tip: str) -> tuple[Array, Array]:
    """Times every 5 ms and at the knots, and the tool's speed there [m/s]."""
    times, samples = _sampled(trajectory)
    J = frame_jacobian_batch(model, np.ascontiguousarray(samples[:, 0]), tip)
    return times, np.linalg.norm(np.einsum("nij,nj->ni", J[:, :3], samples[:, 1]), axis=1)


def motor_extrema(trajectory: Trajectory, coupling: Coupling) -> tuple[Array, Array] | None:
    """Exact extrema of the motors in each segment, shape (k, m, 4, 2), and when; None where the joints are others."""
    if not set(coupling.joints) <= set(trajectory.joints):
        return None
    order = [trajectory.joints.index(joint) for joint in coupling.joints]
    c = np.ascontiguousarray(np.einsum("mj,kjc->kmc", coupling.matrix, trajectory.coefficients[:, order]))
    c[:, :, 0] += coupling.zero
    values, times = np.empty((*c.shape[:2], 4, 2)), np.empty((*c.shape[:2], 4, 2))
    kernels.extrema(np.array(trajectory.durations), c, values, times)
    return values, times


@dataclass(eq=False)
class _Check:
    trajectory: Trajectory
    model: Model
    limits: MotionLimits
    bounds: Bounds
    found: list[Violation] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    use: dict[str, float] = field(default_factory=dict)

    def joints(self) -> None:
        """Exact extrema against the limits of each joint."""
        trajectory, limits = self.trajectory, self.limits
        if trajectory.joints != self.model.joints or trajectory.joints != limits.joints:
            self._add(
                "start", "joints", 0.0, 0.0, 0.0, f"it moves {', '.join(trajectory.joints)}, not {', '.join(self.model.joints)}"
            )
            return
        extrema = trajectory.extrema
        promised = 3 if trajectory.continuity >= 2 else 2
        for order in range(promised + 1):
            for j, joint in enumerate(trajectory.joints):
                for side in (0, 1):
                    value, time = float(extrema.values[order, j, side]), float(extrema.times[order, j, side])
                    limit = self._limit(order, j, side)
                    over = value - limit if side else limit - value
                    if over > RELATIVE * max(abs(limit), 1.0):
                        self._joint(order, joint, value, limit, time)
            if order:
                most = np.abs(extrema.values[order]).max(axis=1) / limits.of_order(order)
                self.use[_ORDERS[order]] = float(most.max(initial=0.0))
        self.checked += [f"{name} exactly" for name in _ORDERS[: promised + 1]]
        if promised < 3:
            self.checked.append("no jerk claimed: acceleration steps")

    def continuity(self) -> None:
        """What is promised at the knots."""
        trajectory = self.trajectory
        steps = trajectory.steps
        scale = (1.0, self.limits.velocity, self.limits.acceleration, self.limits.jerk)
        for order in range(min(trajectory.continuity, 3) + 1):
            if steps.shape[1] == 0:
                break
            size = np.abs(steps[order]) / np.maximum(scale[order], 1e-9)
            if size.max() > 1e-7:
                k, j = np.unravel_index(int(size.argmax()), size.shape)
                step = float(steps[order, k, j])
                joint, time = trajectory.joints[j], float(trajectory.knots[k + 1])
                if order == 0:  # two branches of the arm, one after the other: the tool may be right all the while
                    kind, text = "jump", f"{joint}: it would jump by {step:.3g} at {time:.4g} s, as to another branch of the arm"
                else:
                    promised = f"continuity {trajectory.continuity} is promised"
                    kind, text = "continuity", f"{joint}: {_ORDERS[order]} steps by {step:.3g} at {time:.4g} s; {promised}"
                self._add(kind, joint, time, abs(step), 0.0, text)
        self.checked.append("jumps and continuity")

    def start(self) -> None:
        """It must begin where the robot is."""
        state = self.bounds.start
        if state is None:
            return
        begin = self.trajectory.start
        for what, is_at, starts, allowed in (("position", state.q, begin.q, 1e-6), ("velocity", state.v, begin.v, 1e-6)):
            gap = np.abs(is_at - starts)
            if gap.max(initial=0.0) > allowed:
                j = int(gap.argmax())
                joint = self.trajectory.joints[j]
                self._add("start", joint, 0.0, float(starts[j]), float(is_at[j]),
                          f"{joint}: the motion starts at {what} {starts[j]:.6g}, the robot is at {is_at[j]:.6g}")  # fmt: skip
        self.checked.append("start")

    def motors(self, coupling: Coupling) -> None:
        """Motor positions and rates are linear in the joints', and so polynomials with extrema of their own."""
        found = motor_extrema(self.trajectory, coupling)
        if found is None:
            return
        values, times = found
        order = [self.trajectory.joints.index(joint) for joint in coupling.joints]
        box = coupling.motor_limits(
            *(x[order] for x in (self.limits.lower, self.limits.upper, self.limits.velocity, self.limits.acceleration))
        )
        for rate, given, own, what, unit in (
            (1, self.bounds.motor_velocity, box.velocity, "turns at", "counts/s"),
            (2, self.bounds.motor_acceleration, box.acceleration, "is accelerated by", "counts/s^2"),
        ):
            allowed = own if given is None else given
            most = np.abs(values[:, :, rate]).max(axis=2)  # (k, m)
            self.use[f"motor {('speed', 'acceleration')[rate - 1]}"] = float((most / allowed).max(initial=0.0))
            for m in range(values.shape[1]):
                k = int(most[:, m].argmax())
                side = int(np.abs(values[k, m, rate]).argmax())
                when = float(self.trajectory.knots[k] + times[k, m, rate, side])
                if most[k, m] > allowed[m] * (1 + RELATIVE):
                    text = f"motor {m + 1} {what} {most[k, m]:.4g} {unit} at {when:.4g} s; it may {allowed[m]:.4g}"
                    self._add("motor", f"motor {m + 1}", when, float(most[k, m]), float(allowed[m]), text)
        self.checked.append("motors exactly")

    def torque(self) -> None:
        times, samples = self._samples
        torques = inverse_dynamics_batch(self.model, *(np.ascontiguousarray(samples[:, i]) for i in range(3)))
        share = np.abs(torques) / self.model.effort
        self.use["torque"] = float(share.max(initial=0.0))
        for j, joint in enumerate(self.model.joints):
            k = int(share[:, j].argmax())
            if share[k, j] > 1.0 + RELATIVE:
                self._add("torque", joint, float(times[k]), float(torques[k, j]), float(self.model.effort[j]),
                          f"{joint} needs {torques[k, j]:.4g} at {times[k]:.4g} s, gives {self.model.effort[j]:.4g}")  # fmt: skip
        self.checked.append(f"torque every {_SAMPLES * 1e3:g} ms")

    def tool(self) -> None:
        bounds, tip = self.bounds, self.bounds.tip or self.model.tip
        times, samples = self._samples
        Q = np.ascontiguousarray(samples[:, 0])
        T = frame_pose_batch(self.model, Q, tip)
        if bounds.tool_speed is not None:
            speed = tool_speeds(self.model, self.trajectory, tip)[1]
            k = int(speed.argmax())
            self.use["tool speed"] = float(speed[k] / bounds.tool_speed)
            if speed[k] > bounds.tool_speed * (1 + 1e-6):
                self._add("tool speed", tip, float(times[k]), float(speed[k]), bounds.tool_speed,
                          f"{tip} moves at {speed[k]:.4g} m/s at {times[k]:.4g} s; it may {bounds.tool_speed:.4g}")  # fmt: skip
            self.checked.append(f"tool speed every {_SAMPLES * 1e3:g} ms")
        self._workspace(times, T[:, :3, 3], tip)
        if bounds.tool is not None:
            self._deviation(times, T, bounds.tool, tip)

    def collision(self, scene: Scene) -> float | None:
        result = sweep(scene, self.trajectory, margin=self.bounds.margin)
        if result.hit is not None:
            hit = result.hit
            meets = "hits" if hit.distance <= 0 else f"comes within {hit.distance * 1e3:.3g} mm of"
            self._add("collision", f"{hit.first} and {hit.second}", hit.time, hit.distance, self.bounds.margin,
                      f"{hit.first} {meets} {hit.second} at {hit.time:.4g} s")  # fmt: skip
        if not np.isfinite(result.clearance):
            self.checked.append("no collision: there is nothing that could meet")
            return None
        self.checked.append(f"collision, {result.looks} proven looks")
        return result.clearance

    @cached_property
    def _samples(self) -> tuple[Array, Array]:
        return _sampled(self.trajectory)

    def _workspace(self, times: Array, p: Array, tip: str) -> None:
        sides: list[tuple[str, Array]] = []
        if self.bounds.box is not None:
            low, high = np.asarray(self.bounds.box, dtype=float)
            for axis, name in enumerate("xyz"):
                sides += [
                    (f"the box's lower {name}", p[:, axis] - low[axis]),
                    (f"the box's upper {name}", high[axis] - p[:, axis]),
                ]
        for i, (point, normal) in enumerate(self.bounds.planes):
            unit = np.asarray(normal, dtype=float) / np.linalg.norm(normal)
            sides.append((f"plane {i + 1}", (p - np.asarray(point)) @ unit))
        for name, room in sides:
            k = int(room.argmin())
            if room[k] < -1e-6:
                self._add("workspace", tip, float(times[k]), float(room[k]), 0.0,
                          f"{tip} goes {-room[k] * 1e3:.4g} mm beyond {name} at {times[k]:.4g} s")  # fmt: skip
        if sides:
            self.checked.append("workspace")

    def _deviation(self, times: Array, T: Array, tool: ToolPath, tip: str) -> None:
        law = self.bounds.tool_law
        off, turned = tool.deviation(T, None if law is None else law(times))
        most = off + RADIAN * turned
        k = int(most.argmax())
        self.use["deviation"] = float(most[k] / self.bounds.deviation)
        if most[k] > self.bounds.deviation:
            self._add("deviation", tip, float(times[k]), float(off[k]), self.bounds.deviation,
                      f"{tip} is {off[k] * 1e3:.4g} mm and {np.rad2deg(turned[k]):.3g} degrees off its path "
                      f"at {times[k]:.4g} s")  # fmt: skip
        self.checked.append(f"tool path every {_SAMPLES * 1e3:g} ms")

    def _limit(self, order: int, j: int, side: int) -> float:
        if order == 0:
            return float((self.limits.lower, self.limits.upper)[side][j])
        return float(self.limits.of_order(order)[j]) * (1.0 if side else -1.0)

    def _joint(self, order: int, joint: str, value: float, limit: float, time: float) -> None:
        unit = _UNITS[self.model.spec.robot.joint(joint).unit == "m"][order]
        self._add(_ORDERS[order], joint, time, value, limit,
                  f"{joint}: {_ORDERS[order]} {value:.6g} {unit} at {time:.4g} s, limit {limit:.6g}")  # fmt: skip

    def _add(self, kind: str, where: str, time: float, value: float, limit: float, text: str) -> None:
        trajectory = self.trajectory
        k = int(np.clip(np.searchsorted(trajectory.knots, time, side="right") - 1, 0, len(trajectory.durations) - 1))
        origin = trajectory.origins[k] if trajectory.origins else ""
        self.found.append(Violation(kind, where, time, value, limit, origin, text))
