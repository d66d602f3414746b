"""`armillary jacobian`: how a frame moves with each joint, and how near a singularity is."""

import argparse
from typing import Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import add_configuration, add_frame, configuration_of, frame_of, model_of
from armillary.interfaces.cli.terminal import bold, print_json, table

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("jacobian", help="how a frame moves with each joint", description=__doc__)
    add_configuration(parser)
    add_frame(parser)
    parser.add_argument("--reference", choices=("world", "local", "mixed"), default="mixed",
                        help="axes and point: the world's, the frame's, or the frame's point along world axes")  # fmt: skip
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.model import Reference, frame_jacobian, manipulability, singular_values

    model = model_of(options)
    q = configuration_of(options, model)
    frame = frame_of(options, model)
    J = frame_jacobian(model, q, frame, reference=Reference[options.reference.upper()])
    values = singular_values(model, q, frame)
    measure = manipulability(model, q, frame)
    if options.json:
        print_json({
            "robot": model.spec.robot.name, "frame": frame, "reference": options.reference, "joints": list(model.joints),
            "q": q.tolist(), "jacobian": J.tolist(), "singular_values": values.tolist(), "manipulability": measure,
            "outside_limits": model.outside(q),
        })  # fmt: skip
        return 0
    moved = [i for i in range(model.n) if abs(J[:, i]).max() > 0]
    rows = [[name, *(f"{J[row, i]:.4f}" for i in moved)] for row, name in enumerate(("vx", "vy", "vz", "wx", "wy", "wz"))]
    print(f"{bold(frame)}, {options.reference}: m/s and rad/s per unit of joint speed\n")
    print(table(["", *(model.joints[i] for i in moved)], rows, right=range(1, len(moved) + 1)))
    print(f"\nmanipulability {measure:.4g}; singular values {' '.join(f'{value:.4g}' for value in values)}")
    print(f"distance to singularity {values[-1]:.4g} (the smallest of them)")
    return 0
