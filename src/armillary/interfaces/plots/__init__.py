"""Pictures: results that people would rather look at."""

from armillary.interfaces.plots.robot_picture import draw_robot

__all__ = ["draw_robot"]
