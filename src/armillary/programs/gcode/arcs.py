"""The centre of an arc from its I, J, K or from its radius. Lengths in mm."""

import math

from armillary.programs.gcode.errors import LineFault

__all__ = ["Pair", "arc_length", "centre_from_offsets", "centre_from_radius"]

_SPREAD_MM = 2 * 0.01 * math.sqrt(2)  # how far the radii at both ends may differ, as LinuxCNC has it
_SPREAD_INCH = 2 * 0.001 * math.sqrt(2) * 25.4
_RELATIVE = 0.001
_TINY = 1e-7

Pair = tuple[float, float]


def centre_from_offsets(start: Pair, end: Pair, centre: Pair, *, inches: bool, column: int | None) -> Pair:
    """The centre, where the arc fits it.

    Raises:
        LineFault: The radius is zero, or start and end are not equally far from the centre.
    """
    first, last = math.dist(start, centre), math.dist(end, centre)
    if first < _TINY or last < _TINY:
        raise LineFault("the arc has no radius", "expected a centre away from start and end", column)
    spread, limit = abs(first - last), _SPREAD_INCH if inches else _SPREAD_MM
    if spread > 100 * limit or (spread > limit and spread / max(first, last) > _RELATIVE):
        raise LineFault(
            f"the arc's radius is {first:.4f} mm at its start and {last:.4f} mm at its end",
            "correct the centre or the end",
            column,
        )
    return centre


def centre_from_radius(start: Pair, end: Pair, radius: float, *, clockwise: bool, inches: bool, column: int | None) -> Pair:
    """The centre of an arc of a radius; a negative one means the longer way round.

    Raises:
        LineFault: Start and end are the same, or too far apart.
    """
    half = math.dist(start, end) / 2
    if half == 0:
        raise LineFault("the arc ends where it starts, so its radius gives no centre", "expected I, J or K", column)
    size = abs(radius)
    if half - size > (0.00005 * 25.4 if inches else 0.00127):
        raise LineFault(f"the arc's radius {size:g} mm cannot reach its end, {2 * half:g} mm away", "expected a larger R", column)
    rise = 0.0 if half / size > 1 - 1e-9 else math.sqrt(size * size - half * half)
    side = -1.0 if clockwise == (radius > 0) else 1.0
    along = ((end[0] - start[0]) / (2 * half), (end[1] - start[1]) / (2 * half))
    return (start[0] + end[0]) / 2 - side * rise * along[1], (start[1] + end[1]) / 2 + side * rise * along[0]


def arc_length(start: Pair, end: Pair, centre: Pair, turns: int, rise: float) -> float:
    """Length of an arc or helix; rise: along the normal of its plane."""
    angle = math.atan2(end[1] - centre[1], end[0] - centre[0]) - math.atan2(start[1] - centre[1], start[0] - centre[0])
    if turns < 0:
        angle = -angle
    while angle <= _TINY:
        angle += 2 * math.pi
    return math.hypot((angle + 2 * math.pi * (abs(turns) - 1)) * math.dist(start, centre), rise)
