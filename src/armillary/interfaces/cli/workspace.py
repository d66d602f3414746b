"""`armillary workspace`: how far the tool reaches and how well it can move there, as a table and a plot."""

import argparse
from pathlib import Path
from typing import Any

from armillary.interfaces.cli.arguments import add_json, picture_file
from armillary.interfaces.cli.configuration import add_configuration, add_frame, frame_of, model_of
from armillary.interfaces.cli.terminal import bold, print_json, table

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("workspace", help="reach and manipulability of a frame", description=__doc__)
    add_configuration(parser)
    add_frame(parser)
    parser.add_argument("--samples", type=int, default=20_000, metavar="N", help="configurations tried (20000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", nargs="?", const="", default=None, metavar="FILE", help="draw it (ROBOT_workspace.png)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.cli.configuration import BadNumbers
    from armillary.model.workspace import sample_workspace

    if not 10 <= options.samples <= 5_000_000:
        raise BadNumbers("--samples takes 10 to 5000000")
    if options.plot:
        picture_file(Path(options.plot))
    model = model_of(options)
    frame = frame_of(options, model)
    found = sample_workspace(model, frame, samples=options.samples, seed=options.seed)
    picture = None
    if options.plot is not None:
        from armillary.interfaces.plots.workspace_plot import draw_workspace

        picture = draw_workspace(found, model.spec.robot.name, Path(options.plot or f"{model.spec.robot.name}_workspace.png"))
    if options.json:
        print_json({
            "robot": model.spec.robot.name, "frame": frame, "samples": options.samples, "seed": options.seed,
            "centre": found.centre.tolist(), "reach": {"least": found.reach[0], "greatest": found.reach[1]},
            "low": found.low.tolist(), "high": found.high.tolist(),
            "manipulability": dict(zip(("p05", "p50", "p95", "max"), found.manipulability_quantiles, strict=True)),
            "plot": str(picture) if picture else None,
        })  # fmt: skip
        return 0
    print(f"{bold(frame)} of {model.spec.robot.name}, {options.samples} configurations inside the limits\n")
    rows = [[axis, f"{low:.3f}", f"{high:.3f}"] for axis, low, high in zip("xyz", found.low, found.high, strict=True)]
    print(table(["world [m]", "from", "to"], rows, right=(1, 2)))
    print(f"\nreach from the first joint: {found.reach[0]:.3f} to {found.reach[1]:.3f} m")
    names = ("5 %", "median", "95 %", "best")
    shown = "   ".join(f"{name} {value:.4g}" for name, value in zip(names, found.manipulability_quantiles, strict=True))
    print(f"manipulability: {shown}")
    if picture:
        print(f"plot: {picture}")
    return 0
