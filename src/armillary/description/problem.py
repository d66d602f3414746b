"""A problem found in a description, its repair, and the list in which they are gathered."""

from dataclasses import dataclass, field

from armillary.description.document import Element
from armillary.description.kinds import KINDS, Kind, Severity

__all__ = ["Edit", "Problem", "Problems", "Repair"]

MAX_PROBLEMS = 2000  # a report longer than this helps nobody, and a hostile file could fill the memory


@dataclass(frozen=True)
class Edit:
    """One change to the XML: an attribute set or (value None) removed, a child added or removed."""

    element: Element
    attribute: str = ""
    value: str | None = None
    add: Element | None = None
    remove: Element | None = None

    def apply(self) -> None:
        if self.add is not None:
            self.element.append(self.add)
        elif self.remove is not None:
            self.element.remove(self.remove)
        elif self.value is None:
            self.element.attributes.pop(self.attribute, None)
        else:
            self.element.attributes[self.attribute] = self.value


@dataclass(frozen=True)
class Repair:
    """How a problem is mended.

    Attributes:
        what: What is changed, with the values before and after.
        edits: The changes to the XML that `armillary check --fix` makes.
        applied: The repair is unambiguous, and the robot is already read with it.
    """

    what: str
    edits: tuple[Edit, ...] = ()
    applied: bool = False


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a description: what, where, what it means for control, what to do."""

    kind: Kind
    file: str
    line: int | None
    where: str
    what: str
    repair: Repair | None = None

    @property
    def is_error(self) -> bool:
        return self.kind.severity is Severity.ERROR

    @property
    def place(self) -> str:
        """File and line, as editors and terminals understand them."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        subject = f"{self.where}: " if self.where else ""
        return f"{self.place}: {self.kind.severity.value}: {subject}{self.what} [{self.kind.name}]"


@dataclass
class Problems:
    """The problems found while one description is read."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def add(
        self, kind: str, where: str, what: str, *, at: Element | None = None, line: int | None = None,
        repair: Repair | None = None,
    ) -> None:  # fmt: skip
        """Note a problem of a kind named in `kinds.KINDS` at an element or a line of the file."""
        if len(self.found) >= MAX_PROBLEMS:
            if len(self.found) == MAX_PROBLEMS:
                self.found.append(Problem(KINDS["too-many-problems"], self.file, None, "", f"more than {MAX_PROBLEMS} problems"))
            return
        if at is not None:
            self.found.append(Problem(KINDS[kind], at.file, at.line, where, what, repair))
        else:
            self.found.append(Problem(KINDS[kind], self.file, line, where, what, repair))

    @property
    def any_error(self) -> bool:
        return any(problem.is_error for problem in self.found)

    def sorted(self) -> tuple[Problem, ...]:
        """Gravest first, then by line."""
        return tuple(sorted(self.found, key=lambda p: (p.kind.severity.rank, p.file, p.line or 0)))
