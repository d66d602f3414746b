"""What can be wrong with a question put to a model."""

from armillary.errors import ArmillaryError

__all__ = [
    "BadConfiguration",
    "CollisionError",
    "ModelError",
    "SingularActuation",
    "UnknownFrame",
    "UnknownJoint",
    "UnknownObstacle",
]


class ModelError(ArmillaryError):
    """A model cannot be built, or cannot answer this."""


class BadConfiguration(ModelError):
    """Joint values of the wrong number, or not finite."""


class UnknownFrame(ModelError):
    """A frame that the model does not have."""

    def __init__(self, name: str, known: list[str]) -> None:
        self.name, self.known = name, known
        more = f" and {len(known) - 12} more" if len(known) > 12 else ""
        super().__init__(f"there is no frame '{name}'; nearest first, there are: {', '.join(known[:12])}{more}")


class UnknownJoint(ModelError):
    """A joint that the model does not command."""

    def __init__(self, name: str, known: list[str]) -> None:
        self.name, self.known = name, known
        super().__init__(f"the model commands no joint '{name}'; nearest first, it commands: {', '.join(known[:12])}")


class SingularActuation(ModelError):
    """Joint positions do not follow from motor positions."""

    def __init__(self, condition: float, limit: float) -> None:
        self.condition = condition
        super().__init__(
            f"the coupling matrix Ja has condition number {condition:.3g}, above {limit:g}: joint positions cannot be "
            "told from motor positions; mend 'coupling' in [actuation] (a row of zeros? two equal rows?)"
        )


class CollisionError(ModelError):
    """A shape that cannot be used for collision."""


class UnknownObstacle(ModelError):
    """An obstacle that the world does not have."""

    def __init__(self, name: str, known: list[str]) -> None:
        self.name, self.known = name, known
        super().__init__(f"there is no obstacle '{name}'; there are: {', '.join(known) or 'none'}")
