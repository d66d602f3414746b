"""`armillary plot`: a recording over time, as a picture or as a page to look around in."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.errors import ArmillaryError
from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done

if TYPE_CHECKING:
    from armillary.runtime.recording import Recording

__all__ = ["BadPlot", "EmptyRecording", "add_parser", "add_recordings", "path_of", "read_recording", "run", "shortfall_of"]

_EXAMPLES = """\
examples:
  armillary plot                                          the latest recording
  armillary plot --out run.html                           a page to zoom in, that needs nothing else
  armillary plot run.mcap --joints joint_2,joint_3 --from 1.5 --to 2.2
  armillary plot run.mcap --repair                        of a recorder that was killed: made whole in place
"""
_SUFFIXES = (".png", ".svg", ".pdf", ".html")


class BadPlot(ArmillaryError):
    """A picture that cannot be drawn as asked."""


class EmptyRecording(ArmillaryError):
    """A recording without a tick that could be read."""

    def __init__(self, path: Path, recording: "Recording") -> None:
        why = "it is empty, not one tick was recorded; give another, or run the cell again"
        if recording.damaged_from is not None:
            why = (
                f"it is damaged from byte {recording.damaged_from} on; 0 ticks could be read: bring back a copy, or give another"
            )
        elif not recording.whole:
            why = "it ends in the middle, before the first ticks were whole; 0 ticks could be read: give another"
        super().__init__(f"{path}: {why}")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "plot", help="a recording over time, as a picture or a page", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_recordings(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="a .png, .svg, .pdf or .html; named after the recording if left out"
    )
    parser.add_argument("--joints", metavar="A,B", help="these joints only")
    parser.add_argument("--from", dest="begin", type=float, metavar="S", help="from this time on [s since its start]")
    parser.add_argument("--to", dest="end", type=float, metavar="S", help="up to this time [s since its start]")
    parser.add_argument("--repair", action="store_true", help="make one whole, in place, whose recorder was killed")
    add_json(parser)
    parser.set_defaults(run=run)


def add_recordings(parser: argparse.ArgumentParser) -> None:
    """RECORDING and --recordings."""
    parser.add_argument("recording", nargs="?", type=Path, metavar="RECORDING", help="an .mcap; the latest where left out")
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="where recordings are; the usual folder where left out")


def path_of(options: argparse.Namespace) -> Path:
    """The recording that is meant."""
    from armillary.runtime.recording_folder import RecordingFolder

    return Path(options.recording) if options.recording is not None else RecordingFolder(options.recordings).latest()


def read_recording(path: Path) -> "Recording":
    """A recording with something in it.

    Raises:
        BadRecording, EmptyRecording: It is none, or has nothing in it.
    """
    from armillary.runtime.recording import Recording

    progress(f"reading {path}")
    try:
        recording = Recording.open(path)
    finally:
        progress_done()
    if not len(recording.time):
        raise EmptyRecording(path, recording)
    return recording


def shortfall_of(path: Path, recording: "Recording") -> str:
    """What one should know where a recording is not whole, or ""."""
    if recording.whole:
        return ""
    from armillary.runtime.recording_folder import is_being_written

    up_to = f"read up to {recording.time[-1]:.1f} s"
    if recording.damaged_from is not None:
        return f"it is damaged from byte {recording.damaged_from} on; {len(recording.time)} ticks could be read, {up_to}"
    if is_being_written(path):
        return f"it is still being written; {up_to}"
    return f"it ends in the middle: the recorder was killed; {up_to}"


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.plots.recording_plot import draw_recording, part_of
    from armillary.runtime.recording import repair
    from armillary.runtime.recording_folder import is_being_written

    path = path_of(options)
    out = options.out or Path(path.stem + ".png")
    if out.suffix.lower() not in _SUFFIXES:
        raise BadPlot(f"{out}: no picture is called that; give a name that ends in {', '.join(_SUFFIXES)}")
    repaired = False
    if options.repair:
        if path.exists() and is_being_written(path):
            raise BadPlot(f"{path} is still being written and cannot be repaired; end the cell that writes it first")
        repaired = repair(path)
    whole = read_recording(path)
    joints = [name for name in (options.joints or "").replace(",", " ").split() if name]
    recording = part_of(whole, joints=joints, begin=options.begin, end=options.end)
    note, title = shortfall_of(path, whole), f"{whole.about.robot}: {path.name}, {whole.time[-1]:.3f} s"
    progress("drawing")
    try:
        if out.suffix.lower() == ".html":
            from armillary.interfaces.plots.recording_page import recording_page
            from armillary.whole_file import write_whole

            write_whole(out, recording_page(recording, title=title, note=note))
        else:
            draw_recording(recording, out, title=title + (f" ({note})" if note else ""))
    finally:
        progress_done()
    said = _summary(path, recording, note, out, repaired)
    if options.json:
        print_json(said)
    else:
        _print(said)
    return 0


def _summary(path: Path, recording: "Recording", note: str, out: Path, repaired: bool) -> dict[str, Any]:
    import numpy as np

    from armillary.interfaces.plots.recording_plot import is_fault, panels_of, source_stretches, state_stretches
    from armillary.runtime.recorded_motions import motion_spans

    error = np.abs(panels_of(recording)[4].commanded[1])
    error = np.where(np.isfinite(error), error, -1.0).max(axis=0)
    late = recording.late[np.isfinite(recording.late)]
    p50, p99 = np.quantile(late, (0.5, 0.99)) if len(late) else (np.nan, np.nan)
    return {
        "recording": str(path), "robot": recording.about.robot, "joints": list(recording.about.joints), "whole": recording.whole,
        "note": note, "repaired": repaired, "ticks": len(recording.time), "from": float(recording.time[0]),
        "to": float(recording.time[-1]), "plot": str(out),
        "motions": [
            {"time": float(recording.time[s.first]), "duration": float(recording.time[s.last] - recording.time[s.first]),
             "certified": bool(recording.certified[s.ticks].all()), "source": recording.source[min(s.first + 1, s.last)]}
            for s in motion_spans(recording)
        ],
        "states": [{"from": s.begin, "to": s.end, "state": s.name} for s in state_stretches(recording)],
        "sources": [{"from": s.begin, "to": s.end, "source": s.name} for s in source_stretches(recording)],
        "events": [
            {"time": e.time, "kind": e.kind, "state": e.state, "text": e.text, "source": e.source,
             "fault": is_fault(e.kind, e.state)}
            for e in recording.events
        ],
        "following_error": [float(value) if value >= 0.0 else None for value in error],
        "lateness": {"median": float(p50), "p99": float(p99), "most": float(late.max()) if len(late) else float("nan")},
    }  # fmt: skip


def _print(said: dict[str, Any]) -> None:
    print(
        f"{bold(said['robot'])}: {said['from']:.3f} to {said['to']:.3f} s, {said['ticks']} ticks, {len(said['motions'])} motions"
    )
    if said["repaired"]:
        print(colour("  repaired           it is whole again, as far as it was written", "yellow"))
    if said["note"]:
        print(colour(f"  {said['note']}", "yellow"))
    known = [(value, joint) for value, joint in zip(said["following_error"], said["joints"], strict=True) if value is not None]
    if known:
        worst, joint = max(known)
        print(f"  following error    {worst:.3g} at most, {joint}")
    late = said["lateness"]
    if late["most"] == late["most"]:
        print(f"  lateness           99 % below {late['p99'] * 1e3:.3g} ms, {late['most'] * 1e3:.3g} ms at most")
    for event in said["events"]:
        if event["fault"]:
            print(colour(f"  fault at {event['time']:.3f} s  {event['text'] or event['kind']}", "red"))
    print(f"  plot               {said['plot']}")
