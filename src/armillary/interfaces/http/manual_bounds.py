"""What motions are held to in manual mode: what the cell says, and a tool that is slow."""

from dataclasses import replace

from armillary.interfaces.http.desk import MANUAL_SPEED
from armillary.motion import Bounds

__all__ = ["manual_bounds", "manual_speed"]


def manual_bounds(bounds: Bounds) -> Bounds:
    """A cell's own bounds with the tool's speed of manual mode [m/s]; a cell that wants it slower still has its way."""
    return replace(bounds, tool_speed=manual_speed(bounds))


def manual_speed(bounds: Bounds) -> float:
    """The tool's speed in manual mode, at most [m/s]."""
    return min(bounds.tool_speed or MANUAL_SPEED, MANUAL_SPEED)
