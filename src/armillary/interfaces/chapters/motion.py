"""Paper 4: waypoints every 500 ms refined by quintics. Its claim of 0.1 mm on an arc, its straight line, and its table 2."""

import argparse

from armillary.interfaces.cli.terminal import print_json, table

__all__ = ["run"]

# Table 2 of the paper [degrees]: four waypoints of seven joints, 500 ms apart.
TABLE_2 = (
    (-1.7, -3.6, -1.2, 83.5, -82.4, 82.5, 0.0),
    (13.0, -3.2, 9.8, 74.4, -88.2, 82.2, 0.0),
    (19.2, -4.0, 13.2, 64.3, -85.2, 75.1, 0.0),
    (31.0, -9.2, 17.6, 46.8, -76.8, 69.2, 0.0),
)
_WHAT = {
    "linear": "straight between waypoints (MoveIt's)",
    "backward": "paper 4: backward differences",
    "central": "central differences",
    "spline": "ours, from the waypoints alone",
    "exact": "ours, the path known",
    "knots added": "ours, knots where they are needed",
}


def run(options: argparse.Namespace) -> int:
    import numpy as np

    from armillary.interfaces.plots.refinement_plot import draw_arc, draw_line, draw_table_2
    from armillary.motion import refine
    from armillary.motion.refinement_study import METHODS, arc_robot, study_arc, study_line

    options.out.mkdir(parents=True, exist_ok=True)
    model = arc_robot()
    studies = [study_arc(model, duration) for duration in (2.0, 5.0, 10.0)]
    straight = study_line(model, 5.0)
    waypoints = np.deg2rad(TABLE_2)
    times = np.array([0.5 * i for i in range(len(waypoints))])
    joints = [f"joint {i + 1}" for i in range(waypoints.shape[1])]
    moves = {name: refine(joints, times, waypoints, estimate=name) for name in ("backward", "spline")}
    pictures = [
        draw_arc(studies, _WHAT, options.out / "4_arc.png"),
        draw_line(straight, _WHAT, options.out / "4_line.png"),
        draw_table_2(moves, times, waypoints, options.out / "4_table_2.png"),
    ]
    worst = {name: [float(study.deviation[name].max()) for study in studies] for name in METHODS}
    if options.json:
        print_json({
            "chapter": "motion", "durations": [study.duration for study in studies], "deviation": worst,
            "line": {name: float(straight.deviation[name].max()) for name in METHODS},
            "knots": {name: [study.knots[name] for study in studies] for name in METHODS},
            "plots": [str(picture) for picture in pictures],
        })  # fmt: skip
        return 0
    print(
        "Paper 4's arc: a quarter of radius 0.15 m in the y-z plane on the Panda, orientation kept, waypoints every 500 ms by a"
    )
    print("quintic law; worst distance of the tool from the true arc [mm] (knots)\n")
    head = ["refined by", *(f"in {study.duration:g} s" for study in studies)]
    rows = []
    for name in METHODS:
        figures = [f"{1e3 * value:.5f} ({study.knots[name]})" for value, study in zip(worst[name], studies, strict=True)]
        rows.append([_WHAT[name], *figures])
    print(table(head, rows, right=(1, 2, 3)))
    held = [study.duration for study, value in zip(studies, worst["backward"], strict=True) if value <= 1e-4]
    claim = f"in {', '.join(f'{value:g} s' for value in held)}" if held else "in none of the three"
    print(f"\nThe paper's 0.1 mm is kept by its own method {claim}: it depends on a slow, short arc.")
    print("\nIts straight line (0.3 m on the same robot, 5 s): worst distance of the tool from it [mm]\n")
    rows = [[_WHAT[name], f"{1e3 * straight.deviation[name].max():.5f}"] for name in METHODS]
    print(table(["refined by", "in 5 s"], rows, right=(1,)))
    extrema = {name: np.abs(move.extrema.values).max(axis=(1, 2)) for name, move in moves.items()}
    print("\nIts table 2 (four waypoints of seven joints), refined: largest velocity, acceleration and jerk [rad/s ...]\n")
    rows = [[_WHAT[name], *(f"{value:.3f}" for value in values[1:])] for name, values in extrema.items()]
    print(table(["refined by", "velocity", "acceleration", "jerk"], rows, right=(1, 2, 3)))
    for picture in pictures:
        print(f"plot: {picture}")
    return 0
