"""`armillary compare`: how two recordings of one robot differ, and whether by more than is allowed."""

import argparse
import filecmp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json, picture_file
from armillary.interfaces.cli.plot import read_recording, shortfall_of
from armillary.interfaces.cli.terminal import bold, colour, print_json, table

if TYPE_CHECKING:
    from armillary.model import Model
    from armillary.runtime.recording import Recording
    from armillary.runtime.recording_comparison import Comparison

__all__ = ["add_parser", "as_json", "model_of_recording", "print_comparison", "run"]

_EXAMPLES = """\
examples:
  armillary compare before.mcap after.mcap
  armillary compare before.mcap after.mcap --tolerance 0.0005 --tool-tolerance 0.0002 --plot difference.png

Motions are compared in their order: tick by tick from the start of each, or at the same place of the path where they took
different times. Exit status: 0 within the tolerances, 1 beyond them, 2 they cannot be compared.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "compare", help="how two recordings differ", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("first", type=Path, metavar="A", help="a recording (.mcap)")
    parser.add_argument("second", type=Path, metavar="B", help="another, of the same robot")
    parser.add_argument("--tolerance", type=float, default=1e-3, metavar="RAD", help="of joints, rad or m (0.001)")
    parser.add_argument("--tool-tolerance", type=float, default=1e-3, metavar="M", help="of the tool's place, m (0.001)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the differences (.png, .svg or .pdf)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.protocols.mcap_file import MAGIC
    from armillary.runtime.recording_comparison import compare_recordings

    if options.plot is not None:
        picture_file(options.plot)
    paths = (options.first, options.second)
    if all(path.is_file() for path in paths) and filecmp.cmp(*paths, shallow=False):
        with options.first.open("rb") as file:
            ours = file.read(len(MAGIC)) == MAGIC
        if ours:
            return _identical(options)
    first, second = (read_recording(path) for path in paths)
    model, why = model_of_recording(first)
    comparison = compare_recordings(first, second, model=model)
    notes = [
        f"{path.name}: {said}" for path, one in zip(paths, (first, second), strict=True) if (said := shortfall_of(path, one))
    ]
    notes += [*comparison.notes, *([why] if why else [])]
    failures = comparison.failures(options.tolerance, options.tool_tolerance)
    picture = None
    if options.plot is not None:
        from armillary.interfaces.plots.comparison_plot import draw_comparison

        picture = draw_comparison(comparison, options.plot, title=f"{paths[1].name} less {paths[0].name}")
    if options.json:
        print_json(
            {"identical": False, **as_json(comparison, failures, notes), "plot": None if picture is None else str(picture)}
        )
    else:
        print(f"{bold(first.about.robot)}: {paths[1].name} compared with {paths[0].name}")
        print_comparison(comparison, failures, notes)
        if picture is not None:
            print(f"  plot               {picture}")
    return 1 if failures else 0


def _identical(options: argparse.Namespace) -> int:
    if options.json:
        print_json({"identical": True, "agree": True, "failures": [], "notes": [], "plot": None})
    else:
        print(colour(f"identical: {options.first} and {options.second} are the same, byte for byte", "green"))
    return 0


def model_of_recording(recording: "Recording") -> "tuple[Model | None, str]":
    """The robot that was recorded, as it is today; otherwise None, and why it is left out."""
    from armillary.errors import ArmillaryError
    from armillary.model import load_model

    about = recording.about
    if not about.source:
        return None, "the tool is left out: the recording does not say where its robot came from"
    try:
        model = load_model(about.source, group=about.group or None)
    except (ArmillaryError, OSError) as error:
        return None, f"the tool is left out: {about.source} cannot be loaded: {error}"
    if model.joints != about.joints:
        return None, f"the tool is left out: {about.source} has other joints now"
    changed = bool(about.digest) and model.digest != about.digest
    return model, f"{about.source} has changed since it was recorded; the tool is worked out as it is now" if changed else ""


def as_json(comparison: "Comparison", failures: list[str], notes: list[str]) -> dict[str, Any]:
    lateness = [{"median": late.median, "p99": late.p99, "most": late.most} for late in comparison.lateness]
    tool = comparison.tool
    return {
        "agree": not failures, "failures": failures, "notes": notes, "joints": list(comparison.joints),
        "motions": [
            {"aligned_by": motion.by, "durations": list(motion.durations), "lengths": list(motion.lengths),
             "timing_difference": motion.durations[1] - motion.durations[0]}
            for motion in comparison.motions
        ],
        "counts": list(comparison.counts),
        "differences": {
            name: {"worst": one.worst.tolist(), "rms": one.rms.tolist()} for name, one in comparison.differences.items()
        },
        "tool": None if tool is None else {"commanded": tool[0], "measured": tool[1]}, "lateness": lateness,
    }  # fmt: skip


def print_comparison(comparison: "Comparison", failures: list[str] | None, notes: list[str]) -> None:
    """For people: motions, a table of the joints, and the verdict where there is one."""
    print(_motions(comparison))
    rows = []
    for j, joint in enumerate(comparison.joints):
        cells = [f"{one.worst[j]:.2e}" if part == "worst" else f"{one.rms[j]:.2e}"
                 for one in comparison.differences.values() for part in ("worst", "rms")]  # fmt: skip
        rows.append([joint, *(cell.replace("nan", "-") for cell in cells)])
    head = [
        "joint",
        "position",
        "rms",
        "measured",
        "rms",
        "velocity",
        "rms",
        "measured",
        "rms",
        "torque",
        "rms",
        "measured",
        "rms",
    ]
    print(table(head, rows, right=range(1, len(head))))
    if comparison.tool is not None:
        commanded, measured = (f"{value * 1e3:.3g} mm" if value == value else "unknown" for value in comparison.tool)
        print(f"  tool               {commanded} apart as commanded, {measured} as measured")
    late = [f"99 % below {one.p99 * 1e3:.3g} ms, {one.most * 1e3:.3g} ms at most" for one in comparison.lateness]
    print(f"  lateness           {late[0]}; the second: {late[1]}")
    for note in notes:
        print(colour(f"  {note}", "yellow"))
    if failures is None:
        return
    for failure in failures:
        print(colour(f"  {failure}", "red"))
    verdict = ("they differ by more than is allowed", "red") if failures else ("they agree within the tolerances", "green")
    print(colour("  " + verdict[0], verdict[1]))


def _motions(comparison: "Comparison") -> str:
    words = {"tick": "tick by tick", "time": "by time", "path": "by path"}
    rows = []
    for i, motion in enumerate(comparison.motions):
        first, second = motion.durations
        rows.append([f"motion {i + 1}", f"{first:.3f} s", f"{second:.3f} s", f"{second - first:+.3f} s", words[motion.by]])
    return table(["", "first", "second", "later by", "aligned"], rows, right=(1, 2, 3))
