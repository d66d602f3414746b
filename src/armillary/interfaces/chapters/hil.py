"""Paper 5's hardware in the loop: the cobot's moves in the physics twin, torque estimated against measured (figures 7 to 11)."""

import argparse
from typing import TYPE_CHECKING

from armillary.interfaces.cli.terminal import print_json, progress, progress_done, table

if TYPE_CHECKING:
    from armillary.interfaces.chapters.hil_study import HilRun

__all__ = ["run"]

_CONSISTENT, _HONEST = 0.001, 0.08  # of a joint's RMS torque


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.chapters.hil_study import CASES, run_case
    from armillary.interfaces.plots.hil_plot import draw_hil

    runs = {case.name: run_case(case, progress=progress) for case in CASES}
    progress_done()
    options.out.mkdir(parents=True, exist_ok=True)
    pictures = draw_hil(runs["honest"], options.out) + draw_hil(runs["consistency"], options.out, only_torque=True)
    met = bool(runs["consistency"].error.max() < _CONSISTENT and runs["honest"].error.max() < _HONEST)
    if options.json:
        print_json({
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
