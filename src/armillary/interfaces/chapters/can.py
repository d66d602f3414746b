"""Paper 4's closed loop (its figure 1): set-points over CAN to drives at several periods, ours against linear interpolation."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from armillary.interfaces.cli.terminal import print_json, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from armillary.interfaces.chapters.can_study import LoggedMotion

__all__ = ["run"]

_WHAT = {
    "linear": "straight between waypoints (MoveIt's)",
    "backward": "paper 4: backward differences",
    "spline": "ours, from the waypoints alone",
    "exact": "ours, the path known",
    "exact, velocities": "the same, with velocity offsets",
}
_FIGURES: dict[str, tuple[str, "Callable[[LoggedMotion], float]"]] = {
    "deviation": ("tool off the arc, at most [mm]", lambda each: 1e3 * float(each.deviation.max())),
    "following_error": ("following error inside the drives, at most [mrad]", lambda each: 1e3 * each.following_error),
    "jolt": ("acceleration of a motor, at most [rad/s^2]", lambda each: each.jolt),
    "lag": ("motors behind the trajectory [ms]", lambda each: 1e3 * each.lag),
}


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.chapters.can_study import METHODS, PERIODS, bus_load, study_can
    from armillary.interfaces.plots.can_plot import draw_can
    from armillary.motion.refinement_study import arc_robot

    options.out.mkdir(parents=True, exist_ok=True)
    model = arc_robot()
    found = {(each.method, each.period): each for each in study_can(model)}
    picture = draw_can(found, _WHAT, options.out / "4_can.png")
    log = _write_log(found, options.out / "4_can.csv")
    if options.json:
        figures = {name: {way: [read(found[way, T]) for T in PERIODS] for way in METHODS} for name, (_, read) in _FIGURES.items()}
        print_json({
            "chapter": "can", "periods": list(PERIODS), "plots": [str(picture)], "log": str(log),
            "bus_load": [bus_load(model.n, period) for period in PERIODS],
            **figures,
        })  # fmt: skip
        return 0
    print(
        "Paper 4's arc (a quarter of 0.15 m in 5 s on the Panda, waypoints every 500 ms) through seven CiA 402 drives in cyclic"
    )
    print("synchronous position, which go straight from set-point to set-point, one period behind.")
    for head, read in _FIGURES.values():
        rows = [[_WHAT[method], *(f"{read(found[method, T]):.4f}" for T in PERIODS)] for method in METHODS]
        print(f"\n{head}\n")
        print(table(["set-points", *(f"{1e3 * T:g} ms" for T in PERIODS)], rows, right=(1, 2, 3, 4, 5)))
    loads = ", ".join(f"{1e3 * T:g} ms: {100 * bus_load(model.n, T):.0f} %" for T in PERIODS)
    print(f"\nOf a bus of 1 Mbit/s these seven drives take {loads}. What is over 100 % does not fit on one.")
    print(f"plot: {picture}\nlog: {log}")
    return 0


def _write_log(found: "dict[tuple[str, float], LoggedMotion]", out: Path) -> Path:
    """The fourth joint of every motion, each millisecond: commanded, inside the drive, measured; and the tool's deviation."""
    import csv

    with out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["method", "sync [s]", "time [s]", "commanded [rad]", "demanded [rad]", "measured [rad]", "off the arc [m]"]
        )
        for (method, period), each in found.items():
            columns = (each.times, each.commanded[:, 3], each.demanded[:, 3], each.measured[:, 3], each.deviation)
            writer.writerows([method, period, *(f"{value:.9g}" for value in row)] for row in zip(*columns))
    return out
