"""Ways around obstacles, found by name."""

from armillary.motion.planners.sampling import PLANNERS, FreePath, find_free_path

__all__ = ["PLANNERS", "FreePath", "find_free_path"]
