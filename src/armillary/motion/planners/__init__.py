"""Ways around obstacles, found by name."""

from armillary.motion.planners.free_path import FreePath, Looks, Planner, find_free_path, known_planners

__all__ = ["FreePath", "Looks", "Planner", "find_free_path", "known_planners"]
