"""What a script can name: its own variables and points, and the frames, tools and taught points around it."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from armillary.programs.commands import SourceLine, Three
from armillary.programs.script.errors import Fault, Place, nearest
from armillary.programs.script.jumps import walk
from armillary.programs.script.memory import BASE
from armillary.programs.script.statements import Assignment, For, PointDeclaration, Statement
from armillary.programs.surroundings import Surroundings

__all__ = ["Scope"]

Array = NDArray[np.float64]
_TOOL_FRAME = "TCP"


class Scope:
    """The names of a script.

    Attributes:
        variables: All that are set anywhere in it.
        points: All that are declared anywhere in it, and those that were taught.
        parameters: Of the subroutine that is being compiled.
        slides: Which joints take lengths; empty where no robot is known.
        placed: Where points are in frames, by pose and frame, as far as that was asked for.
    """

    def __init__(self, file: str, surroundings: Surroundings) -> None:
        self.file, self.surroundings = file, surroundings
        self.variables: set[str] = set()
        self.points: set[str] = set(surroundings.points)
        self.parameters: frozenset[str] = frozenset()
        self.placed: dict[tuple[Three, Three, str], tuple[Three, Three]] = {}
        known = len(surroundings.slides) == len(surroundings.joints)
        self.slides = tuple(surroundings.slides) if known else (False,) * len(surroundings.joints)

    def declare(self, statements: Iterable[Statement]) -> None:
        """All names that statements set, also those in blocks."""
        for statement in walk(tuple(statements)):
            if isinstance(statement, Assignment | For):
                self.variables.add(statement.name)
            elif isinstance(statement, PointDeclaration):
                self.points.add(statement.name)

    def source(self, at: Place) -> SourceLine:
        return SourceLine(self.file, at[0])

    def new_variable(self, name: str, at: Place) -> None:
        """That a name can be a variable's."""
        if name in self.points:
            raise Fault(f"{name} is a point", "expected another name for the variable", at)

    def tip(self, name: str, at: Place) -> str:
        """The frame that is moved; "" for the cell's tool."""
        if name == "" or name.upper() == _TOOL_FRAME:
            return ""
        if name not in self.surroundings.tools:
            hint = nearest(name, [*self.surroundings.tools, _TOOL_FRAME])
            raise Fault(f"there is no tool {name}", f"{hint}; tools are frames fixed to the end of the arm", at)
        return name

    def base(self, name: str, at: Place, *, or_tool: bool = False) -> str:
        """The name of a frame that poses are given in; BASE for what the arm stands on, "TCP" for the tool's own axes."""
        upper = name.upper()
        if upper in ("", BASE, "BASE"):
            return BASE
        if upper == _TOOL_FRAME:
            if or_tool:
                return _TOOL_FRAME
            raise Fault("poses cannot be given in the tool's own frame", "expected DMOVE to go by so much in it, or {B}", at)
        if name not in self.surroundings.frames:
            hint = nearest(name, [*self.surroundings.frames, BASE])
            raise Fault(f"there is no frame {name}", f"{hint}; frames are those of the cell", at)
        return name

    def transform(self, name: str) -> Array | None:
        """T_base_frame (4, 4) of a frame that is known; None for what the arm stands on."""
        return None if name == BASE else self.surroundings.frames[name]

    def unknown_point(self, name: str, at: Place) -> Fault:
        hint = nearest(name, self.points)
        return Fault(f"there is no point {name}", hint or "teach it, or declare it with POINT or JOINTS", at)

    def unknown_variable(self, name: str, at: Place) -> Fault:
        hint = nearest(name, self.variables | self.parameters)
        advice = f"set it first: {name} = 1" + (f"; {hint}" if hint else "")
        return Fault(f"nothing is called {name}", advice, at)
