"""`armillary fmt`: robot commands in their one canonical form.

One command a line, blocks set in by two blanks, words of the language in capitals, comments kept. A file is written whole or
not at all, and only where something changes. A file that cannot be read as robot commands is left as it is.
"""

import argparse
import difflib
import sys
from pathlib import Path
from typing import Any

from armillary.errors import ArmillaryError
from armillary.regular_file import read_regular
from armillary.whole_file import write_whole

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary fmt pick.arm place.arm      rewrite these
  armillary fmt --check *.arm           only say which would change; exit status 1 where one would
  armillary fmt --diff pick.arm         show what would change
  armillary fmt - < pick.arm            to standard output

exit status: 0 all in form, 1 something would change (--check), 2 a file cannot be read or written.
"""


class _Unreadable(ArmillaryError):
    """A file that is no text."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "fmt", help="robot commands in canonical form", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("files", metavar="FILE", nargs="+", help="files of robot commands; - for standard input")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 where something would change")
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    status = 0
    for name in options.files:
        try:
            changed = _format(name, options)
        except ArmillaryError as error:  # the other files are looked at all the same
            print(f"armillary: {error}", file=sys.stderr)
            status = 2
        except OSError as error:
            print(f"armillary: {name}: {error.strerror or error}; check the name and the permissions", file=sys.stderr)
            status = 2
        else:
            status = max(status, int(changed and options.check))
    return status


def _format(name: str, options: argparse.Namespace) -> bool:
    """Format one file; whether something changed or would."""
    from armillary.programs.languages import languages
    from armillary.programs.script import format_script, parse

    for language in languages():
        if Path(name).suffix.lower() in language.suffixes and language.name != "robot commands":
            raise _Unreadable(
                f"{name}: this is a {language.name}, by its ending; only robot commands (.arm) have a form of their own"
            )
    data = sys.stdin.buffer.read() if name == "-" else read_regular(Path(name))
    shown = "<stdin>" if name == "-" else name
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _Unreadable(f"{shown}:{line}: this is no UTF-8 text; save the file as UTF-8") from None
    formatted = format_script(parse(text, shown))
    changed = formatted != text
    if options.diff:
        _show_difference(text, formatted, shown)
    if options.check:
        if changed and not options.diff:
            print(f"would change {shown}")
    elif name == "-" and not options.diff:
        sys.stdout.write(formatted)
    elif changed and not options.diff:
        write_whole(Path(name), formatted)
        print(f"changed {shown}")
    return changed


def _show_difference(before: str, after: str, name: str) -> None:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, f"{name} (as it is)", f"{name} (canonical)"):
        sys.stdout.write(line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n")
