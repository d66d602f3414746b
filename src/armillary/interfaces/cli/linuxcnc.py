"""`armillary linuxcnc`: the real LinuxCNC as master, and our robot as its hardware: in its twin, or by a cyclic driver.

LinuxCNC interprets, plans and interpolates; each of its joint commands comes to us, and goes through a filter that keeps the
joints' limits to the robot: its motion is not certified. X Y Z are the tool's place in mm and A B C its angles in degrees
(genserkins, from the robot's DH table), or each axis letter is a joint (--joint-mode).
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.errors import ArmillaryError
from armillary.interfaces.cli.arguments import add_json, add_source, refuse_source_options
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, waiting

if TYPE_CHECKING:
    from armillary.cell import Cell
    from armillary.interfaces.linuxcnc import LinuxcncMaster, Machine

__all__ = ["add_parser", "run"]

_SIMULATED = 0.5  # s of lateness that a simulated motor side bears
_EXAMPLES = """\
examples:
  armillary linuxcnc cobot6 --program part.ngc         LinuxCNC runs it, the cobot moves in its physics twin
  armillary linuxcnc cobot6                            type G-code: each line is done at once; Ctrl-D ends
  armillary linuxcnc cobot6 --from "-1.6 -0.28 -1.33 1.27 -1.46 -1.5" --program paper5.ngc
  armillary linuxcnc my_cell.toml --joint-mode --keep config/     and keep LinuxCNC's INI, HAL and log

Ctrl-C stops the robot on its path and ends LinuxCNC. LinuxCNC is installed by 'make peers'.
Exit status 1: the program was not run to its end; 2: LinuxCNC is not there, or has ended.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "linuxcnc", help="LinuxCNC as master: it moves our robot", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument("--as-shipped", action="store_true", help="without the own cell that was made of ROBOT on its pendant")
    parser.add_argument("--group", metavar="NAME", default="", help="only the joints of this group of the cell")
    parser.add_argument("--driver", metavar="NAME", default="", help="the motor side: physics (default), ideal, or the cell's")
    parser.add_argument("--program", metavar="FILE", type=Path, help="G-code that LinuxCNC runs; lines are typed where left out")
    parser.add_argument("--joint-mode", action="store_true", help="each axis letter is a joint: X Y Z A B C U V W in their order")
    parser.add_argument(
        "--from", metavar='"Q1 Q2 ..."', dest="begin", default="",
        help="move there by joints first, by our own planner: a name of the cell's states, or positions [rad or m]",
    )  # fmt: skip
    parser.add_argument("--headless", action="store_true", help="without our pendant")
    parser.add_argument("--port", type=int, metavar="N", help="the pendant's port; 8642, or any that is free")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep LinuxCNC's INI, HAL and log in this folder")
    parser.add_argument("--low-power", action="store_true", help="sleep between ticks: less punctual, less power")
    parser.add_argument("--no-recording", action="store_true", help="record nothing")
    parser.add_argument("--recordings", metavar="DIR", default="", help="where recordings go")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.cell import Cell
    from armillary.description.kept_cell import with_kept_cell
    from armillary.interfaces.linuxcnc import LinuxcncProblem, linuxcnc_program

    linuxcnc_program()  # before anything is started
    refuse_source_options(options)
    if not options.as_shipped:
        options.source = with_kept_cell(options.source)
    if options.program is not None and not options.program.is_file():
        raise LinuxcncProblem(f"{options.program}: there is no such file; give a --program of G-code")
    if options.port is not None and not 0 <= options.port <= 65535:
        raise LinuxcncProblem(f"there is no port {options.port}; give a --port of 1 to 65535, or 0 for any that is free")
    pendant = None if options.headless else {"host": "127.0.0.1"} | ({} if options.port is None else {"port": options.port})
    progress(f"starting {options.source}")
    cell = Cell.open(
        options.source, group=options.group, driver=options.driver, low_power=options.low_power, record=not options.no_recording,
        recordings=options.recordings, progress=waiting, pendant=pendant, patience=_patience(options),
    )  # fmt: skip
    progress_done()
    try:
        return _with_cell(cell, options)
    finally:
        progress_done()
        cell.close()


def _with_cell(cell: "Cell", options: argparse.Namespace) -> int:
    from armillary.interfaces.linuxcnc import LinuxcncMaster

    machine = _machine(cell, options)
    if options.begin:
        cell.move_joints(_configuration(cell, options.begin))
    if not options.json:
        _greet(cell, machine)
    progress("starting LinuxCNC")
    failed, stopped = "", False
    with LinuxcncMaster(cell, machine, keep=options.keep) as master:
        progress_done()
        try:
            master.on()
            if not options.json:
                print(f"LinuxCNC {master.display.version} is on, and the robot follows it", flush=True)
            failed = _drive(master, options)
        except KeyboardInterrupt:
            stopped = True
        counts, file = master.robot.counts, cell.station.recording["file"]
    return _report(options, machine, counts, file, failed, stopped=stopped)


def _drive(master: "LinuxcncMaster", options: argparse.Namespace) -> str:
    """Run the program, or the lines that are typed; what went wrong, or ""."""
    from armillary.interfaces.linuxcnc import LinuxcncProgramFailed

    if options.program is not None:
        try:
            master.run(options.program, watch=_status_line)
        except LinuxcncProgramFailed as error:
            return str(error)
        return ""
    for text in sys.stdin:
        if not text.strip():
            continue
        try:
            master.line(text.strip())
        except LinuxcncProgramFailed as error:
            print(colour(f"armillary: {error}", "red"), file=sys.stderr, flush=True)
            if not master.robot.following:
                return str(error)
        else:
            if not options.json:
                print(_place(master.cell), flush=True)
    return ""


def _report(
    options: argparse.Namespace, machine: "Machine", counts: Any, file: str, failed: str, *, stopped: bool
) -> int:  # fmt: skip
    if options.json:
        print_json({
            "kinematics": "genserkins" if machine.table is not None else "joints", "failed": failed, "stopped": stopped,
            "samples": counts.samples, "missing": counts.missing, "overruns": counts.overruns, "set_points": counts.set_points,
            "recording": file,
        })  # fmt: skip
        return 1 if failed else 130 if stopped else 0
    print(
        f"LinuxCNC's commands: {counts.samples} came, {counts.missing} missing, {counts.overruns} overruns; "
        f"{counts.set_points} set-points to the executor"
    )
    if file:
        print(f"recording: {file}")
    if options.keep is not None:
        print(f"LinuxCNC's INI, HAL and log: {options.keep}")
    if failed:
        print(colour(f"armillary: {failed}", "red"), file=sys.stderr)
    elif stopped:
        print(colour("stopped before its end", "yellow"))
    elif options.program is not None:
        print(colour("the program has been run", "green"))
    return 1 if failed else 130 if stopped else 0


def _machine(cell: "Cell", options: argparse.Namespace) -> "Machine":
    from armillary.interfaces.linuxcnc import machine_of
    from armillary.motion import limits_of
    from armillary.runtime.prepared import description_of

    description = description_of(options.source)
    speed = description.workspace.tool_speed if description is not None else None
    return machine_of(
        cell.model, limits_of(cell.model), joint_mode=options.joint_mode, tool_speed=speed, patience=_patience(options)
    )


def _configuration(cell: "Cell", text: str) -> list[float]:
    from armillary.interfaces.linuxcnc import LinuxcncProblem
    from armillary.runtime.prepared import description_of

    description = description_of(cell.station.settings.source)
    states = {state.name: list(state.q) for state in description.states} if description is not None else {}
    if text in states:
        return states[text]
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        named = ", ".join(states) or "none"
        raise LinuxcncProblem(f"--from '{text}' is neither positions nor one of the cell's states ({named})") from None


def _greet(cell: "Cell", machine: "Machine") -> None:
    print(f"{bold(cell.model.spec.robot.name)} runs with '{cell.station.settings.driver}', as LinuxCNC's hardware", flush=True)
    if machine.why_joints:
        print(colour(f"joint mode: {machine.why_joints.partition(';')[0]}", "yellow"))
    if machine.table is None:
        named = ", ".join(f"{letter} {joint.name}" for letter, joint in zip(machine.letters, machine.joints, strict=True))
        print(f"axes are joints, in degrees and mm: {named}")
    if cell.station.pendant:
        print(f"{bold('pendant')}: {cell.station.pendant['link']}", flush=True)


def _place(cell: "Cell") -> str:
    return "tool at " + " ".join(f"{1e3 * value:.2f}" for value in cell.state.xyz) + " mm"


def _status_line(master: "LinuxcncMaster") -> None:
    line = master.display.state.get("line", 0)
    progress(f"line {line}  {_place(master.cell)}  {master.robot.counts.samples} commands")


def _patience(options: argparse.Namespace) -> float:
    """How late a tick may be [s]: where nothing but a simulation would wait for it, a busy computer is no reason for a fault."""
    from armillary.runtime.prepared import description_of

    try:
        description = description_of(options.source)
    except ArmillaryError:
        return 0.0  # it is said where the cell is opened
    driver = options.driver or (description.driver.name if description is not None else "physics")
    return _SIMULATED if driver in ("physics", "ideal") else 0.0
