"""Jerk-limited, in the least time: by ruckig, whose cubics are taken over exactly."""

from collections.abc import Sequence

import numpy as np
import ruckig
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits
from armillary.motion.profiles.quintic import moving
from armillary.motion.profiles.unhurried import unhurried
from armillary.motion.trajectory import State, Trajectory

__all__ = ["jerk_limited_move", "jerk_limited_to", "jerk_limited_towards"]

Array = NDArray[np.float64]
_BRIEF = 1e-11  # a piece this short is rounding [s]
# Of the jerk, tried in turn where ruckig finds nothing: it errs where one of its profiles goes over into another to the last
# digit, as at distances of 2 a^3 / j^2 from rest (0.28 rad, of a cobot's wrist).
_SHARES = (1.0 - 1e-9, 1.0 - 1e-6)
_LONG = 600.0  # s: as far ahead as a motion without an end is planned


def jerk_limited_move(limits: MotionLimits, start: Array, goal: Array, *, duration: float | None = None) -> Trajectory:
    """From rest to rest, every joint as fast as its limits allow, all arriving together.

    Args:
        duration: In all [s]; with the least jerk that it can be driven with. The least time where left out.

    Raises:
        BadMotion: The two are the same, or the time is too short.
    """
    moving(limits, start, goal)
    zero = np.zeros(len(limits.joints))
    begin = State(np.asarray(start, dtype=float), zero, zero, zero)
    if duration is None:
        return jerk_limited_to(limits, begin, goal)
    return unhurried(limits, duration, lambda lower: jerk_limited_to(lower, begin, goal))


def jerk_limited_to(limits: MotionLimits, state: State, goal: Array, *, speed: Array | None = None) -> Trajectory:
    """From any state to a goal, at rest there or at a given velocity, in the least time.

    Raises:
        BadMotion: No motion from this state keeps the limits.
    """
    n, asked = len(limits.joints), _from(state)
    asked.target_position = [float(value) for value in goal]
    asked.target_velocity = [0.0] * n if speed is None else [float(value) for value in speed]
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = (
        list(map(float, x)) for x in (limits.velocity, limits.acceleration, limits.jerk)
    )
    planned = _planned(asked)
    if planned.duration < _BRIEF:
        raise BadMotion("start and goal are the same: there is nothing to move")
    return _exactly(limits.joints, state, planned)


def jerk_limited_towards(limits: MotionLimits, state: State, speeds: Array) -> Trajectory:
    """From any state on with given velocities, each joint as soon as it can, and to rest before the end of its range.

    Args:
        speeds: Shape (n,); 0 for a joint that is to stop.

    Raises:
        BadMotion: No motion from this state keeps the limits.
    """
    n, asked = len(limits.joints), _from(state)
    still = np.abs(speeds) < 1e-9
    far = np.where(speeds > 0.0, limits.upper, limits.lower)
    far = np.clip(far, state.q - np.abs(speeds) * _LONG, state.q + np.abs(speeds) * _LONG)  # ruckig plans for two hours at most
    asked.target_position = [float(value) for value in np.where(still, state.q, far)]
    asked.target_velocity = [0.0] * n
    asked.max_velocity = [float(value) for value in np.where(still, limits.velocity, np.minimum(np.abs(speeds), limits.velocity))]
    asked.max_acceleration, asked.max_jerk = (list(map(float, x)) for x in (limits.acceleration, limits.jerk))
    asked.synchronization = ruckig.Synchronization.No
    position, velocity = ruckig.ControlInterface.Position, ruckig.ControlInterface.Velocity
    asked.per_dof_control_interface = [velocity if is_still else position for is_still in still]
    planned = _planned(asked)
    if planned.duration < _BRIEF:
        raise BadMotion("it is at the end of its range, or nothing is asked: there is nothing to move")
    return _exactly(limits.joints, state, planned)


def _from(state: State) -> ruckig.InputParameter:
    """A question to ruckig that begins at a state."""
    asked = ruckig.InputParameter(len(state.q))
    asked.current_position, asked.current_velocity, asked.current_acceleration = (
        list(map(float, x)) for x in (state.q, state.v, state.a)
    )
    return asked


def _planned(asked: ruckig.InputParameter) -> ruckig.Trajectory:
    """Ruckig's answer.

    Raises:
        BadMotion: It has none.
    """
    planned, jerk = ruckig.Trajectory(asked.degrees_of_freedom), list(asked.max_jerk)
    for share in (*_SHARES, 0.0):
        try:
            verdict = ruckig.Ruckig(asked.degrees_of_freedom).calculate(asked, planned)
            break
        except ruckig.RuckigError as error:
            if not share:
                raise BadMotion(f"no motion from this state keeps the limits: {_words(error)}") from None
            asked.max_jerk = [share * value for value in jerk]
    if verdict not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise BadMotion(f"no motion from this state keeps the limits ({verdict})")
    return planned


def _words(error: Exception) -> str:
    return str(error).replace("[ruckig] ", "").strip().splitlines()[0]


def _exactly(joints: Sequence[str], state: State, planned: ruckig.Trajectory) -> Trajectory:
    """Ruckig's pieces of constant jerk, on the union of all joints' knots: each a cubic, which a quintic holds exactly."""
    n, T = len(joints), planned.duration
    phases = []  # of each joint: times at which its jerk changes, and the jerk from there
    for profile in planned.profiles[0]:
        starts: list[float] = []
        rates: list[float] = []
        now = 0.0
        for part in (profile.brake, profile, profile.accel):
            for span, jerk in zip(part.t, part.j, strict=True):
                if span > 0.0:
                    starts.append(now)
                    rates.append(jerk)
                    now += span
        phases.append((np.array([*starts, now]), np.array([*rates, 0.0])))
    knots = np.unique(np.concatenate([times for times, _ in phases] + [[0.0, T]]))
    knots = knots[knots <= T]
    knots = knots[np.concatenate([[True], np.diff(knots) > _BRIEF])]
    if T - knots[-1] > _BRIEF:
        knots = np.append(knots, T)
    knots[-1] = T
    durations = np.diff(knots)
    c = np.zeros((len(durations), n, 6))
    for j, (times, jerks) in enumerate(phases):
        p, v, a = float(state.q[j]), float(state.v[j]), float(state.a[j])
        for i, span in enumerate(durations):
            jerk = float(jerks[max(int(np.searchsorted(times, knots[i] + 0.5 * span, side="right")) - 1, 0)])
            c[i, j, :4] = p, v, 0.5 * a, jerk / 6.0
            p += span * (v + span * (0.5 * a + span * jerk / 6.0))
            v += span * (a + span * 0.5 * jerk)
            a += span * jerk
    return Trajectory(tuple(joints), durations, c, continuity=2, profile="jerk")
