"""What a jog or a step moves, for the audit trail: which joint or axis, which way, and how far."""

from collections.abc import Sequence

import numpy as np

from armillary.interfaces.http.messages import Jog
from armillary.interfaces.http.motion_orders import StepOrder
from armillary.model import Model

__all__ = ["jog_words", "moved_by", "step_words"]

_AXES = ("x", "y", "z", "rx", "ry", "rz")  # lengths along the axes of a frame, then angles about them


def moved_by(jog: Jog, model: Model) -> frozenset[str]:
    """What a jog moves and which way, as "joint_2+" or "rz-"; nothing at rest."""
    names = _names(jog.kind, model)
    return frozenset(f"{name}{'+' if speed > 0.0 else '-'}" for name, speed in zip(names, jog.speeds, strict=False) if speed)


def jog_words(jog: Jog, moved: frozenset[str], model: Model) -> str:
    """A jog that begins, or begins to move something more."""
    names = _names(jog.kind, model)
    which = " ".join(sorted(moved, key=lambda each: names.index(each[:-1])))
    if jog.kind == "joints":
        return f"jogs the joints {which}"
    if jog.kind == "frame":
        return f"jogs the tool {which} in {jog.frame}"
    return f"jogs the tool {which} in its own axes" if jog.kind == "tool" else f"jogs the tool {which} in the base"


def step_words(order: StepOrder, model: Model) -> str:
    """A step of joints or of the tool, with how far it is."""
    names = _names(order.kind, model)
    which = " ".join(_far(name, by, order.kind, model) for name, by in zip(names, order.by, strict=False) if by)
    if order.kind == "joints":
        return f"jogs the joints by a step, {which}"
    if order.kind == "frame":
        return f"jogs the tool by a step, {which} in {order.frame}"
    if order.kind == "tool":
        return f"jogs the tool by a step, {which} in its own axes"
    return f"jogs the tool by a step, {which} in the base"


def _names(kind: str, model: Model) -> Sequence[str]:
    return model.joints if kind == "joints" else _AXES


def _far(name: str, by: float, kind: str, model: Model) -> str:
    slides = model.spec.robot.joint(name).unit == "m" if kind == "joints" else name in _AXES[:3]
    return f"{name} {1e3 * by:+.4g} mm" if slides else f"{name} {np.degrees(by):+.4g}°"
