"""Text to tokens: the words, numbers and signs of one command, which may stand on several lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from armillary.programs.script.errors import Fault, Place

__all__ = ["CommandText", "Token", "command_texts", "tokenise"]

_TOKEN = re.compile(
    r"""(?P<blank>[^\S\n]+)
    |(?P<comment>\#.*)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d]\w*)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<brace>\{[^{}\n]*\})
    |(?P<sign><=|>=|==|!=|[-+*/%^()\[\];,=<>.])""",
    re.VERBOSE,
)
_GOES_ON = frozenset("0123456789;[({+-.")  # a line that begins so goes on with the command before it


class Token(NamedTuple):
    """A piece of a command.

    Attributes:
        kind: "number", "name", "text", "brace" or "sign"; "end" behind the last.
        at: Line and column, from 1.
        apart: Whether a blank or a new line stands before it.
    """

    kind: str
    text: str
    at: Place
    apart: bool


@dataclass(slots=True)
class CommandText:
    """The lines of one command, or one line without any.

    Attributes:
        line: Its first line, from 1.
        lines: Its lines with their numbers, those that only hold a comment among them.
        alone: It is a blank line or a comment.
    """

    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)
    alone: bool = False


def command_texts(lines: list[str], first: int = 0) -> Iterator[CommandText]:
    """The commands of a text from a line (counted from 0) on, each with the lines that go on with it."""
    pending: CommandText | None = None
    between: list[CommandText] = []
    for index in range(first, len(lines)):
        text = lines[index]
        start = text.lstrip()
        if not start or start[0] == "#":
            between.append(CommandText(index + 1, [(index + 1, text)], alone=True))
        elif start[0] in _GOES_ON and pending is not None:
            pending.lines += [entry for command in between for entry in command.lines]
            pending.lines.append((index + 1, text))
            between = []
        else:
            if pending is not None:
                yield pending
            yield from between
            between = []
            pending = CommandText(index + 1, [(index + 1, text)])
    if pending is not None:
        yield pending
    yield from between


def tokenise(command: CommandText) -> tuple[list[Token], list[str], str]:
    """The tokens of a command, with an "end" behind them; the comments inside it; and the one behind it.

    Raises:
        Fault: A character that begins nothing, or a text or frame that is not closed.
    """
    tokens: list[Token] = []
    comments: list[str] = []
    trailing = ""
    for number, text in command.lines:
        comment = _tokenise_line(number, text, tokens)
        if number == command.lines[-1][0]:
            trailing = comment
        elif comment:
            comments.append(comment)
    number, text = command.lines[-1]
    tokens.append(Token("end", "", (number, len(text.rstrip()) + 1), True))
    return tokens, comments, trailing


def _tokenise_line(number: int, text: str, tokens: list[Token]) -> str:
    position, apart = 0, True
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _unexpected(number, text, position)
        kind = found.lastgroup or ""
        if kind == "comment":
            return found[0].rstrip()
        if kind == "blank":
            apart = True
        else:
            tokens.append(Token(kind, found[0], (number, position + 1), apart))
            apart = False
        position = found.end()
    return ""


def _unexpected(number: int, text: str, position: int) -> Fault:
    at, character = (number, position + 1), text[position]
    if character == '"':
        return Fault("the text is not closed", 'write " at its end', at)
    if character == "{":
        return Fault("the frame is not closed", "write } behind its name", at)
    return Fault(f"{character!r} means nothing here", "remove it, or write # before a comment", at)
