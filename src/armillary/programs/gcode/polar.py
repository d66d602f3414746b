"""Polar words: @ for the distance from the origin and ^ for the angle [degrees], in x and y."""

import math

from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.machine import Machine

__all__ = ["POLAR", "without_polar"]

POLAR = "@^"


def without_polar(machine: Machine, words: dict[str, float], *, in_machine: bool) -> dict[str, float]:
    """Words with X and Y for @ and ^. One of the two alone keeps the other as it is; in incremental mode both are added to.

    Raises:
        LineFault: X, Y or G53 stand beside them.
    """
    for letter in "xy":
        if letter in words:
            raise LineFault(f"{letter.upper()} beside polar coordinates", "expected X and Y, or @ and ^", letter=letter)
    if in_machine:
        raise LineFault("polar coordinates with G53", "expected X and Y", letter="@" if "@" in words else "^")
    x, y = (value / machine.modes.unit for value in machine.position[:2])
    radius, angle = math.hypot(x, y), math.degrees(math.atan2(y, x))
    if machine.modes.absolute:
        radius, angle = words.get("@", radius), words.get("^", angle)
    else:
        radius, angle = radius + words.get("@", 0.0), angle + words.get("^", 0.0)
    end = radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))
    if not machine.modes.absolute:
        end = end[0] - x, end[1] - y
    return {**words, "x": end[0], "y": end[1]}
