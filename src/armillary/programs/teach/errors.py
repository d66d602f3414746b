"""What can go wrong with what was taught."""

from pathlib import Path

from armillary.description.robot import nearest_first
from armillary.errors import ArmillaryError

__all__ = ["BadName", "BadStore", "NameTaken", "NoPlayback", "NoSuchName", "TeachError"]


class TeachError(ArmillaryError):
    """Something that was taught, or is to be, cannot be taken."""


class BadName(TeachError):
    """A name that nothing can have."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        super().__init__(f"{name!r} is no name: {why}; use letters, digits and _, for example pick_1")


class NameTaken(TeachError):
    """A name that something else has already."""

    def __init__(self, name: str, what: str) -> None:
        self.name = name
        super().__init__(f"there is a {what} {name!r} already; give another name, or touch up, rename or delete that one")


class NoSuchName(TeachError):
    """A name that nothing has; the message proposes the nearest."""

    def __init__(self, name: str, known: list[str], what: str) -> None:
        self.name = name
        near = nearest_first(name, known)[:5]
        there = f"the nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else "there is none yet: teach one"
        super().__init__(f"there is no {what} {name!r}; {there}")


class BadStore(TeachError):
    """A store that cannot be used. It is left as it is."""

    def __init__(self, path: Path, what: str, remedy: str) -> None:
        self.path = path
        super().__init__(f"{path}: {what}; nothing was changed: {remedy}")


class NoPlayback(TeachError):
    """A recorded path that this robot may not move along, and where and why."""

    answer_is_no = True
