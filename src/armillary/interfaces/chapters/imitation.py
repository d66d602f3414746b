"""Paper 1: a person's motion on a humanoid; how exact each limb is, limits, and the arc of the hand (its figure 11)."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.imitation import Capture
from armillary.imitation.errors import ImitationError
from armillary.interfaces.cli.terminal import print_json, table

if TYPE_CHECKING:
    from armillary.interfaces.chapters.imitation_study import MotionStudy

__all__ = ["run"]

_MADE_UP = 1200  # frames of a person who is made up, where no file is given
_FEWEST = 3  # frames that have an acceleration
_HUMANOIDS = ("inmoov", "talos_reduced")


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.chapters.imitation_study import PARTS, study_motion
    from armillary.interfaces.plots.imitation_plot import draw_imitation

    options.out.mkdir(parents=True, exist_ok=True)
    captures, left_out = _captures(options.motion)
    studies: list[MotionStudy] = []
    for model in _models(options.robot):
        for capture in captures:
            studies += [study_motion(model, capture, slower=slower, progress=_progress) for slower in (False, True)]
    if not studies:
        raise ImitationError("there is no motion to imitate in what was given: " + "; ".join(left_out))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    picture = draw_imitation(studies, options.out / "1_imitation.png")
    if options.json:
        print_json({"chapter": "imitation", "plots": [str(picture)], "motions": [_figures(each, PARTS) for each in studies]})
        return 0
    print("Angle between the person's limb and the robot's, median / p95 / worst [degrees], of the frames that some pose of the")
    print("robot matches within a degree (an independent solve of each frame, without rates or smoothing); then of all frames.")
    print("Each motion once as fast as the person was, and once as many times slower as the robot's joints need.\n")
    for reachable, head in ((True, "frames that can be matched"), (False, "all frames")):
        rows = [
            [
                each.robot,
                Path(each.name).name[:34],
                str(each.frames),
                f"{each.pace:.1f}",
                _late(each),
                f"{100 * each.share_reachable:.0f} %",
            ]
            + [_three(each, part, reachable) for part in PARTS]
            for each in studies
        ]
        print(head)
        heads = ["robot", "motion", "frames", "slower", "late", "can be", *(part.replace("_", " ") for part in PARTS)]
        print(table(heads, rows, right=(2, 3, 4, 5)))
        print()
    worst = {what: max(each.over[what] for each in studies) for what in ("position", "velocity", "acceleration")}
    broken = [what for what, over in worst.items() if over > 1e-9]
    print("limits: " + (f"EXCEEDED: {worst}" if broken else "position, velocity and acceleration kept in every frame"))
    print(f"frames in which the robot's parts meet: {sum(each.collisions for each in studies)}")
    for text in left_out:
        print(f"left out: {text}")
    print(f"plot: {picture}")
    return 1 if broken else 0


def _captures(given: list[Path]) -> tuple[list[Capture], list[str]]:
    """Motions, and why files of folders are not among them. A file that is named must be one."""
    from armillary.imitation import match, moving_person, read_bvh

    if not given:
        return [moving_person(_MADE_UP, 60.0)], []
    captures, left_out = list[Capture](), list[str]()
    for path in given:
        for file in sorted(path.glob("*.bvh")) if path.is_dir() else [path]:
            try:
                capture = read_bvh(file, partial=True)
                if len(capture) < _FEWEST:
                    raise ImitationError(f"{file}: {len(capture)} frames are no motion")
                match(capture.skeleton, capture.poses)
            except ImitationError as error:
                if not path.is_dir():
                    raise
                left_out.append(str(error))
                continue
            captures.append(capture)
    return captures, left_out


def _models(names: list[str]) -> list[Any]:
    from armillary.description.library import extra_robots_folder
    from armillary.model import load_model

    chosen = names or [name for name in _HUMANOIDS if name == "inmoov" or extra_robots_folder() is not None]
    return [load_model(name, group="controlled") if name == "inmoov" else load_model(name) for name in chosen]


def _three(study: "MotionStudy", part: str, reachable: bool) -> str:
    import numpy as np

    off = np.degrees(study.of_part(part, reachable=reachable))
    return "-" if not len(off) else f"{np.median(off):.2f} / {np.percentile(off, 95):.1f} / {off.max():.1f}"


def _late(study: "MotionStudy") -> str:
    return "-" if study.late != study.late else f"{1e3 * study.late:.0f} ms"


def _figures(study: "MotionStudy", parts: tuple[str, ...]) -> dict[str, Any]:
    import numpy as np

    def three(part: str, reachable: bool) -> list[float] | None:
        off = np.degrees(study.of_part(part, reachable=reachable))
        return [float(np.median(off)), float(np.percentile(off, 95)), float(off.max())] if len(off) else None

    return {
        "robot": study.robot, "motion": study.name, "frames": study.frames, "reachable": study.share_reachable,
        "degrees": {part: three(part, True) for part in parts}, "degrees_of_all": {part: three(part, False) for part in parts},
        "pace": study.pace, "late": study.late, "over": study.over, "collisions": study.collisions,
    }  # fmt: skip


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
