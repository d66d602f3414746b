"""Commands as plain values, and back: for a wire, or a file."""

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from armillary.programs import commands
from armillary.programs.commands import Command, SourceLine
from armillary.programs.errors import BadProgram

__all__ = ["command_from_values", "values_of"]

_KINDS: dict[str, type[Command]] = {
    name: kind
    for name in commands.__all__
    if isinstance(kind := getattr(commands, name), type) and issubclass(kind, Command) and name not in ("Command", "Move")
}


def values_of(command: Command) -> dict[str, Any]:
    """A command's name and what is not as usual of it, as JSON can say it."""
    found: dict[str, Any] = {"command": type(command).__name__}
    if command.source != SourceLine():
        found["source"] = [command.source.file, command.source.line]
    for name, (_, default, needed) in _FIELDS[type(command)].items():
        value = getattr(command, name)
        if needed or value != default:
            found[name] = value
    return found


def command_from_values(values: Mapping[str, Any]) -> Command:
    """The command that `values_of` has made plain; what comes from elsewhere is held to the same form.

    Raises:
        BadProgram: There is no such command, something is missing, or a value is not of its kind; says which.
    """
    kind = _KINDS.get(str(values.get("command")))
    if kind is None:
        raise BadProgram(f"there is no command '{values.get('command')}'; there are: {', '.join(_KINDS)}")
    known, found = _FIELDS[kind], dict[str, Any]()
    for name, value in values.items():
        if name == "source":
            found[name] = _source(value)
        elif name in known:
            found[name] = _taken(value, known[name][0], f"{kind.__name__}'s {name}")
        elif name != "command":
            raise BadProgram(f"{kind.__name__} has no '{name}'; it has: {', '.join(known)}")
    missing = [name for name, (_, _, needed) in known.items() if needed and name not in found]
    if missing:
        raise BadProgram(f"{kind.__name__} needs {', '.join(missing)}")
    return kind(**found)


def _fields(kind: type[Command]) -> dict[str, tuple[Any, Any, bool]]:
    """Of each field its type, its usual value, and whether it must be given."""
    hints = typing.get_type_hints(kind)
    return {
        each.name: (hints[each.name], each.default, each.default is MISSING) for each in fields(kind) if each.name != "source"
    }


_FIELDS = {kind: _fields(kind) for kind in _KINDS.values()}


def _source(value: Any) -> SourceLine:
    if not (isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str) and type(value[1]) is int):
        raise BadProgram(f"the source {value!r} is none; give a file's name and a line")
    return SourceLine(value[0], value[1])


def _taken(value: Any, hint: Any, what: str) -> Any:
    """A value, held to its type; numbers must be finite."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inner:
            return None
        for each in inner:
            if each is bool and isinstance(value, bool):
                return value
        (hint,) = [each for each in inner if each not in (bool, type(None))]
        return _taken(value, hint, what)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise BadProgram(f"{what} is {value!r}; give a list")
        if inner[-1] is Ellipsis:
            return tuple(_taken(each, inner[0], what) for each in value)
        if len(value) != len(inner):
            raise BadProgram(f"{what} has {len(value)} values; give {len(inner)}")
        return tuple(_taken(each, kind, what) for each, kind in zip(value, inner, strict=True))
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadProgram(f"{what} is {value!r}; give a finite number")
        return float(value)
    if type(value) is not hint:
        raise BadProgram(f"{what} is {value!r}; give a value of type {hint.__name__}")
    return value
