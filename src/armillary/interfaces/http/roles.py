"""What people may do: each role may do what those below it may."""

from enum import IntEnum

__all__ = ["Role", "role_named"]


class Role(IntEnum):
    """NOBODY is who has not logged in: even he may stop the robot."""

    NOBODY = 0
    VIEWER = 1  # sees everything
    OPERATOR = 2  # moves the robot, runs programs
    PROGRAMMER = 3  # writes programs, teaches points, calibrates
    ADMINISTRATOR = 4  # users, workspace limits, back-up and restore


def role_named(name: str) -> Role | None:
    """A role by its name in small letters, that a person can have; None for another word."""
    found = Role.__members__.get(name.upper())
    return found if found is not Role.NOBODY else None
