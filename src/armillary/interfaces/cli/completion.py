"""`armillary completion`: the shell's script that completes commands, options and files.

eval "$(armillary completion bash)"            in ~/.bashrc
armillary completion zsh > ~/.zfunc/_armillary
"""

import argparse
from typing import Any

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "completion", help="the shell's completion script", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    import shtab

    from armillary.interfaces.cli.main import parser

    top = parser()
    _complete_files(top)
    print(shtab.complete(top, shell=options.shell))
    return 0


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Mark every argument that takes a file or a folder, so that the shell offers them."""
    import shtab

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _complete_files(inner)
        elif action.dest in ("source", "srdf", "fix", "plot") or (action.dest == "out" and action.metavar == "FILE"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in ("out",):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
