"""The robot as bodies with mass, moved by servos: MuJoCo, one period at a time, with no clock and no wire of its own."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from armillary.drivers.driver import bad_analog
from armillary.model import Coupling, Model, PairSearch, Scene
from armillary.motion import limits_of
from armillary.protocols.twin import MOST_ANALOG, TOUCHES, JointCommand, Touch
from armillary.twin.bodies import bodies_that_start_free
from armillary.twin.command_check import CommandCheck
from armillary.twin.encoder import DriveEncoder
from armillary.twin.setpoint import SetPoint
from armillary.twin.settings import TwinSettings
from armillary.twin.tuning import tune

__all__ = ["Physics"]

Array = NDArray[np.float64]
_GAINS = 20  # periods from one look at the inertias to the next; gains go over to the new ones in as many
_TRIMS = 0.5  # s: the time constant of the servo's integral
_FAR = 0.003  # rad or m off its set-point that a joint which is not sent is left at
_BEYOND = 1e20  # (rad/s^2)^2: what no body survives


class Physics:
    """A robot that has mass.

    Each commanded joint has a servo: torque = feed-forward + Kp (q_cmd - q) + Kd (v_cmd - v) + trim, within its effort. With w
    the bandwidth, I the inertia that the joint feels where the robot is, and D its damping, Kp = w^2 I + w D and Kd = 2 w I: the
    slower of both poles is at w whatever the damping. The trim is the integral that every drive has: what the feed-forward does
    not know (friction, a load) is taken up by it in some tenths of a second. Where motors are coupled (a = Ja q) all of this is
    the motors': each holds its own a, within its own effort, and the joints get Ja^T of what they give.

    Disabled it is held by brakes, which no load moves. Enabled it follows commands. It brakes when told so or when a command
    cannot be: each joint slows down with its limit of acceleration and holds, until it is enabled anew.

    Attributes:
        q, v, a, torque: As measured, all of one instant, shape (n,): without error M a + bias + passive = torque exactly.
        enabled, braking, fault: What it does, and why.
        number: Of the last command; 0 before the first since it was enabled.
        inputs: Digital inputs: the outputs come back.
        analog: Analogue inputs, shape (MOST_ANALOG,): the outputs come back.
        passive: Damping of the joints as commanded, shape (n,) [N m s/rad or N s/m].
        assumptions: What is not as described or asked for, in words.
    """

    def __init__(
        self, model: Model, settings: TwinSettings, start: Array, *, scene: Scene | None = None, coupling: Coupling | None = None
    ) -> None:
        """Args:
        start: Where it stands, shape (n,).
        scene: Shapes, and which of them may touch; the robot alone where left out. Not used where contacts are off.
        coupling: Of a linkage or a differential: how far each motor goes for each joint.
        """
        start = model.valid(start, "start")
        self.model, self.settings = model, settings
        self._A = _ratios(model, coupling)
        self._back = np.eye(model.n) if self._A is None else np.linalg.inv(self._A)
        tuning = tune(model, settings, start, self._A)
        if settings.contacts and scene is None:
            scene = Scene(model, search=PairSearch())
        bodies, touching = bodies_that_start_free(model, settings, tuning, start, scene)
        self._mj, self._data = bodies.model, mujoco.MjData(bodies.model)
        self.bodies = ("world", *(moving.name for moving in model.tree.moving))
        self.steps, self._h, self._w = tuning.steps, settings.period / tuning.steps, tuning.bandwidth
        self.enabled = self.braking = False
        self.fault, self.number, self.inputs, self.analog = "", 0, 0, np.zeros(MOST_ANALOG)
        self.setpoint = SetPoint(start, limits_of(model).acceleration)
        self._check_command = CommandCheck(model.joints, model.velocity, settings.period)
        self._S, n = model.tree.S, model.n
        names = [moving.name for moving in model.tree.moving]
        self._rows = np.array([names.index(joint) for joint in model.joints], dtype=np.intp)
        matrix = np.eye(n) if self._S is None else self._S
        self.passive = (matrix.T**2) @ tuning.damping
        self._motor_passive = (self._back.T**2) @ self.passive
        self._feed_forward, self._following, self._frozen = np.zeros(n), False, False
        self._trim, self._most_trim = np.zeros(n), np.where(model.effort > 0.0, model.effort, np.inf)
        self._age, self._prepared = 0, False
        self._take_views(n)
        prismatic = np.array([model.tree.moving[row].prismatic for row in self._rows])
        counts = settings.encoder_counts
        self._encoder = DriveEncoder(start, prismatic, counts, settings.period) if counts else None
        self._settle(start)
        self.assumptions = (*tuning.assumptions, *bodies.assumptions, *touching, *self._too_weak())
        self._measure()

    # What it is told

    def enable(self) -> None:
        """Follow commands, from where it is; faults are forgotten."""
        if self._frozen:
            self._settle(self._q_driven().copy())
            self._frozen = False
        elif self.setpoint.stands:
            self.setpoint.rest_at(self._q_driven())
        self.setpoint.begin_anew()
        self.enabled, self.braking, self.fault, self.number, self._following = True, False, "", 0, False
        self._mj.actuator_forcelimited[:] = self._limited

    def disable(self) -> None:
        """Stop and let the brakes fall in."""
        self.enabled, self._following = False, False
        self._mj.actuator_forcelimited[:] = False  # a brake holds what a motor does not

    def brake(self, fault: str = "") -> None:
        """Stop as fast as the joints may, and hold until enabled anew."""
        self.braking, self._following = True, False
        self.fault = self.fault or fault

    def follow(self, command: JointCommand) -> bool:
        """Take a set-point for the end of the next period; whether it is followed.

        One that cannot be meant (not a number, another number of joints, far away) brakes, with a fault that says so. Outputs are
        not the drives': they are taken while it brakes or is disabled too.
        """
        follows = self.enabled and not self.braking
        wrong = bad_analog(command.analog) or (self._check_command(command, self.setpoint) if follows else "")
        if wrong:
            if follows:
                self.brake(wrong)
            return False
        self.inputs, self.analog[:] = command.outputs, command.analog
        if not follows:
            return False
        self.setpoint.go_to(command.q, command.v, command.a)
        self._feed_forward[:] = self._torque_of_motors(command.torque)
        self.number, self._following, self._fresh = command.number, True, True
        return True

    @property
    def stands(self) -> bool:
        """Whether it has come to rest, as far as servos rest."""
        return self.setpoint.stands and bool(np.abs(self._qvel).max(initial=0.0) < 1e-3)

    @property
    def follows(self) -> bool:
        """Whether it moves by commands, and will miss them."""
        return self._following

    # Time

    def advance(self, periods: int = 1) -> None:
        """Let time pass; the measured values are of its end."""
        for _ in range(periods):
            self._advance()

    def prepare(self) -> None:
        """Work out the next period's gains now. It need not be called; called when nobody waits, it makes `advance` quicker."""
        if self._prepared or self._frozen:
            return
        self._prepared = True
        self._age += 1
        if self._age >= _GAINS:
            self._inertia_step = (self._felt_inertia() - self._inertia) / _GAINS
            self._age = 0
        self._inertia += self._inertia_step
        self._set_gains()

    def touches(self) -> tuple[int, tuple[Touch, ...]]:
        """How many bodies touch, and the first of them."""
        data = self._data
        if data.ncon == 0:
            return 0, ()
        mj, found, force, count = self._mj, [], np.zeros(6), 0
        for i in range(data.ncon):
            contact = data.contact[i]
            if contact.dist >= 0.0:
                continue
            count += 1
            if count <= TOUCHES:
                mujoco.mj_contactForce(mj, data, i, force)
                first, second = (int(mj.geom_bodyid[geom]) for geom in contact.geom)
                found.append(Touch(first, second, -float(contact.dist), float(np.linalg.norm(force[:3]))))
        return count, tuple(found)

    # Inside

    def _take_views(self, n: int) -> None:
        data, mj = self._data, self._mj
        self._qpos, self._qvel, self._qacc, self._ctrl = data.qpos, data.qvel, data.qacc, data.ctrl
        self._bias, self._warm, self._force = data.qfrc_bias, data.qacc_warmstart, data.actuator_force
        self._bias_gains = mj.actuator_biasprm
        self._limited = mj.actuator_forcelimited.copy()
        mj.actuator_forcelimited[:] = False
        self._too_far, self._half, self._mass = np.zeros(mj.nv), 0.5 * self._h**2, np.zeros((mj.nv, mj.nv))
        self._inertia, self._inertia_step = np.ones(n), np.zeros(n)
        self._kp, self._kd, self._base, self._slope = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
        self._times = (np.arange(1 - self.steps, 1) * self._h)[:, None]  # of the sub-steps, before the end of the period [s]
        self._ramp = np.zeros((self.steps, n))
        self._good = self._qpos.copy()
        self._fresh = False

    def _settle(self, q: Array) -> None:
        """Stand at q in equilibrium."""
        self._qpos[:], self._qvel[:], self._qacc[:], self._warm[:] = self.model.full(q), 0.0, 0.0, 0.0
        self.setpoint.rest_at(q)
        mujoco.mj_forward(self._mj, self._data)
        self._inertia[:], self._inertia_step[:], self._age = self._felt_inertia(), 0.0, 0
        self._prepared = False
        self._set_gains()
        self._ctrl[:] = self._load() + self._kp * self._of_motors(q)
        self._forward()
        self._good[:] = self._qpos

    def _advance(self) -> None:
        if self._frozen:
            return
        setpoint, period = self.setpoint, self.settings.period
        if self._following and not self._fresh:
            setpoint.carry_on(period)
        elif not self._following:
            setpoint.brake(period)
            self._feed_forward[:] = self._load()  # brakes, or a drive that holds, bear what there is to bear
            self._trim[:] = 0.0
        self._fresh = False
        self.prepare()
        self._prepared = False
        kp, kd = self._kp, self._kd
        base, slope = self._base, self._slope
        goal, speed = self._of_motors(setpoint.q), self._of_motors(setpoint.v)
        np.multiply(kp, goal, out=base)
        base += kd * speed
        base += self._feed_forward
        if self._following:
            # Of joints that are sent, or are far off: against one that sticks nearby an integral would wind up, and hunt.
            off = goal - self._of_motors(self._q_driven())
            self._trim += np.where((np.abs(speed) > 1e-3) | (np.abs(off) > _FAR), (period / _TRIMS) * kp * off, 0.0)
            np.clip(self._trim, -self._most_trim, self._most_trim, out=self._trim)
            base += self._trim
        np.multiply(kp, speed, out=slope)
        slope += kd * self._of_motors(setpoint.a)
        np.multiply(self._times, slope, out=self._ramp)
        self._ramp += base
        for ctrl in self._ramp:
            self._integrate()
            self._ctrl[:] = ctrl
            self._forward()
        self._check()
        self._measure()

    def _integrate(self) -> None:
        """To the next sub-step: velocities by the accelerations at its begin, positions by the velocities in its middle."""
        mujoco.mj_Euler(self._mj, self._data)  # takes the velocities at the end, and so goes a little too far
        np.multiply(self._qacc, self._half, out=self._too_far)
        self._qpos -= self._too_far

    def _forward(self) -> None:
        """Accelerations of now, from the torques of now."""
        data = self._data
        mujoco.mj_forward(self._mj, data)
        if self._S is not None:
            # Mimics follow exactly: only what drives them has a coordinate. Forces of constraints between them do no work.
            S = self._S
            mujoco.mj_fullM(self._mj, data, self._mass)
            driving = data.qfrc_actuator + data.qfrc_passive + data.qfrc_constraint - data.qfrc_bias
            self._qacc[:] = S @ np.linalg.solve(S.T @ self._mass @ S, S.T @ driving)

    def _check(self) -> None:
        """A state that is none is not passed on: it stands where it last was sound."""
        if self._qacc.dot(self._qacc) + self._qvel.dot(self._qvel) < _BEYOND and self._qpos.dot(self._qpos) < _BEYOND:
            self._good[:] = self._qpos
            return
        sound = self._good[self._rows].copy()
        self.disable()
        self._settle(sound)
        self._frozen, self.enabled = True, False
        self.brake("the physics came apart (accelerations beyond all bounds); the twin stands still where it was last sound")

    def _felt_inertia(self) -> Array:
        mujoco.mj_fullM(self._mj, self._data, self._mass)
        M = self._mass if self._S is None else self._S.T @ self._mass @ self._S
        mobility = np.linalg.inv(M)
        felt: Array = 1.0 / np.diag(mobility if self._A is None else self._A @ mobility @ self._A.T)
        return felt

    def _of_motors(self, q: Array) -> Array:
        """Positions, velocities or accelerations of motors from the joints'."""
        return q if self._A is None else self._A @ q

    def _torque_of_motors(self, torque: Array) -> Array:
        """What motors must give for the joints' torques."""
        return torque if self._A is None else self._back.T @ torque

    def _set_gains(self) -> None:
        w = self._w
        np.multiply(self._inertia, 2.0 * w, out=self._kd)
        np.multiply(self._inertia, w * w, out=self._kp)
        self._kp += w * self._motor_passive
        gains = self._bias_gains
        np.negative(self._kp, out=gains[:, 1])
        np.negative(self._kd, out=gains[:, 2])

    def _load(self) -> Array:
        """What the motors must bear now, at no acceleration."""
        return self._torque_of_motors(self._bias if self._S is None else self._S.T @ self._bias)

    def _q_driven(self) -> Array:
        return self._qpos if self._S is None else self._qpos[self._rows]

    def _measure(self) -> None:
        whole = self._S is None
        self.torque = self._force if self._A is None else self._A.T @ self._force
        self.a = self._qacc if whole else self._qacc[self._rows]
        self.v = self._qvel if whole else self._qvel[self._rows]
        self.q = self._qpos if whole else self._qpos[self._rows]
        if self._encoder is not None:
            self._encoder.read(self.q)
            self.q, self.v, self.a = self._encoder.q, self._encoder.v, self._encoder.a

    def _too_weak(self) -> list[str]:
        load, effort = np.abs(self._load()), self.model.effort
        return [
            f"{joint}: it needs {load[j]:.3g} to hold still at the start, and its effort is {effort[j]:.3g}; enabled it sinks"
            for j, joint in enumerate(self.model.joints)
            if 0.0 < effort[j] < load[j]
        ]


def _ratios(model: Model, coupling: Coupling | None) -> Array | None:
    """Ja of all joints, shape (n, n); None where each has a motor of its own."""
    if coupling is None:
        return None
    whole, columns = np.eye(model.n), [model.column(joint) for joint in coupling.joints]
    whole[np.ix_(columns, columns)] = coupling.ratios
    return None if np.array_equal(whole, np.eye(model.n)) else whole
