"""`armillary`: parse, call, format. Exit status 0 yes, 1 the answer is no, 2 it cannot be asked."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from armillary import __version__
from armillary.errors import ArmillaryError
from armillary.interfaces.cli import (
    calibrate,
    cert,
    check,
    collide,
    compare,
    completion,
    convert,
    emulate,
    export,
    fk,
    fmt,
    ik,
    imitate,
    interpret,
    jacobian,
    linuxcnc,
    new,
    papers,
    plan,
    plot,
    points,
    replay,
    robots,
    ros1,
    ros2,
    run,
    show,
    status,
    torque,
    users,
    workspace,
)
from armillary.interfaces.cli.getting_ready import say_when_compiling
from armillary.interfaces.cli.terminal import print_json

__all__ = ["main", "parser"]

_EXAMPLES = """\
examples:
  armillary robots                          the robots that can be named
  armillary show cobot6 --plot              joints, ranges, mass and tree, and a picture
  armillary check my_robot.urdf             every problem: line, meaning for control, repair
  armillary check my_robot.urdf --fix fixed.urdf
  armillary new my_robot.urdf               a cell for it: groups, tool frame, limits
  armillary export arm.urdf.xacro --arg side:=left --out arm.urdf
  armillary fk cobot6 --q "0 0.5 -1 0 1.57 0"
  armillary ik cobot6 --pose "100 -450 -280 10 75 -75" --mm --deg --all
  armillary plan cobot6 --to zero --plot move.png
  armillary run cobot6                      move it: in its physics twin
  armillary imitate walk.bvh --robot inmoov  a person's motion, made the robot's
  armillary plot --out run.html             what was recorded last
  armillary compare a.mcap b.mcap
  armillary torque cobot6                   what each joint must give to hold still
  armillary collide cobot6 --at joint_3=3   does it hit itself, and how much room is left

exit status: 0 yes, 1 the answer is no (an invalid robot, a collision,
an unreachable pose), 2 it cannot be asked (no such file).
A query takes --json. Errors are one message; --debug adds the traceback.
"""
_COMMANDS = (
    robots, show, check, new, export, fk, ik, jacobian, torque, collide, workspace, plan, interpret, run, imitate, status,
    plot, compare, convert, replay, points, calibrate, fmt, users, cert, emulate, linuxcnc, ros1, ros2, papers, completion,
)  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line, also for completion and the docs."""
    top = argparse.ArgumentParser(
        prog="armillary",
        description="Any robot's description in, a working robot cell out.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"armillary {__version__}")
    top.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for module in _COMMANDS:
        module.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # --debug is welcome anywhere on the line, as people add it at the end of what failed.
    debug = "--debug" in arguments or bool(os.environ.get("ARMILLARY_DEBUG"))
    top = parser()
    options = top.parse_args([argument for argument in arguments if argument != "--debug"])
    if options.command is None:
        top.print_help()
        return 2
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter shows a question mark, not an error
            stream.reconfigure(errors="replace")
    say_when_compiling()
    try:
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except ArmillaryError as error:
        if debug:
            raise
        print(f"armillary: {error}", file=sys.stderr)
        if getattr(options, "json", False):
            print_json({"error": str(error), "kind": type(error).__name__, "answer_is_no": error.answer_is_no})
        return 1 if error.answer_is_no else 2
    except BrokenPipeError:
        # The reader (head, less) has gone; what it wanted it has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("armillary: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        if debug:
            raise
        print(f"armillary: {error.strerror or error}: {error.filename or 'the system'}; "
              "check the disk and the permissions", file=sys.stderr)  # fmt: skip
        return 2
    except MemoryError:
        print("armillary: out of memory; give it a smaller file", file=sys.stderr)
        return 2
    except Exception as error:
        if debug:
            raise
        print(f"armillary: a fault of ours: {type(error).__name__}: {error}; "
              "run it again with --debug and report what it prints", file=sys.stderr)  # fmt: skip
        return 2


if __name__ == "__main__":
    sys.exit(main())
