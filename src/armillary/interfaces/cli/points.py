"""`armillary points`: points and paths that were taught: kept, listed, played back, made into programs."""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import values_of
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table
from armillary.whole_file import write_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.model import Model
    from armillary.programs import Point
    from armillary.programs.teach import TaughtMove

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary points teach cobot6 pick                      where the running cell is (armillary run cobot6)
  armillary points teach cobot6 home --q "0 105 -125 -110 -90 0" --deg
  armillary points list cobot6
  armillary points touch-up cobot6 pick                   another place, the one before is kept
  armillary points history cobot6 pick
  armillary points export cobot6 points.json
  armillary points to-script cobot6 home line:pick arc:over:place
  armillary points to-gcode cobot6 home line:pick --out pick.ngc
  armillary points record cobot6 sweep                    joints over time, until Enter
  armillary points play cobot6 sweep --fast

Points lie beside a cell.toml (cell.sqlite), and for a robot without one in ~/.local/state/armillary/taught.
"""
_PERIOD = 0.01  # s between samples of a recorded path


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "points", help="taught points and paths", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    _add_actions(parser.add_subparsers(dest="action", metavar="ACTION", required=True))


def _add_actions(actions: Any) -> None:
    def action(name: str, help_text: str, *names: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(name, help=help_text, description=help_text)
        made.add_argument("source", metavar="CELL", help="a cell.toml, a robot's file or its name")
        for each in names:
            made.add_argument(each.lower(), metavar=each)
        made.set_defaults(run=run)
        return made

    add_json(action("list", "all points, and the recorded paths"))
    teach, touch_up = action("teach", "keep where the robot is", "NAME"), action("touch-up", "give a point another place", "NAME")
    for each in (teach, touch_up):
        each.add_argument("--q", metavar='"Q1 Q2 ..."', help="joint positions; where the running cell is, where left out")
        each.add_argument("--deg", action="store_true", help="angles in degrees")
        each.add_argument("--group", metavar="NAME", default="", help="only the joints of this group of the cell, with --q")
        each.add_argument("--tool", metavar="FRAME", default="", help="the frame that is taught; the cell's tool where left out")
        each.add_argument("--frame", metavar="NAME", default="", help="the frame that people think of it in")
    action("rename", "give a point another name", "NAME", "NEW")
    action("delete", "take a point away; its history stays", "NAME")
    history = action("history", "what was done to a point, or to all")
    history.add_argument("name", nargs="?", default="", metavar="NAME")
    add_json(history)
    action("export", "all points as JSON").add_argument("file", nargs="?", type=Path, metavar="FILE")
    take = action("import", "points that were exported")
    take.add_argument("file", type=Path, metavar="FILE")
    take.add_argument("--keep", action="store_true", help="leave out names that are taken, instead of refusing the file")
    for name, what in (("to-script", "robot commands"), ("to-gcode", "G-code")):
        made = action(name, f"a sequence of points as {what}")
        made.add_argument(
            "moves", nargs="*", metavar="MOVE", help="POINT, line:POINT or arc:VIA:POINT; all points where left out"
        )
        made.add_argument("--out", type=Path, metavar="FILE", help="write it there")
    record = action("record", "keep the path along which the running cell is moved, until Enter", "NAME")
    play = action("play", "move the running cell along a recorded path, proven", "NAME")
    play.add_argument("--fast", action="store_true", help="as fast as the limits allow; as it was recorded where left out")
    play.add_argument("--tolerance", type=float, default=0.002, metavar="RAD", help="how far a joint may be off (0.002 rad or m)")
    play.add_argument("--tool-tolerance", type=float, default=0.001, metavar="M", help="how far the tool may be off (0.001 m)")
    play.add_argument("--dry", action="store_true", help="plan and prove it, without a cell that runs")
    play.add_argument("--take-control", action="store_true", help="take control from who has it, as the pendant")
    for each in (teach, touch_up, record, play):
        each.add_argument("--station", metavar="NAME", default="", help="which cell, where several of it run (armillary status)")


def run(options: argparse.Namespace) -> int:
    acts = {
        "list": _list, "teach": _teach, "touch-up": _teach, "rename": _rename, "delete": _delete, "history": _history,
        "export": _export, "import": _import, "to-script": _convert, "to-gcode": _convert, "record": _record, "play": _play,
    }  # fmt: skip
    acts[options.action](options)
    return 0


def _list(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PathStore, PointStore, store_place

    points, paths = PointStore.of(options.source).all(), PathStore.of(options.source).names()
    if options.json:
        said = [{"name": each.point.name, "q": each.point.q, "xyz": each.point.xyz, "rpy": each.point.rpy,
                 "tool": each.point.tool, "frame": each.point.frame, "at": each.at, "by": each.by}
                for each in points]  # fmt: skip
        print_json({"points": said, "paths": paths, "store": str(store_place(options.source))})
        return
    if not points and not paths:
        print(f"nothing is taught yet; teach a point: armillary points teach {options.source} NAME")
    rows = [
        [each.point.name, *_pose(each.point), each.point.tool, each.point.frame, each.at[:19].replace("T", " "), each.by]
        for each in points
    ]
    if rows:
        print(table(["point", "x y z [mm]", "roll pitch yaw [deg]", "tool", "frame", "taught (UTC)", "by"], rows))
    for name in paths:
        print(f"path {name}")


def _pose(point: "Point") -> tuple[str, str]:
    from math import degrees

    return (
        " ".join(f"{1e3 * value:.2f}" for value in point.xyz),
        " ".join(f"{degrees(value):.2f}" for value in point.rpy),
    )


def _here(options: argparse.Namespace) -> "tuple[Model, Any]":
    """The model, and where it is: as given, or where the running cell is."""
    if options.q is not None:
        from armillary.model import load_model

        model = load_model(options.source, group=options.group or None)
        return model, values_of(options.q, model, options.deg, "--q")
    from armillary.cell import Cell

    cell = Cell.connect(options.station or options.source)
    try:
        return cell.model, cell.place()
    finally:
        cell.close()


def _teach(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PointStore, TeachError, point_at

    store = PointStore.of(options.source)
    if options.action == "touch-up":
        store.get(options.name)  # before a robot is looked for
    model, q = _here(options)
    beyond = model.outside(q)
    if beyond:
        raise TeachError(f"no point can be there: {beyond[0]}")
    point = point_at(model, q, options.name, tool=options.tool, frame=options.frame)
    if options.action == "teach":
        taught = store.teach(point, joints=model.joints)
    else:
        taught = store.touch_up(options.name, point, joints=model.joints)
    xyz, rpy = _pose(taught.point)
    print(f"{bold(options.name)}: ({xyz}) mm, ({rpy}) deg")


def _rename(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PointStore

    PointStore.of(options.source).rename(options.name, options.new)


def _delete(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PathStore, PointStore

    if options.name in PathStore.of(options.source).names():
        PathStore.of(options.source).delete(options.name)
    else:
        PointStore.of(options.source).delete(options.name)


def _history(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PointStore

    store = PointStore.of(options.source)
    changes = store.history(options.name)
    if options.name and not changes:
        store.get(options.name)  # says which there are
    if options.json:
        before = [each.before.point if each.before else None for each in changes]
        print_json({"changes": [
            {"what": each.what, "name": each.name, "at": each.at, "by": each.by,
             "before": None if was is None else {"name": was.name, "q": was.q, "xyz": was.xyz, "rpy": was.rpy}}
            for each, was in zip(changes, before, strict=True)
        ]})  # fmt: skip
        return
    for each in changes:
        was = f"; before: {each.before.point.name} at ({_pose(each.before.point)[0]}) mm" if each.before else ""
        print(f"{each.at[:19].replace('T', ' ')}  {each.name} {each.what} by {each.by}{was}")


def _export(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PointStore

    _give(PointStore.of(options.source).export(), options.file)


def _import(options: argparse.Namespace) -> None:
    from armillary.programs.teach import PointStore, TeachError
    from armillary.regular_file import read_regular

    try:
        text = read_regular(options.file).decode("utf-8")
    except UnicodeDecodeError:
        raise TeachError(f"{options.file}: it is not UTF-8; give a file that export wrote") from None
    try:
        taken = PointStore.of(options.source).take_in(text, keep=options.keep)
    except TeachError as error:
        raise TeachError(f"{options.file}: {error}") from None
    print(f"{len(taken)} points: {', '.join(taken) or 'none'}")


def _frame_of_gcode(source: str) -> "NDArray[np.float64] | None":
    """The frame that the cell's G-code is given in; None where that is what the arm stands on.

    Raises:
        TeachError: A letter is a joint of its own: points do not say where that was.
    """
    from armillary.cell import surroundings_of
    from armillary.model import load_model
    from armillary.programs.teach import TeachError
    from armillary.runtime.prepared import description_of

    description = description_of(source)
    settings = dict(description.gcode) if description is not None else {}
    if settings.get("axes"):
        raise TeachError("the cell's G-code has joints of their own among its letters; write robot commands instead: to-script")
    frame = settings.get("frame", "")
    return surroundings_of(load_model(source)).frames.get(frame) if frame else None


def _convert(options: argparse.Namespace) -> None:
    from armillary.model import load_model
    from armillary.programs.teach import PointStore, read_sequence, to_gcode, to_script

    moves: list[TaughtMove] = read_sequence(options.moves, PointStore.of(options.source).points())
    if options.action == "to-gcode":
        _give(to_gcode(moves, T_base_frame=_frame_of_gcode(options.source)), options.out)
        return
    model = load_model(options.source)
    units = {joint.name: joint.unit for joint in model.spec.robot.movable}
    slides = [units[joint] == "m" for joint in model.joints]
    _give(to_script(moves, slides=slides if len(slides) == len(moves[0].point.q) else ()), options.out)


def _give(text: str, file: Path | None) -> None:
    if file is None:
        print(text, end="")
    else:
        write_whole(file, text)


def _record(options: argparse.Namespace) -> None:
    import threading

    from armillary.cell import Cell
    from armillary.programs.teach import PathRecorder, PathStore, checked_name

    checked_name(options.name)
    cell, done = Cell.connect(options.station or options.source), threading.Event()
    try:
        recorder = PathRecorder(cell.model.joints)

        def wait() -> None:
            sys.stdin.readline()
            done.set()

        threading.Thread(target=wait, daemon=True).start()
        print("move the robot; Enter ends the recording", file=sys.stderr)
        begin = time.monotonic()
        while not done.wait(_PERIOD):
            recorder.add(time.monotonic() - begin, cell.place())
            progress(f"{time.monotonic() - begin:.1f} s, {len(recorder)} samples")
    finally:
        progress_done()
        cell.close()
    path = recorder.finish()
    PathStore.of(options.source).keep(options.name, path)
    print(f"{bold(options.name)}: {path.duration:.2f} s, {len(path.times)} samples")


def _play(options: argparse.Namespace) -> None:
    from armillary.cell import Cell
    from armillary.model import load_model
    from armillary.motion import Bounds, bounds_of
    from armillary.programs.teach import PathStore, plan_playback
    from armillary.runtime.control_lease import NoControl
    from armillary.runtime.prepared import description_of

    path = PathStore.of(options.source).get(options.name)
    cell = None if options.dry else Cell.connect(options.station or options.source)
    try:
        model = cell.model if cell is not None else load_model(options.source)
        description = description_of(options.source)
        bounds = bounds_of(description, model) if description is not None else Bounds()
        playback = plan_playback(
            model, path, pace="fast" if options.fast else "recorded", tolerance=options.tolerance,
            tool_tolerance=options.tool_tolerance, bounds=bounds,
        )  # fmt: skip
        print(f"{bold(options.name)}: {playback}")
        for note in playback.notes:
            print(colour(note, "yellow"))
        if cell is not None:
            try:
                cell.take_control("armillary points play", force=options.take_control)
            except NoControl as error:
                raise NoControl(f"{error}, or give --take-control") from None
            cell.move_joints(playback.trajectory.start.q, speed=0.3)
            cell.run_trajectory(playback.trajectory)
    finally:
        if cell is not None:
            cell.close()
