"""`armillary fk`: where a frame is at a configuration."""

import argparse
from typing import Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import (
    add_base,
    add_configuration,
    add_frame,
    base_of,
    configuration_of,
    frame_of,
    model_of,
)
from armillary.interfaces.cli.terminal import bold, colour, print_json

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary fk cobot6
  armillary fk cobot6 --q "0 0.5 -1 0 1.57 0" --frame link_3
  armillary fk industrial6 --deg --at joint_2=-20 --json
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "fk", help="where a frame is at a configuration", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_configuration(parser)
    add_frame(parser)
    add_base(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    import numpy as np

    from armillary.model import frame_pose
    from armillary.spatial import inverse, quaternion_from_rotation, rpy_from_rotation

    model = model_of(options)
    q = configuration_of(options, model)
    frame = frame_of(options, model)
    base = base_of(options, model)
    T_world = frame_pose(model, q, frame)
    T = inverse(frame_pose(model, q, base)) @ T_world if base else T_world
    xyz, rpy, quaternion = T[:3, 3], rpy_from_rotation(T[:3, :3]), quaternion_from_rotation(T[:3, :3])
    outside = model.outside(q)
    if options.json:
        print_json({
            "robot": model.spec.robot.name, "frame": frame, "base": base or "world", "joints": list(model.joints),
            "q": q.tolist(), "xyz": xyz.tolist(), "rpy": list(rpy), "quaternion_wxyz": quaternion.tolist(), "T": T.tolist(),
            "T_world": T_world.tolist(), "outside_limits": outside,
        })  # fmt: skip
        return 0
    print(f"{bold(frame)} in {bold(base) if base else 'the world'}")
    print(f"  xyz         {xyz[0]:12.6f} {xyz[1]:12.6f} {xyz[2]:12.6f} m")
    print(f"  rpy         {rpy[0]:12.6f} {rpy[1]:12.6f} {rpy[2]:12.6f} rad")
    print("              " + " ".join(f"{np.rad2deg(angle):12.4f}" for angle in rpy) + " degrees")
    print("  quaternion  " + " ".join(f"{value:12.6f}" for value in quaternion) + " (w x y z)")
    if base:
        print(f"  (in the world xyz {' '.join(f'{value:.6f}' for value in T_world[:3, 3])} m)")
    for text in outside:
        print(colour(f"  outside its limits: {text}", "yellow"))
    return 0
