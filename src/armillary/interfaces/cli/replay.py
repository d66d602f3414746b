"""`armillary replay`: moves the robot again as it was recorded, proven anew, and says how it compares."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.compare import as_json, print_comparison
from armillary.interfaces.cli.plot import add_recordings, path_of, read_recording, shortfall_of
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.cell import Cell, Moved
    from armillary.model import Model
    from armillary.motion import Bounds, Trajectory
    from armillary.runtime.recording import Recording
    from armillary.runtime.recording_comparison import Comparison

__all__ = ["Proven", "add_parser", "prove", "run"]

_EXAMPLES = """\
examples:
  armillary replay                              the latest recording, on the physics twin
  armillary replay run.mcap --driver ideal --rate 0.5 --low-power

Every motion is proven against the robot and the cell as they are today. Exit status 1: a motion was uncertified, is not there as
a whole, or is not proven any more; then nothing moves.
"""
_SLOWER = 1.02  # a motion at its limits, read from samples, may be so much slower to keep them
_HERE = 1e-6  # rad or m: nearer than this, the robot is where a motion begins


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "replay", help="move again as recorded", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_recordings(parser)
    parser.add_argument("--driver", choices=("physics", "ideal"), default="physics", help="the motor side (physics)")
    parser.add_argument("--rate", type=float, default=1.0, metavar="SHARE", help="of the recorded speed (1)")
    parser.add_argument("--low-power", action="store_true", help="sleep between ticks instead of taking a core")
    add_json(parser)
    parser.set_defaults(run=run)


@dataclass(frozen=True, eq=False)
class Proven:
    """A recorded motion that is proven for the robot as it is today.

    Attributes:
        trajectory: To be driven.
        slower: By how much it had to be slowed to keep the limits; 1 where not at all.
    """

    trajectory: "Trajectory"
    slower: float


def prove(trajectory: "Trajectory", model: "Model", bounds: "Bounds", *, rate: float = 1.0, where: str = "the motion") -> Proven:
    """Prove a motion of a recording against today's robot and cell.

    What was driven at its limits is a hair beyond them when it is read from samples: it is slowed, by 2 % at most.

    Args:
        rate: Which it is driven at already, for what is said.

    Raises:
        NoReplay: It is not proven; says what it would not keep, and the rate at which it would.
    """
    from armillary.motion import certify
    from armillary.runtime.recorded_motions import NoReplay

    certificate = certify(trajectory, model, bounds=bounds)
    if certificate:
        return Proven(trajectory, 1.0)
    orders = {"velocity": 1, "acceleration": 2, "jerk": 3, "motor speed": 1, "motor acceleration": 2, "tool speed": 1}
    slower = max([certificate.use.get(name, 0.0) ** (1.0 / order) for name, order in orders.items()])
    advice = ""
    if slower > 1.0:
        slower *= 1.0 + 1e-8  # rounding
        slowed = trajectory.slowed(slower)
        if certify(slowed, model, bounds=bounds):
            if slower <= _SLOWER:
                return Proven(slowed, slower)
            advice = f"; it would be at --rate {int(100 * rate / slower) / 100:g}"
    raise NoReplay(f"{where} is not proven for this robot and cell: {certificate}{advice}; nothing was moved")


def run(options: argparse.Namespace) -> int:
    from armillary.runtime.recorded_motions import NoReplay, motions_of, rest_to_rest

    if not 0.0 < options.rate <= 2.0:
        raise NoReplay(f"a rate of {options.rate:g} is none; give more than 0 and at most 2")
    path = path_of(options)
    recording = read_recording(path)
    motions, spans = motions_of(recording), rest_to_rest(recording)
    if not motions:
        raise NoReplay(f"{path}: there is no motion in it; nothing was moved")
    progress("proving each motion anew")
    try:
        model, bounds = _today(recording)
        proven = [
            prove(
                motion.slowed(1.0 / options.rate), model, bounds, rate=options.rate,
                where=f"the motion at {recording.time[span.first]:.3f} s",
            )
            for motion, span in zip(motions, spans, strict=True)
        ]  # fmt: skip
    finally:
        progress_done()
    again, approaches = _drive(options, recording, proven)
    comparison = _compared(recording, again, approaches, model)
    notes = [f"{path.name}: {said}"] if (said := shortfall_of(path, recording)) else []
    notes += [note for note in comparison.notes if note not in notes]
    if recording.about.digest and recording.about.digest != model.digest:
        notes.append("the robot has changed since it was recorded; its motions are proven for it as it is now")
    slowest = max(one.slower for one in proven)
    if slowest > 1.0 + 1e-4:
        notes.append(f"slowed by {100 * (slowest - 1):.2g} % at most, to keep the limits")
    _say(options, path, again, proven, comparison, notes)
    return 0


def _today(recording: "Recording") -> "tuple[Model, Bounds]":
    """The robot and what its motions are held to, as they are now."""
    from dataclasses import replace

    from armillary.model import load_model
    from armillary.motion import Bounds, bounds_of, scene_of
    from armillary.runtime.prepared import description_of
    from armillary.runtime.recorded_motions import NoReplay

    about = recording.about
    if not about.source:
        raise NoReplay("the recording does not say where its robot came from; nothing was moved")
    model = load_model(about.source, group=about.group or None)
    if model.joints != about.joints:
        now, then = ", ".join(model.joints), ", ".join(about.joints)
        raise NoReplay(f"{about.source} has the joints {now} today, the recording {then}; nothing was moved")
    description = description_of(about.source)
    bounds = bounds_of(description, model) if description is not None else Bounds()
    return model, replace(bounds, scene=scene_of(description, model, progress=progress))


def _drive(options: argparse.Namespace, recording: "Recording", proven: list[Proven]) -> tuple[Path, list[int]]:
    """Drive all motions, to the start of each first; the new recording, and which of its motions only led to a start."""
    import numpy as np

    from armillary.cell import Cell
    from armillary.runtime.recording_folder import RecordingFolder

    folder, approaches, driven = RecordingFolder(options.recordings), [], 0
    before = set(folder.recordings())
    about = recording.about
    try:
        with Cell.open(
            about.source, group=about.group, driver=options.driver, low_power=options.low_power, recordings=str(folder.path),
            progress=progress,
        ) as cell:  # fmt: skip
            for number, one in enumerate(proven):
                progress(f"motion {number + 1} of {len(proven)}")
                start = one.trajectory.start.q
                if np.abs(cell.state.q - start).max() > _HERE:
                    approaches.append(driven)
                    _arrive(cell, cell.move_joints(start), start)
                    driven += 1
                _arrive(cell, cell.run_trajectory(one.trajectory), one.trajectory.end.q)
                driven += 1
    finally:
        progress_done()
    new = [path for path in folder.recordings() if path not in before]
    return (new[0] if new else folder.latest(about.robot)), approaches


def _arrive(cell: "Cell", moved: "Moved", goal: "NDArray[np.float64]") -> None:
    """Wait until the robot stands where a motion ends: only from there the next one may be driven."""
    import time

    import numpy as np

    from armillary.runtime import RuntimeProblem, State

    deadline = time.monotonic() + 2.0 * moved.duration + 5.0
    while time.monotonic() < deadline:
        state = cell.state
        if state.state == State.FAULTED:
            raise RuntimeProblem(f"it came to a fault: {state.fault}")
        if state.state == State.READY and np.abs(state.q - goal).max() < _HERE:
            return
        time.sleep(0.005)
    raise RuntimeProblem(f"the robot did not arrive where the motion ends; it is {cell.state}")


def _compared(recording: "Recording", again: Path, approaches: list[int], model: "Model") -> "Comparison":
    from armillary.runtime.recorded_motions import rest_to_rest
    from armillary.runtime.recording_comparison import compare_recordings

    replayed = read_recording(again)
    theirs = [span for number, span in enumerate(rest_to_rest(replayed)) if number not in approaches]
    return compare_recordings(recording, replayed, model=model, spans=(rest_to_rest(recording), theirs))


def _say(
    options: argparse.Namespace, path: Path, again: Path, proven: list[Proven], comparison: "Comparison", notes: list[str]
) -> None:
    if options.json:
        print_json({
            "recording": str(path), "replayed": str(again), "driver": options.driver, "rate": options.rate,
            "slower": [one.slower for one in proven], **as_json(comparison, [], notes),
        })  # fmt: skip
        return
    print(f"{bold(path.name)}: {len(proven)} motions driven again on the {options.driver} driver, recorded in {again}")
    print_comparison(comparison, None, notes)
    print(colour("  done", "green"))
