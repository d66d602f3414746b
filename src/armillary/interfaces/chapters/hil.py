"""Paper 5's hardware in the loop: the cobot's moves in the physics twin, torque estimated against measured (figures 7 to 11)."""

import argparse
from typing import TYPE_CHECKING

import numpy as np

from armillary.interfaces.cli.terminal import print_json, progress, progress_done, table

if TYPE_CHECKING:
    from armillary.interfaces.chapters.hil_linuxcnc import LinuxcncComparison
    from armillary.interfaces.chapters.hil_study import HilRun

__all__ = ["run"]

_CONSISTENT, _HONEST = 0.001, 0.08  # of a joint's RMS torque
_SAME = np.deg2rad(0.001)  # rad by which LinuxCNC's joints and ours may differ where both stand


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.chapters.hil_study import CASES, run_case
    from armillary.interfaces.plots.hil_plot import draw_hil

    runs = {case.name: run_case(case, progress=progress) for case in CASES}
    progress_done()
    options.out.mkdir(parents=True, exist_ok=True)
    pictures = draw_hil(runs["honest"], options.out) + draw_hil(runs["consistency"], options.out, only_torque=True)
    met = bool(runs["consistency"].error.max() < _CONSISTENT and runs["honest"].error.max() < _HONEST)
    linuxcnc, skipped = _linuxcnc() if options.linuxcnc else (None, "")
    if linuxcnc is not None:
        from armillary.interfaces.plots.hil_linuxcnc_plot import draw_linuxcnc

        pictures += draw_linuxcnc(linuxcnc, options.out)
        met = met and bool(linuxcnc.at_poses.max() < _SAME)
    if options.json:
        print_json({
            "linuxcnc": _values(linuxcnc) if linuxcnc is not None else None, "linuxcnc_skipped": skipped,
            "chapter": "hil", "joints": list(runs["honest"].joints), "met": met, "plots": [str(path) for path in pictures],
            "error": {name: each.error.tolist() for name, each in runs.items()},
            "residual": {name: each.residual.tolist() for name, each in runs.items()},
            "following": {name: each.following for name, each in runs.items()},
        })  # fmt: skip
        return 0 if met else 1
    print(
        "Paper 5, figures 7 to 11: its 8 moves through executor, TCP and physics; Newton and Euler's torque against the measured."
    )
    print("RMS of the difference as a share of the joint's RMS torque, every 10 ms\n")
    _print_errors(runs)
    print("\nWhere the honest difference comes from: each cause alone, RMS [N m]\n")
    _print_causes(runs)
    if skipped:
        print(f"\nThe comparison with LinuxCNC is left out: {skipped}")
    if linuxcnc is not None:
        _print_linuxcnc(linuxcnc)
    print("\nplots: " + ", ".join(str(path) for path in pictures))
    return 0 if met else 1


def _print_errors(runs: "dict[str, HilRun]") -> None:
    rows = []
    for name, target in (("consistency", _CONSISTENT), ("honest", _HONEST)):
        errors = runs[name].error
        met = "yes" if errors.max() < target else "NO"
        rows.append([name, *(f"{100 * error:.2g} %" for error in errors), f"< {100 * target:g} %", met])
    joints = runs["honest"].joints
    print(table(["twin", *joints, "target", "met"], rows, right=tuple(range(1, len(joints) + 2))))
    print("\nconsistency: the twin has the estimator's parameters and no friction; measured accelerations are used")
    print("honest: 5 % more mass, friction and damping, encoders of 131072 counts; accelerations as commanded")


def _print_causes(runs: "dict[str, HilRun]") -> None:
    joints = runs["honest"].joints
    rows = []
    for name in ("friction alone", "mass alone", "encoders alone", "honest"):
        rows.append([name if name != "honest" else "all together", *(f"{value:.3g}" for value in runs[name].residual)])
    print(table(["cause", *joints], rows, right=tuple(range(1, len(joints) + 1))))


def _linuxcnc() -> "tuple[LinuxcncComparison | None, str]":
    """The comparison, or why there is none."""
    from armillary.interfaces.chapters.hil_linuxcnc import compare_with_linuxcnc
    from armillary.interfaces.linuxcnc import LinuxcncMissing

    try:
        return compare_with_linuxcnc(progress=progress), ""
    except LinuxcncMissing as error:
        return None, str(error)
    finally:
        progress_done()


def _values(found: "LinuxcncComparison") -> dict[str, object]:
    return {
        "version": found.version, "at_poses": found.at_poses.tolist(), "on_the_way": found.on_the_way.tolist(),
        "samples": found.counts.samples, "missing": found.counts.missing, "overruns": found.counts.overruns,
        "durations": {"linuxcnc": found.linuxcnc.durations.tolist(), "ours": found.ours.durations.tolist()},
        "twin_missed": found.missed.tolist(),
    }  # fmt: skip


def _print_linuxcnc(found: "LinuxcncComparison") -> None:
    print(f"\nThe program by LinuxCNC {found.version} and by our interpreter, both from its first pose: joints [degrees]\n")
    rows = [
        ["differ at the poses", *(f"{value:.2g}" for value in np.rad2deg(found.at_poses)), f"< {np.rad2deg(_SAME):g}"],
        ["differ on the way", *(f"{value:.2g}" for value in np.rad2deg(found.on_the_way)), ""],
        ["twin off at the end", *(f"{value:.2g}" for value in np.rad2deg(found.missed)), ""],
    ]
    print(table(["LinuxCNC and ours", *found.joints, "target"], rows, right=tuple(range(1, len(found.joints) + 2))))
    counts = found.counts
    print(
        f"\nLinuxCNC's commands every millisecond: {counts.samples} came, {counts.missing} missing, {counts.overruns} overruns; "
        f"its moves took {found.linuxcnc.durations.sum():.2f} s, ours {found.ours.durations.sum():.2f} s"
    )
