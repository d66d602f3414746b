"""How far, how fast and how smoothly each joint may move in a cell: the description's limits, made whole.

URDF has no acceleration or jerk, and many files have no speed either. What is missing gets a stated default:
full speed in 0.5 s, full acceleration in 0.1 s, and, where even the speed is not known, 1 rad/s or 0.1 m/s.
"""

from dataclasses import dataclass

from armillary.description.kinds import KINDS
from armillary.description.problem import Problem
from armillary.description.robot import Joint, JointType, Robot

__all__ = [
    "DEFAULT_ANGULAR_SPEED",
    "DEFAULT_LINEAR_SPEED",
    "TIME_TO_FULL_ACCELERATION",
    "TIME_TO_FULL_SPEED",
    "JointLimits",
    "LimitOverride",
    "joint_limits",
    "note_defaults",
]

TIME_TO_FULL_SPEED = 0.5  # s
TIME_TO_FULL_ACCELERATION = 0.1  # s
DEFAULT_ANGULAR_SPEED = 1.0  # rad/s
DEFAULT_LINEAR_SPEED = 0.1  # m/s


@dataclass(frozen=True, kw_only=True)
class LimitOverride:
    """What cell.toml says of one joint's limits; None leaves the description's."""

    joint: str
    lower: float | None = None  # [rad or m]
    upper: float | None = None  # [rad or m]
    velocity: float | None = None  # [rad/s or m/s]
    acceleration: float | None = None  # [rad/s^2 or m/s^2]
    jerk: float | None = None  # [rad/s^3 or m/s^3]
    effort: float | None = None  # [N m or N]


@dataclass(frozen=True, kw_only=True)
class JointLimits:
    """The limits of one joint, whole. `defaulted` names those that nobody stated."""

    joint: str
    lower: float  # [rad or m]; -inf where there is no end
    upper: float  # [rad or m]; inf where there is no end
    velocity: float  # [rad/s or m/s]
    acceleration: float  # [rad/s^2 or m/s^2]
    jerk: float  # [rad/s^3 or m/s^3]
    effort: float | None  # [N m or N]; None is not checked
    defaulted: tuple[str, ...] = ()


def joint_limits(robot: Robot, overrides: tuple[LimitOverride, ...] = ()) -> tuple[JointLimits, ...]:
    """Limits of every independent joint with one coordinate, in the robot's order."""
    stated = {override.joint: override for override in overrides}
    return tuple(
        _whole(joint, stated.get(joint.name) or LimitOverride(joint=joint.name))
        for joint in robot.independent
        if joint.type.is_single
    )


def _whole(joint: Joint, override: LimitOverride) -> JointLimits:
    lower, upper = joint.range
    described = joint.limits
    defaulted: list[str] = []

    def choose(name: str, default: float) -> float:
        for value in (getattr(override, name), getattr(described, name, None)):
            if value is not None:
                return float(value)
        defaulted.append(name)
        return default

    linear = joint.type is JointType.PRISMATIC
    velocity = choose("velocity", DEFAULT_LINEAR_SPEED if linear else DEFAULT_ANGULAR_SPEED)
    acceleration = choose("acceleration", velocity / TIME_TO_FULL_SPEED)
    jerk = choose("jerk", acceleration / TIME_TO_FULL_ACCELERATION)
    effort = override.effort if override.effort is not None else (described.effort if described else None)
    return JointLimits(
        joint=joint.name,
        lower=lower if override.lower is None else override.lower,
        upper=upper if override.upper is None else override.upper,
        velocity=velocity,
        acceleration=acceleration,
        jerk=jerk,
        effort=effort,
        defaulted=tuple(defaulted),
    )


def note_defaults(limits: tuple[JointLimits, ...], file: str) -> tuple[Problem, ...]:
    """A note on the joints whose acceleration or jerk nobody stated; none where all are stated."""
    joints = [limit.joint for limit in limits if {"acceleration", "jerk"} & set(limit.defaulted)]
    if not joints:
        return ()
    listed = ", ".join(joints[:3]) + (f" and {len(joints) - 3} more" if len(joints) > 3 else "")
    what = f"{listed} state{'s' if len(joints) == 1 else ''} no acceleration or jerk"
    return (Problem(KINDS["default-limits"], file, None, "", what),)
