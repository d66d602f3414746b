"""The browser's side of the messages, made from ours: web/src/messages.ts. `make messages` writes it."""

import sys
import types
import typing
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Union

from armillary.interfaces.http.messages import FROM_BROWSER, TO_BROWSER
from armillary.interfaces.http.wire import Message, Record, fields_of
from armillary.whole_file import write_whole

__all__ = ["typescript"]

_HEAD = """// Made from src/armillary/interfaces/http/messages.py by `make messages`. Do not edit.

"""


def typescript() -> str:
    """The whole file."""
    kinds = _with_records([*TO_BROWSER, *FROM_BROWSER])
    parts = [_HEAD + "\n\n".join(_interface(kind) for kind in kinds)]
    parts.append(f"export type ToBrowser = {' | '.join(kind.__name__ for kind in TO_BROWSER)};")
    parts.append(f"export type FromBrowser = {' | '.join(kind.__name__ for kind in FROM_BROWSER)};")
    parts.append(
        "type Values = readonly unknown[];\n\n"
        "function list<T>(values: unknown, each: (value: unknown) => T): T[] {\n"
        "  return (values as Values).map(each);\n}\n\n"
        "const plain = <T>(value: unknown): T => value as T;"
    )
    parts += [_reader(kind) for kind in _with_records(TO_BROWSER)]
    cases = "\n".join(f'    case "{kind.key}":\n      return read{kind.__name__}(values.slice(1));' for kind in TO_BROWSER)
    parts.append(
        "/** What a text from the cell says; null for a message that this page does not know. */\n"
        "export function decode(text: string): ToBrowser | null {\n  const values = JSON.parse(text) as Values;\n"
        f"  switch (values[0]) {{\n{cases}\n    default:\n      return null;\n  }}\n}}"
    )
    cases = "\n".join(f'    case "{kind.key}":\n      return JSON.stringify([{_sent(kind)}]);' for kind in FROM_BROWSER)
    parts.append(
        "/** A message for the cell, as text. */\nexport function encode(message: FromBrowser): string {\n"
        f"  switch (message.key) {{\n{cases}\n  }}\n}}"
    )
    return "\n\n".join(parts) + "\n"


def _with_records(kinds: "typing.Iterable[type[Record]]") -> list[type[Record]]:
    """Kinds, each behind the records that its fields are made of."""
    found: list[type[Record]] = []
    for kind in kinds:
        for of in fields_of(kind).values():
            for part in (of, *typing.get_args(of)):
                if is_dataclass(part) and part not in found:
                    found.append(typing.cast(type[Record], part))
        found.append(kind)
    return found


def _interface(kind: type[Record]) -> str:
    about = " ".join((kind.__doc__ or "").split()) if not (kind.__doc__ or "").startswith(kind.__name__ + "(") else ""
    lines = [f"/** {about} */"] if about else []
    lines.append(f"export interface {kind.__name__} {{")
    if issubclass(kind, Message):
        lines.append(f'  readonly key: "{kind.key}";')
    lines += [f"  readonly {name}: {_type(of)};" for name, of in fields_of(kind).items()]
    return "\n".join([*lines, "}"])


def _type(of: Any) -> str:
    origin, args = typing.get_origin(of), typing.get_args(of)
    if origin in (Union, types.UnionType):
        return " | ".join("null" if each is type(None) else _type(each) for each in args)
    if origin is tuple:
        inner = _type(args[0])
        return f"readonly ({inner})[]" if "|" in inner else f"readonly {inner}[]"
    if is_dataclass(of):
        return str(typing.cast(type[Any], of).__name__)
    return {float: "number", int: "number", str: "string", bool: "boolean"}[of]


def _reader(kind: type[Record]) -> str:
    head = f'    key: "{kind.key}",\n' if issubclass(kind, Message) else ""
    body = "".join(f"    {name}: {_read(of, f'values[{k}]')},\n" for k, (name, of) in enumerate(fields_of(kind).items()))
    return f"function read{kind.__name__}(values: Values): {kind.__name__} {{\n  return {{\n{head}{body}  }};\n}}"


def _read(of: Any, value: str) -> str:
    origin, args = typing.get_origin(of), typing.get_args(of)
    if origin is tuple and is_dataclass(args[0]):
        return f"list({value}, (each) => read{typing.cast(type[Any], args[0]).__name__}(each as Values))"
    if is_dataclass(of):
        return f"read{typing.cast(type[Any], of).__name__}({value} as Values)"
    return f"plain<{_type(of)}>({value})"


def _sent(kind: type[Message]) -> str:
    return ", ".join([f'"{kind.key}"', *(f"message.{name}" for name in fields_of(kind))])


if __name__ == "__main__":
    write_whole(Path(sys.argv[1]), typescript())
