"""The physics twin: the same robot, in MuJoCo, in a process of its own."""

from armillary.twin.physics import Physics
from armillary.twin.settings import BadTwin, TwinSettings

__all__ = ["BadTwin", "Physics", "TwinSettings"]
