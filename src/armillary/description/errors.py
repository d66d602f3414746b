"""What can go wrong while a robot or a cell is read, as a user meets it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armillary.errors import ArmillaryError

if TYPE_CHECKING:
    from armillary.description.problem import Problem

__all__ = [
    "DescriptionError",
    "ExtraMissing",
    "InvalidCell",
    "InvalidRobot",
    "UnknownName",
    "UnknownRobot",
    "UnreadableFile",
    "UntrustedXacro",
    "XacroFailed",
]


class DescriptionError(ArmillaryError):
    """A description could not be read."""


class UnreadableFile(DescriptionError):
    """The file itself cannot be had."""

    def __init__(self, path: Path | str, what: str, remedy: str) -> None:
        self.path = path
        super().__init__(f"{path} {what}; {remedy}")


class InvalidRobot(DescriptionError):
    """A description was read and describes no usable robot; `problems` says why, line by line."""

    answer_is_no = True

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file, self.problems = file, problems
        errors = [p for p in problems if p.is_error]
        shown = "\n".join(f"  {problem}" for problem in errors[:5])
        more = f"\n  and {len(errors) - 5} more" if len(errors) > 5 else ""
        count = f"{len(errors)} problem{'s' if len(errors) != 1 else ''}"
        super().__init__(
            f"{file} does not describe a usable robot ({count}):\n{shown}{more}\n"
            f"run: armillary check {file}   for every problem and its repair"
        )


class UntrustedXacro(DescriptionError):
    """xacro evaluates expressions, so it is read from local files only, never from text or the network."""

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{source} is xacro, which evaluates expressions and is read from local files only; "
            "expand it where it is trusted (armillary export FILE.xacro --out FILE.urdf) and give the URDF"
        )


class XacroFailed(DescriptionError):
    """A xacro file could not be expanded."""

    answer_is_no = True

    def __init__(self, file: str, what: str, remedy: str, line: int | None = None) -> None:
        self.file, self.what, self.remedy, self.line = file, what, remedy, line
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {what}; {remedy}")


class UnknownName(DescriptionError):
    """A link, joint, group or frame that the robot does not have."""

    def __init__(self, kind: str, name: str, owner: str, known: list[str]) -> None:
        self.kind, self.name, self.known = kind, name, known
        listed = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
        super().__init__(f"{owner} has no {kind} '{name}'; nearest first, it has: {listed or 'none'}")


class UnknownRobot(DescriptionError):
    """Neither a file nor a robot known by name."""

    def __init__(self, name: str, known: list[str], hint: str = "") -> None:
        self.name, self.known = name, known
        super().__init__(
            f"'{name}' is neither a file nor the name of a robot; "
            f"known robots, nearest first: {', '.join(known[:8])}{hint}; armillary robots lists them all"
        )


class ExtraMissing(DescriptionError):
    """Something that an optional part of the installation brings."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs the extra '{extra}'; run: pip install 'armillary[{extra}]'")


class InvalidCell(DescriptionError):
    """cell.toml has something that cannot be taken; `line` is where, when it is known."""

    answer_is_no = True

    def __init__(self, file: str, line: int | None, what: str, remedy: str) -> None:
        self.file, self.line, self.what, self.remedy = file, line, what, remedy
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {what}; {remedy}")
