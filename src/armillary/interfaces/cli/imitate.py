"""`armillary imitate`: a robot does what a person does: a motion file all at once, or live, in the twin or on motors.

A file without --live is imitated frame by frame as fast as it goes, and what came of it is said: which bones and joints were
matched, how far each limb is off, whether all limits were kept. With --live, or of a suit (tcp://, udp://), a cell is opened and
its robot moves; its motion is not certified.
"""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.errors import ArmillaryError
from armillary.interfaces.cli.arguments import add_json, picture_file
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.imitation import Capture, Imitation, Match, Person
    from armillary.model import Model

__all__ = ["BadImitate", "add_parser", "error_rows", "error_values", "is_live", "limits_broken", "print_matched", "run"]

_EXAMPLES = """\
examples:
  armillary imitate walk.bvh --robot inmoov                      every frame: matched, followed, checked
  armillary imitate walk.bvh --robot inmoov --film walk.mp4      the person left, the robot right
  armillary imitate walk.bvh --robot inmoov --live               as fast as the person was, in the physics twin
  armillary imitate tcp://192.168.1.5:7001 --robot inmoov        a suit by Axis Neuron's broadcast, until Ctrl-C
  armillary imitate tcp://127.0.0.1:7001 --robot cell.toml --driver servo_frame --speed 0.5
  armillary imitate wave.bvh --robot cobot6 --arm left --program wave.py
  armillary run cobot6 --program wave.py                         and again, proven

Ctrl-C brings the robot to rest and ends.
Exit status 1: a limit was not kept, or the robot was let go of; 2: it cannot be begun.
"""
_MATCHED = ("general", "paper")


class BadImitate(ArmillaryError):
    """`armillary imitate` was asked for something that there is not."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "imitate", help="a robot does what a person does", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("motion", metavar="MOTION", help="a BVH file, or a suit: tcp://HOST:PORT or udp://[HOST]:PORT")
    parser.add_argument("--robot", required=True, metavar="ROBOT", help="a URDF, cell.toml, or a robot's name")
    parser.add_argument("--group", metavar="NAME", default="", help="only the joints of this group of the cell")
    parser.add_argument("--live", action="store_true", help="move a cell's robot, as fast as the file's person moved")
    parser.add_argument("--mapping", choices=_MATCHED, default="general", help="any robot (default), or paper 1's for InMoov")
    parser.add_argument("--matching", type=Path, metavar="FILE", help='bones by part, where they are not found: head = "bone_7"')
    parser.add_argument("--mirror", action="store_true", help="as in a mirror: the robot's left does what the right did")
    parser.add_argument("--arm", choices=("left", "right"), default="right", help="which arm a robot with one follows (right)")
    parser.add_argument("--speed", type=float, default=1.0, metavar="SHARE", help="share of the joints' speeds at most (1)")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="how far joints go from their zero (1), live")
    parser.add_argument(
        "--driver", metavar="NAME", default="", help="the motor side, live: physics (default), ideal, or the cell's"
    )
    parser.add_argument("--rosbridge", type=int, nargs="?", const=9090, metavar="PORT", help="speak ROS meanwhile, live (9090)")
    parser.add_argument("--low-power", action="store_true", help="sleep between ticks, live: less punctual, less power")
    parser.add_argument("--seconds", type=float, metavar="S", help="end after so long, live")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw how far each limb was off")
    parser.add_argument("--film", type=Path, metavar="FILE", help="film it: the person left, the robot right (.mp4)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep what the person did, live (.bvh)")
    parser.add_argument("--program", type=Path, metavar="FILE", help="make it a program that can be played (.py)")
    add_json(parser)
    parser.set_defaults(run=run)


def is_live(options: argparse.Namespace) -> bool:
    return bool(options.live or _is_address(options.motion))


def _is_address(motion: str) -> bool:
    return motion.strip().lower().startswith(("tcp://", "udp://"))


def run(options: argparse.Namespace) -> int:
    _check(options)
    if is_live(options):
        from armillary.interfaces.cli.imitate_live import run_live

        return run_live(options)
    return _run_file(options)


def _check(options: argparse.Namespace) -> None:
    """What can be seen to be wrong before anything is begun."""
    if not 0.0 < options.speed <= 1.0:
        raise BadImitate(f"a speed of {options.speed:g} is none; give a share of the joints' speeds, more than 0 and up to 1")
    if not 0.0 < options.scale <= 2.0:
        raise BadImitate(f"a scale of {options.scale:g} is none; give more than 0 and up to 2")
    if options.seconds is not None and not 0.0 < options.seconds < float("inf"):
        raise BadImitate(f"{options.seconds:g} seconds are none; give more than 0")
    for name, file, ending in (("record", options.record, ".bvh"), ("program", options.program, ".py")):
        if file is not None and file.suffix.lower() != ending:
            raise BadImitate(f"--{name} {file}: it is written as {ending}; give a name that ends so")
        if file is not None and not file.absolute().parent.is_dir():
            raise BadImitate(f"--{name} {file}: there is no folder {file.parent}; make it, or give another name")
    if options.plot is not None:
        picture_file(options.plot)
    only = [name for name in ("driver", "rosbridge", "record", "seconds") if getattr(options, name) not in (None, "")]
    if only and not is_live(options):
        raise BadImitate(f"--{only[0]} is for a cell that moves; add --live")


def _run_file(options: argparse.Namespace) -> int:
    from armillary.imitation import Person, imitate, match, read_bvh, read_overrides
    from armillary.model import load_model

    model = load_model(options.robot, group=options.group or None)
    progress(f"reading {options.motion}")
    capture = read_bvh(Path(options.motion))
    if not len(capture):
        raise BadImitate(f"{options.motion}: there is no frame in it; give one in which somebody moves")
    overrides = read_overrides(options.matching) if options.matching is not None else None
    matched = match(capture.skeleton, capture.poses, overrides)
    person = Person.of_capture(capture, matched)
    progress(f"{model.spec.robot.name} imitates {len(capture)} frames")
    how = {"mapping": options.mapping, "arm": options.arm, "mirrored": options.mirror, "speed": options.speed}
    imitate(model, _first(capture, 2), person=person, **how)  # what is compiled and loaded once does not count
    begin = time.perf_counter()
    imitation = imitate(model, capture, person=person, **how)
    took = time.perf_counter() - begin
    progress_done()
    broken = limits_broken(model, imitation)
    written = _write(options, model, capture, person, imitation)
    if options.json:
        print_json(_as_json(options, model, capture, person, imitation, broken, len(capture) / took, written))
    else:
        print(f"{bold(str(options.motion))}: {len(capture)} frames of {1e3 * capture.period:.3g} ms, {capture.duration:.1f} s")
        for note in capture.notes:
            print(colour(note, "yellow"))
        print_matched(model, matched, person)
        print()
        print(table(("off by", "median", "p95", "worst"), error_rows(imitation.errors), right=(1, 2, 3)))
        print()
        print(colour(f"limits are not kept: {broken}", "red") if broken else "limits kept: positions, velocities, accelerations")
        print(f"{len(capture) / took:.0f} frames/s")
        for file in written:
            print(f"{bold('written')}: {file}")
    return 1 if broken else 0


def _first(capture: "Capture", frames: int) -> "Capture":
    from dataclasses import replace

    return replace(capture, values=capture.values[:frames].copy())


def print_matched(model: "Model", matched: "Match", person: "Person") -> None:
    """Which bones and joints were taken for which parts of the body, and the units."""
    from armillary.imitation import body_of

    print(table(("part", "bones", "found by"), matched.rows()))
    print()
    print(table(("robot's part", "joints"), body_of(model).rows()))
    print()
    print(f"{person.stature}; how bones stand is known from {person.said}")


def error_rows(errors: "dict[str, NDArray[np.float64]]") -> list[tuple[str, str, str, str]]:
    """How far each part is off: median, the 95th of a hundred, and the worst."""
    import numpy as np

    rows = []
    for part, off in errors.items():
        values = off[np.isfinite(off)]
        if len(values):
            # Of an arm that brings its wrist to where the person's is, the error is a distance.
            factor, unit = (1e3, " mm") if part.endswith("_place") else (180.0 / np.pi, "°")
            shown = [f"{factor * value:.2f}{unit}" for value in (*np.percentile(values, (50, 95)), values.max())]
            rows.append((part.replace("_", " "), *shown))
    return [(a, b, c, d) for a, b, c, d in rows]


def error_values(errors: "dict[str, NDArray[np.float64]]") -> dict[str, dict[str, float]]:
    """The same as numbers [rad, or m of a place]."""
    import numpy as np

    return {
        part: {"median": float(np.median(off)), "p95": float(np.percentile(off, 95)), "worst": float(off.max())}
        for part, off in errors.items()
        if len(off)
    }


def limits_broken(model: "Model", imitation: "Imitation") -> str:
    """The first limit that a motion does not keep, in words; "" where it keeps all."""
    import numpy as np

    from armillary.motion import limits_of

    limits, q = limits_of(model), imitation.q
    # From where the robot stood at rest before the first frame: that is a period at the first velocity behind.
    v = np.diff(np.concatenate([q[:1] - imitation.period * imitation.v[:1], q]), axis=0) / imitation.period
    a = np.diff(np.concatenate([np.zeros((1, model.n)), v]), axis=0) / imitation.period
    spare = 1e-6
    beyond = (
        ("position", np.maximum(limits.lower - q, q - limits.upper) - spare),
        ("velocity", np.abs(v) - limits.velocity * (1.0 + spare)),
        ("acceleration", np.abs(a) - limits.acceleration * (1.0 + 1e-4)),
    )
    for what, over in beyond:
        if over.size and over.max() > 0.0:
            frame, joint = np.unravel_index(int(over.argmax()), over.shape)
            return f"{what} of {model.joints[joint]} in frame {frame}, by {over.max():.3g}"
    return ""


def _write(
    options: argparse.Namespace, model: "Model", capture: "Capture", person: "Person", imitation: "Imitation"
) -> list[str]:
    """Plot, program and film, where they were asked for."""
    import numpy as np

    written = []
    if options.plot is not None:
        from armillary.interfaces.plots.limb_error_plot import draw_limb_errors

        title = f"{model.spec.robot.name} imitates {Path(options.motion).name}"
        written.append(str(draw_limb_errors(imitation.errors, imitation.period, options.plot, title=title)))
    if options.program is not None:
        from armillary.cell.recorded_imitation import program_text
        from armillary.programs.teach import RecordedPath
        from armillary.whole_file import write_whole

        path = RecordedPath(model.joints, imitation.period * np.arange(len(imitation), dtype=float), imitation.q)
        write_whole(options.program, program_text(path, options.robot, f"An imitation of {Path(options.motion).name}"))
        written.append(str(options.program))
    if options.film is not None:
        written.append(str(_film(options, model, capture, person, imitation)))
    return written


def _film(
    options: argparse.Namespace, model: "Model", capture: "Capture", person: "Person", imitation: "Imitation"
) -> Path:  # fmt: skip
    from armillary.imitation import Room, sides_of_bones
    from armillary.interfaces.plots.film import person_figure, robot_figure, write_film

    room = Room(person.match, imitation.places, imitation.wanted.chest)
    figures = [
        person_figure(room.upright(imitation.places), capture.skeleton.parents.tolist(), sides_of_bones(person.match), "person"),
        robot_figure(model, imitation.q, progress=progress),
    ]
    try:
        return write_film(
            options.film, figures, imitation.period, words=lambda frame: f"{frame * imitation.period:.1f} s",
            progress=lambda done, of: progress(f"film: picture {done} of {of}"),
        )  # fmt: skip
    finally:
        progress_done()


def _as_json(
    options: argparse.Namespace, model: "Model", capture: "Capture", person: "Person", imitation: "Imitation", broken: str,
    rate: float, written: list[str],
) -> dict[str, Any]:  # fmt: skip
    return {
        "motion": options.motion, "robot": model.spec.robot.name, "frames": len(capture), "period": capture.period,
        "notes": list(capture.notes), "unit": person.stature.unit, "height": person.stature.height, "learnt_from": person.said,
        "matched": {part: {"bones": bones, "by": how} for part, bones, how in person.match.rows()},
        "errors": error_values(imitation.errors),
        "limits_kept": not broken, "broken": broken, "frames_per_second": rate, "written": written,
    }  # fmt: skip
