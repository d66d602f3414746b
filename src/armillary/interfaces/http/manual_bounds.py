"""What motions are held to in manual mode: what the cell says, and a tool that is slow."""

from dataclasses import replace

from armillary.motion import Bounds

__all__ = ["MANUAL_SPEED", "manual_bounds", "manual_speed"]

MANUAL_SPEED = 0.25  # m/s of the tool at most in manual mode (ISO 10218-1, 5.7.3: reduced speed)


def manual_bounds(bounds: Bounds) -> Bounds:
    """A cell's own bounds with the tool's speed of manual mode [m/s]; a cell that wants it slower still has its way."""
    return replace(bounds, tool_speed=manual_speed(bounds))


def manual_speed(bounds: Bounds) -> float:
    """The tool's speed in manual mode, at most [m/s]."""
    return min(bounds.tool_speed or MANUAL_SPEED, MANUAL_SPEED)
