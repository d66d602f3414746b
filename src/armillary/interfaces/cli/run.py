"""`armillary run`: a cell that runs: executor, planner, recorder and the physics twin, or another motor side."""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json, add_source
from armillary.interfaces.cli.fault_advice import advice_for
from armillary.interfaces.cli.program_check import is_empty
from armillary.interfaces.cli.program_drive import check_text
from armillary.interfaces.cli.run_arguments import check_run
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table, waiting
from armillary.interfaces.cli.users import ask_first_password

if TYPE_CHECKING:
    from armillary.cell import Cell
    from armillary.runtime.run_summary import RunSummary

__all__ = ["add_parser", "run"]

_NOT_RATED = "The pendant is not a rated safety device: keep a real emergency stop within reach."
_SIMULATED = 0.5  # s of lateness that a simulated motor side bears
_MOST_SAID = 8  # assumptions that are listed
_EXAMPLES = """\
examples:
  armillary run cobot6                                     in its physics twin, with its pendant in the browser, until Ctrl-C
  armillary run cobot6 --program part.ngc --exit           run a program, say what became of it, end
  armillary run cobot6 --program pick.arm --step           one move at a time: Enter goes on
  armillary run cobot6 --type gcode                        type lines, each is run at once
  armillary run cell.toml --driver ideal --low-power
  armillary run cobot6 --program moves.toml --exit --lock-step --json

Ctrl-C stops on the path, powers off and ends; a second Ctrl-C powers off at once.
Exit status 1: a fault, or a program that could not be run; 130: a program that was broken off by Ctrl-C.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "run", help="run a cell: its physics twin, or its motors", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument("--as-shipped", action="store_true", help="without the own cell that was made of ROBOT on its pendant")
    parser.add_argument("--group", metavar="NAME", default="", help="only the joints of this group of the cell")
    parser.add_argument("--driver", metavar="NAME", default="", help="the motor side: physics (default), ideal, or the cell's")
    parser.add_argument("--headless", action="store_true", help="without the pendant")
    parser.add_argument(
        "--program", metavar="FILE", type=Path, help="run this: G-code (.ngc), robot commands (.arm), Python (.py), moves (.toml)"
    )
    parser.add_argument("--start-line", type=int, default=0, metavar="LINE", help="begin the program at this line")
    parser.add_argument("--step", action="store_true", help="one move of the program at a time: Enter goes on, 'go' runs on")
    parser.add_argument("--check-all", action="store_true", help="go through the whole program before the first move")
    parser.add_argument("--optional-pauses", action="store_true", help="pause where the program leaves that to you (M1)")
    parser.add_argument("--type", metavar="LANGUAGE", default="", help="type lines of this language (gcode, script), run at once")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="what the pendant listens to; this machine alone")
    parser.add_argument("--port", type=int, metavar="N", help="the pendant's port; 8642, or any that is free")
    parser.add_argument(
        "--rosbridge",
        type=int,
        nargs="?",
        const=9090,
        metavar="PORT",
        help="speak ROS to roslibpy, roslibjs, ROS# (9090)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--exit", action="store_true", help="end when the program has")
    parser.add_argument("--lock-step", action="store_true", help="as fast as it goes, and the same every time; no real motors")
    parser.add_argument("--low-power", action="store_true", help="sleep between ticks: less punctual, less power")
    parser.add_argument("--override", type=float, default=1.0, metavar="RATE", help="share of the speed (1)")
    parser.add_argument("--no-recording", action="store_true", help="record nothing; there is no summary then")
    parser.add_argument("--recordings", metavar="DIR", default="", help="where recordings go")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.cell import Cell
    from armillary.description.kept_cell import with_kept_cell

    shows = not (options.headless or options.exit or options.lock_step)
    check_run(options, shows=shows)
    if not options.as_shipped:
        options.source = with_kept_cell(options.source)
    if options.program is not None:
        check_text(options.program, options.source)
        if is_empty(options.program):
            print(colour(f"armillary: {options.program}: the file is empty: nothing to run", "yellow"), file=sys.stderr)
    if shows or options.rosbridge is not None:
        ask_first_password(options.source, options.host)
    progress(f"starting {options.source}")
    simulated, bridged = _is_simulated(options), options.rosbridge is not None
    where = {"host": options.host} | ({} if options.port is None else {"port": options.port})
    cell = Cell.open(
        options.source, group=options.group, driver=options.driver, low_power=options.low_power, record=not options.no_recording,
        recordings=options.recordings, pace="lock_step" if options.lock_step else "real", progress=waiting,
        pendant=where if shows else None, patience=_SIMULATED if (shows or bridged) and simulated else 0.0,
        rosbridge={"host": options.host, "port": options.rosbridge} if bridged else None,
    )  # fmt: skip
    progress_done()
    failed, summary, file, unrecorded = "", None, "", ""
    try:
        if options.override != 1.0:
            cell.override(options.override)
        if not options.json:
            _greet(cell)
        if shows:
            _open_pendant(cell, options)
        if bridged:
            _say_rosbridge(cell, options)
        failed = _drive(cell, options)
        file, unrecorded = _recorded(cell)
    except KeyboardInterrupt:
        failed = "stopped"
        file, unrecorded = _recorded(cell)
        _stop(cell)
    finally:
        progress_done()
        model = cell.model
        cell.close()
    file = file if file and Path(file).is_file() else ""  # on a full disk nothing may be left of it
    if file and not options.no_recording:
        from armillary.runtime.recording import Recording
        from armillary.runtime.run_summary import summarise

        summary = summarise(Recording.open(file), model)
    if unrecorded:
        print(colour(f"armillary: not all of the run is recorded: {unrecorded}", "yellow"), file=sys.stderr)
    faults = [*(summary.faults if summary is not None else ()), failed]
    advice = advice_for(faults, simulated=simulated, lock_step=options.lock_step)
    return _report(options, summary, file, failed, advice)


def _is_simulated(options: argparse.Namespace) -> bool:
    """Whether nothing but a simulation would wait for a tick: a busy computer is no reason for a fault then."""
    from armillary.runtime.prepared import description_of

    description = description_of(options.source)
    driver = options.driver or (description.driver.name if description is not None else "physics")
    return driver in ("physics", "ideal")


def _open_pendant(cell: "Cell", options: argparse.Namespace) -> None:
    """Say where the pendant is, and let it move the robot: who started the cell only watches, unless he runs a program."""
    link = cell.station.pendant["link"]
    print(f"{bold('pendant')}: {link}", flush=True)
    print(f"The link lets one browser in, once. {_NOT_RATED}", flush=True)
    if options.program is None and not options.type:
        cell.station.ask("give_control")
    if not options.no_browser and sys.stdout.isatty() and (os.environ.get("DISPLAY") or sys.platform == "darwin"):
        import webbrowser

        webbrowser.open(link)


def _say_rosbridge(cell: "Cell", options: argparse.Namespace) -> None:
    """Say where rosbridge is, and let its clients move the robot unless a program does."""
    said = cell.station.rosbridge
    if not options.json:
        print(f"{bold('rosbridge')}: {said['address']}, from elsewhere with ?token={said['token']}", flush=True)
    if options.program is None and not options.type:
        cell.station.ask("give_control")


def _greet(cell: "Cell") -> None:
    from armillary.description.kept_cell import kept_name

    settings = cell.station.settings
    print(
        f"{bold(cell.model.spec.robot.name)} runs with '{settings.driver}': {cell.statistics(clear=False)['granted']}", flush=True
    )
    if kept_name(Path(settings.source)):
        print(f"with its own cell, {settings.source} (--as-shipped: without)")
    said = cell.station.assumptions
    for text in said[:_MOST_SAID]:
        print(colour(f"assumed: {text}", "yellow"))
    if len(said) > _MOST_SAID:
        print(colour(f"and {len(said) - _MOST_SAID} more: armillary status --json", "yellow"))


def _drive(cell: "Cell", options: argparse.Namespace) -> str:
    """Run the program, or what is typed, or wait for Ctrl-C; what went wrong, or ""."""
    from armillary.interfaces.cli.program_drive import drive_program, drive_typed

    if options.program is not None:
        failed = drive_program(cell, options, lambda said: _status_line(cell, said))
        if failed or options.exit:
            return failed
        cell.station.ask("give_control")  # the pendant may have it now
    if options.type:
        return drive_typed(cell, options.type)
    while True:
        _status_line(cell)
        time.sleep(0.1)


def _status_line(cell: "Cell", said: str = "") -> None:
    record, state = cell.station.state, cell.state
    parts = [
        colour(f"{state.state.name:12}", "red" if state.fault else "green" if state.state.name == "MOVING" else "blue"),
        f"feed {100 * state.rate:3.0f} %", f"progress {100 * state.progress:3.0f} %",
        f"late {1e6 * state.late:4.0f} us (most {1e3 * float(record['latest']):.2f} ms)", f"overruns {int(record['overruns'])}",
        "tool " + " ".join(f"{1e3 * value:.1f}" for value in state.xyz) + " mm", said, state.fault,
    ]  # fmt: skip
    progress("  ".join(part for part in parts if part)[:200])


def _recorded(cell: "Cell") -> tuple[str, str]:
    """The file that it is recorded in, and why not all of it is, or ""."""
    said = cell.station.recording
    return said["file"], said["problem"]


def _stop(cell: "Cell") -> None:
    from armillary.errors import ArmillaryError

    progress("stopping on the path")
    try:
        cell.stop(1)
        cell.wait(timeout=10.0)
    except KeyboardInterrupt:
        cell.stop(0)
    except ArmillaryError:
        pass  # it ends all the same


def _report(options: argparse.Namespace, summary: "RunSummary | None", file: str, failed: str, advice: str) -> int:
    faults = summary.faults if summary is not None else ()
    wrong = (failed and failed != "stopped") or faults
    status = 1 if wrong else 130 if failed == "stopped" and options.program is not None else 0  # a program that was broken off
    if options.json:
        values = summary.values() if summary is not None else {}
        print_json({**values, "recording": file, "failed": failed, "advice": advice})
        return status
    if summary is not None:
        rows = [
            ["duration", f"{summary.duration:.2f} s, {summary.moved:.2f} s of it moving"],
            ["following error", f"{summary.following:.3g} at worst ({summary.following_joint})"],
            ["tool", f"{1e3 * summary.tool_deviation:.3g} mm at worst from where it was commanded"],
            ["torque residual", _residual(summary)],
            ["lateness", f"p99 {1e6 * summary.late_p99:.3g} us, {1e3 * summary.late_most:.3g} ms at worst"],
            ["overruns", str(summary.overruns)],
            ["recording", file],
        ]
        print(table(["", ""], rows))
    for text in dict.fromkeys([*faults, failed] if failed != "stopped" else faults):
        if text:
            print(colour(f"armillary: {text}", "red"), file=sys.stderr)
    if advice:
        print(colour(f"armillary: {advice}", "yellow"), file=sys.stderr)
    if options.program is not None and not wrong:
        print(colour("stopped before its end", "yellow") if failed == "stopped" else colour("the program has been run", "green"))
    return status


def _residual(summary: "RunSummary") -> str:
    if not summary.torque_residual:
        return "no torque is measured"
    joint, worst = max(summary.torque_residual.items(), key=lambda item: item[1])
    share = f"{100 * worst:.0f}" if worst >= 0.095 else f"{100 * worst:.2g}"  # plain figures: 100, not 1e+02
    return f"{share} % of the torque (RMS) at worst ({joint})"
