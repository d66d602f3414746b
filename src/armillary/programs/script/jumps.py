"""Labels, jumps and subroutines: that each jump leads somewhere, known from the text alone."""

from collections.abc import Iterator

from armillary.programs.script.errors import Fault, nearest
from armillary.programs.script.statements import For, Goto, If, Label, Statement, Sub, SubCall, While

__all__ = ["bodies_of", "jump_faults", "walk"]

Path = tuple[int, ...]  # the blocks around a statement, by the lines that they begin in


def bodies_of(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The bodies inside a statement; none where it is no block."""
    if isinstance(statement, If):
        return tuple(branch.body for branch in statement.branches)
    return (statement.body,) if isinstance(statement, For | While | Sub) else ()


def walk(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, also those in blocks, in order."""
    for statement in statements:
        yield statement
        for body in bodies_of(statement):
            yield from walk(body)


def jump_faults(statements: tuple[Statement, ...]) -> Iterator[Fault]:
    """What is wrong with the labels, jumps and calls of a script."""
    subs: dict[str, Sub] = {}
    for statement in statements:
        if isinstance(statement, Sub):
            if statement.name in subs:
                line = subs[statement.name].at[0]
                yield Fault(f"a second SUB {statement.name}", f"expected another name; the first is in line {line}", statement.at)
            subs.setdefault(statement.name, statement)
    outside = tuple(statement for statement in statements if not isinstance(statement, Sub))
    routines = {"": outside} | {sub.name: sub.body for sub in subs.values()}
    for name, body in routines.items():
        elsewhere = {
            label.name: other
            for other, inner in routines.items()
            if other != name
            for label in walk(inner)
            if isinstance(label, Label)
        }
        yield from _routine_faults(body, elsewhere)
    for statement in walk(statements):
        if isinstance(statement, SubCall):
            yield from _call_faults(statement, subs)


def _call_faults(call: SubCall, subs: dict[str, Sub]) -> Iterator[Fault]:
    sub = subs.get(call.name)
    if sub is None:
        hint = nearest(call.name, subs)
        yield Fault(f"there is no SUB {call.name}", hint or f"write SUB {call.name} ... END", call.at)
    elif len(call.arguments) != len(sub.parameters):
        wanted = f"({', '.join(sub.parameters)})"
        yield Fault(
            f"{call.name} is called with {len(call.arguments)} arguments", f"expected {len(sub.parameters)}: {wanted}", call.at
        )


def _routine_faults(body: tuple[Statement, ...], elsewhere: dict[str, str]) -> Iterator[Fault]:
    placed = list(_placed(body, ()))
    labels: dict[str, tuple[Label, Path]] = {}
    for statement, path in placed:
        if isinstance(statement, Label):
            if statement.name in labels:
                line = labels[statement.name][0].at[0]
                yield Fault(
                    f"a second LABEL {statement.name}", f"expected another name; the first is in line {line}", statement.at
                )
            labels.setdefault(statement.name, (statement, path))
    for statement, path in placed:
        if not isinstance(statement, Goto):
            continue
        if statement.name not in labels:
            if statement.name in elsewhere:
                where = f"SUB {elsewhere[statement.name]}" if elsewhere[statement.name] else "the program outside of subroutines"
                said = f"a jump into or out of a subroutine has nowhere to return to; the label is in {where}: use CALL or RETURN"
            else:
                said = nearest(statement.name, labels) or f"write LABEL {statement.name}"
            yield Fault(f"there is no LABEL {statement.name} here", said, statement.at)
            continue
        label, target = labels[statement.name]
        if path[: len(target)] != target:
            yield Fault(
                f"LABEL {statement.name} (line {label.at[0]}) is inside a block that this jump would enter",
                "a block entered so has no counter and no condition; jump only within the same block or out of it",
                statement.at,
            )


def _placed(body: tuple[Statement, ...], path: Path) -> Iterator[tuple[Statement, Path]]:
    for statement in body:
        yield statement, path
        for number, inner in enumerate(bodies_of(statement)):
            yield from _placed(inner, (*path, id(statement), number))
