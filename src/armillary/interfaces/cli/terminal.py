"""Text for people: tables, colours where the terminal takes them, a progress line that cleans up after itself."""

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

__all__ = ["bold", "colour", "print_json", "progress", "progress_done", "table", "waiting"]

_said = float("-inf")  # when a pipe was last told what is being waited for
_CODES = {"red": "31", "yellow": "33", "blue": "34", "green": "32", "dim": "2", "bold": "1"}


def _coloured() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def colour(text: str, name: str) -> str:
    return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if _coloured() else text


def bold(text: str) -> str:
    return colour(text, "bold")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Aligned columns; those numbered in `right` are aligned to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        return "  ".join(cells).rstrip()

    return "\n".join([bold(line(head)), *(line(row) for row in rows)])


def print_json(value: Any) -> None:
    """One JSON object on one line; NaN and infinities, which JSON does not have, as null."""
    print(json.dumps(_plain(value), ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def progress(text: str) -> None:
    """A line that the next one replaces; only where somebody is watching."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def waiting(text: str) -> None:
    """What is being waited for, as `progress`; into a pipe too, a line every ten seconds at most."""
    global _said
    if sys.stderr is None or sys.stderr.isatty():
        progress(text)
    elif time.monotonic() - _said > 10.0:
        _said = time.monotonic()
        print(text, file=sys.stderr, flush=True)


def progress_done() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
