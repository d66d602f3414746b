"""`armillary calibrate`: where the tool's tip, a user's frame and the joints' zeros are, from what the robot touches."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import values_of
from armillary.interfaces.cli.terminal import bold, colour, print_json, table
from armillary.whole_file import write_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.model import Model
    from armillary.programs.calibration import CellLines, Residuals, ZeroCalibration

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary calibrate tool cell.toml                     touch one point four times and more, tilted; Enter at each
  armillary calibrate tool cell.toml --orientation       and two more: further along the tool's z, further towards its x
  armillary calibrate frame cell.toml --name table       origin, a point on +x, a point where y is above zero
  armillary calibrate zero cell.toml --marks "0 90 -90 0 0 0" --deg
  armillary calibrate zero cell.toml                     by touching one point in many configurations
  armillary calibrate tool cell.toml --from touches.csv --deg --write
  armillary calibrate history cell.toml
  armillary calibrate rollback cell.toml zero

Without --from, a cell must run (armillary run cell.toml): where it is is read when Enter is pressed, and an empty line with "."
ends. Results go into the cell's store; --write puts them into its cell.toml as well.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "calibrate", help="tool, frames and zeros by touching", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    for what, help_text in (
        ("tool", "the tool's tip, by touching one point with the tool tilted to many sides"),
        ("frame", "a user's frame, by touching its origin, a point on +x and points in its plane"),
        ("zero", "the joints' zeros, by marks or by touching one point in many configurations"),
        ("history", "all results, oldest first"),
        ("rollback", "put the result before on top again"),
    ):
        kind = kinds.add_parser(what, help=help_text, description=help_text)
        kind.add_argument("source", metavar="CELL", help="a cell.toml, a robot's file or its name")
        if what == "rollback":
            kind.add_argument("kind", choices=("tool", "frame", "zero"))
            kind.add_argument("--to", type=int, metavar="NUMBER", help="which one, by its number in the history; the one before")
        if what in ("frame", "rollback"):
            kind.add_argument("--name", default="", metavar="FRAME", required=what == "frame", help="the frame's name")
        if what in ("tool", "frame", "zero"):
            kind.add_argument("--from", dest="file", type=Path, metavar="FILE", help="configurations from JSON or CSV instead")
            kind.add_argument("--deg", action="store_true", help="angles in degrees")
            kind.add_argument("--station", metavar="NAME", default="", help="which cell, where several of it run")
            kind.add_argument("--reason", default="", metavar="TEXT", help="why it is done; kept with the result")
        if what != "history":
            kind.add_argument("--write", action="store_true", help="write the lines into the cell.toml, all else as it is")
        if what == "tool":
            kind.add_argument("--orientation", action="store_true", help="the last two rows say how the tool is turned")
        if what == "zero":
            kind.add_argument("--marks", metavar='"Q1 Q2 ..."', help="where the marks are; the joints stand on them")
        add_json(kind)
        kind.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    {"tool": _tool, "frame": _frame, "zero": _zero, "history": _history, "rollback": _rollback}[options.what](options)
    return 0


def _tool(options: argparse.Namespace) -> None:
    import numpy as np

    from armillary.programs.calibration import calibrate_tool, tip_poses, tool_lines, tool_rotation
    from armillary.programs.calibration.errors import BadCalibration
    from armillary.spatial import rpy_from_rotation, transform

    model = _model(options)
    asked = ["touch the fixed point, tilted another way"] * 4
    more = ["from there without turning, go along the tool's +z", "go back, and towards its +x"] if options.orientation else []
    Q = _configurations(options, model, asked, "touch it again, or . to end", more)
    touches, turns = (Q[:-2], Q[-3:]) if options.orientation else (Q, Q[:0])
    if options.orientation and len(Q) < 6:
        raise BadCalibration(f"{len(Q)} rows, and four touches and the two of the orientation are needed")
    found, before = calibrate_tool(tip_poses(model, touches)), _present_tool(model)
    R = tool_rotation(tip_poses(model, turns), found.xyz) if options.orientation else before[:3, :3]  # what is not measured stays
    T = transform(R, found.xyz)
    value = {"xyz": found.xyz.tolist(), "rpy": list(rpy_from_rotation(R)), "rms": found.residuals.rms}
    notes = [f"touch {number + 1} does not belong to the others: leave it out, or touch again" for number in found.outliers]
    if found.spread < 0.2:
        notes.append(f"the orientations differ little ({found.spread:.2f} of 1); tilt the tool further for a better result")
    said = {**value, "residuals": found.residuals.each.tolist(), "uncertainty": found.uncertainty.tolist(),
            "spread": found.spread, "outliers": list(found.outliers)}  # fmt: skip
    uncertain = "uncertain by " + " ".join(f"{1e3 * each:.3f}" for each in np.asarray(found.uncertainty)) + " mm"
    present = {"xyz": before[:3, 3].tolist(), "rpy": list(rpy_from_rotation(before[:3, :3]))}
    _finish(options, "tool", "", (present, value), tool_lines(T), said, found.residuals, [uncertain, *notes])


def _present_tool(model: "Model") -> "NDArray[np.float64]":
    """T_tip_tool as the cell has it until now. Shape (4, 4)."""
    import numpy as np

    for name, _, pose in model.spec.frames:
        if name == model.tip:
            return np.asarray(pose.matrix)
    return np.eye(4)


def _frame(options: argparse.Namespace) -> None:
    import numpy as np

    from armillary.motion import tool_pose
    from armillary.programs.calibration import frame_from_points, frame_lines
    from armillary.programs.calibration.errors import BadCalibration
    from armillary.programs.teach import checked_name
    from armillary.spatial import rpy_from_rotation

    checked_name(options.name)
    model = _model(options)
    asked = ["touch the origin", "touch a point on +x", "touch a point where y is above zero"]
    Q = _configurations(options, model, asked, "touch another point of the plane, or . to end")
    if len(Q) < 3:
        raise BadCalibration(f"{len(Q)} points, and three are needed: the origin, one on +x, one where y is above zero")
    places = np.array([tool_pose(model, q, base=model.reference)[:3, 3] for q in Q])
    found = frame_from_points(places[0], places[1], places[2:])
    T = found.T_base_frame
    value = {"parent": model.reference or "world", "xyz": T[:3, 3].tolist(), "rpy": list(rpy_from_rotation(T[:3, :3])),
             "rms": found.residuals.rms}  # fmt: skip
    lines = frame_lines(options.name, T, parent=model.reference or "world")
    said = {**value, "residuals": found.residuals.each.tolist()}
    _finish(options, "frame", options.name, (None, value), lines, said, found.residuals, [])


def _zero(options: argparse.Namespace) -> None:
    from armillary.interfaces.cli.configuration import cell_of
    from armillary.programs.calibration import zero_lines, zeros_by_marks, zeros_by_touching

    model = _model(options)
    if options.marks is not None:
        marked = values_of(options.marks, model, options.deg, "--marks")
        Q = _configurations(options, model, ["bring every joint onto its mark"], "")
        found = zeros_by_marks(model, Q[0], marked)
    else:
        Q = _configurations(options, model, ["touch the fixed point in another configuration"] * 8, "touch it again, or . to end")
        found = zeros_by_touching(model, Q)
    cell = cell_of(options.source)
    value = {"joints": list(found.joints), "offsets": found.offsets.tolist(), "determined": found.determined.tolist()}
    said = {**value, "uncertainty": found.uncertainty.tolist(), "rms": found.after.rms if found.after else None,
            "rms_before": found.before.rms if found.before else None}  # fmt: skip
    notes = [f"{joint} is not told by these touches, and stays as it is" for joint in found.unknown]
    if found.before is not None:
        notes.insert(0, f"before: {found.before}")
    if not options.json:
        _print_zeros(found)
    actuation = cell.actuation if cell is not None else None
    lines = zero_lines(actuation, found.joints, found.offsets)
    present = {"joints": list(found.joints), "offsets": [0.0] * model.n,
               "zero": _zeros(zero_lines(actuation, found.joints, 0.0 * found.offsets))}  # fmt: skip
    _finish(options, "zero", "", (present, {**value, "zero": _zeros(lines)}), lines, said, found.after, notes)


def _zeros(lines: "CellLines") -> list[float]:
    """a0 [counts], as it stands in the lines."""
    return [float(each) for each in dict(lines.keys)["zero"].strip("[]").split(",")]


def _print_zeros(found: "ZeroCalibration") -> None:
    rows = [
        [joint, f"{value:+.6f}", "" if sure != sure else f"{sure:.6f}", "" if known else "not known"]
        for joint, value, sure, known in zip(found.joints, found.offsets, found.uncertainty, found.determined, strict=True)
    ]
    print(table(["joint", "offset [rad or m]", "uncertain by", ""], rows, right=(1, 2)))


def _history(options: argparse.Namespace) -> None:
    from armillary.programs.calibration import CalibrationStore

    records = CalibrationStore.of(options.source).history()
    if options.json:
        print_json({"calibrations": [
            {"number": each.number, "kind": each.kind, "name": each.name, "value": each.value, "reason": each.reason,
             "at": each.at, "by": each.by} for each in records
        ]})  # fmt: skip
        return
    for each in records:
        print(
            f"{each.number:4d}  {each.at[:19].replace('T', ' ')}  {each.kind} {each.name}  by {each.by}  {each.reason}".rstrip()
        )
    if not records:
        print("nothing is calibrated yet")


def _rollback(options: argparse.Namespace) -> None:
    from armillary.programs.calibration import CalibrationStore, CellLines, frame_lines, tool_lines
    from armillary.spatial import transform_from_xyz_rpy

    record = CalibrationStore.of(options.source).roll_back(options.kind, options.name, to=options.to)
    if options.kind == "zero":
        lines = CellLines("actuation", (("zero", str([float(value) for value in record.value["zero"]])),))
    else:
        T = transform_from_xyz_rpy(record.value["xyz"], record.value["rpy"])
        lines = tool_lines(T) if options.kind == "tool" else frame_lines(record.name, T, parent=record.value["parent"])
    _show(options, lines, {"number": record.number, **record.value})


def _model(options: argparse.Namespace) -> "Model":
    from armillary.model import load_model

    return load_model(options.source)


def _configurations(
    options: argparse.Namespace, model: "Model", asked: Sequence[str], then: str, last: Sequence[str] = ()
) -> "NDArray[np.float64]":
    """From the file, or where the running cell is whenever Enter is pressed. Shape (k, n)."""
    import numpy as np

    from armillary.programs.calibration import BadCalibration, read_configurations

    if options.file is not None:
        return read_configurations(options.file, model, degrees=options.deg)
    from armillary.cell import Cell

    cell = Cell.connect(options.station or options.source)
    rows: list[NDArray[np.float64]] = []

    def take(prompt: str) -> bool:
        print(f"{len(rows) + 1}: {prompt}, and press Enter", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line or line.strip() == ".":
            return False
        rows.append(cell.where())
        return True

    try:
        for prompt in asked:
            if not take(prompt):
                break
        else:
            while then and take(then):
                pass
        for prompt in last:
            if not take(prompt):
                raise BadCalibration(f"'{prompt}' was left out: it is needed; begin again")
    finally:
        cell.close()
    if not rows:
        raise BadCalibration("nothing was touched; begin again")
    return np.array(rows).reshape(-1, model.n)


def _finish(
    options: argparse.Namespace, kind: str, name: str, values: tuple[dict[str, Any] | None, dict[str, Any]],
    lines: "CellLines", said: dict[str, Any],
    residuals: "Residuals | None", notes: Sequence[str],
) -> None:  # fmt: skip
    """Keep a result, and what was there before the first one; and say it."""
    from armillary.programs.calibration import CalibrationStore

    if not options.json and residuals is not None:
        rows = [[str(number), f"{1e3 * each:.3f}"] for number, each in enumerate(residuals.each, 1)]
        print(table(["measurement", "off [mm]"], rows, right=(0, 1)))
        print(f"{bold(kind)}: {residuals}")
    for note in () if options.json else notes:
        print(colour(note, "yellow"))
    store, (present, value) = CalibrationStore.of(options.source), values
    if present is not None and store.newest(kind, name) is None:
        store.keep(kind, present, name=name, reason="as it was before the first calibration")
    record = store.keep(kind, value, name=name, reason=options.reason)
    _show(options, lines, {"number": record.number, **said})


def _show(options: argparse.Namespace, lines: "CellLines", said: dict[str, Any]) -> None:
    """The lines for the cell.toml, and into it where asked."""
    from armillary.interfaces.cli.configuration import cell_of
    from armillary.programs.calibration import BadCalibration, with_lines

    if options.write:
        cell = cell_of(options.source)
        if cell is None:
            raise BadCalibration(f"{options.source} has no cell.toml to write into; make one: armillary new {options.source}")
        path = Path(cell.file)
        write_whole(path, with_lines(path.read_text(encoding="utf-8"), lines))
    if options.json:
        print_json({**said, "lines": str(lines), "written": options.write})
        return
    print("written into the cell.toml:" if options.write else "for the cell.toml (or --write):")
    print(lines)
