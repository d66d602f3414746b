"""`armillary torque`: what each joint must give to hold, move or accelerate."""

import argparse
from typing import Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import add_configuration, configuration_of, model_of, values_of
from armillary.interfaces.cli.terminal import colour, print_json, table

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary torque cobot6                                 holding still at home
  armillary torque cobot6 --q "0 0 0 0 0 0" --a "0 1 0 0 0 0"
  armillary torque industrial6 --deg --v "10 0 0 0 0 0" --json

exit status: 1 where a torque is over its limit.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "torque", help="what each joint must give to hold or move", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_configuration(parser)
    parser.add_argument("--v", metavar='"V1 ..."', help="joint velocities [rad/s or m/s]; 0 where left out")
    parser.add_argument("--a", metavar='"A1 ..."', help="joint accelerations [rad/s^2 or m/s^2]; 0 where left out")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    import numpy as np

    from armillary.model import coriolis_matrix, gravity_torque, inverse_dynamics, mass_matrix, passive_torque

    model = model_of(options)
    q = configuration_of(options, model)
    v = values_of(options.v, model, options.deg, "--v") if options.v else np.zeros(model.n)
    a = values_of(options.a, model, options.deg, "--a") if options.a else np.zeros(model.n)
    gravity = gravity_torque(model, q)
    motion = coriolis_matrix(model, q, v) @ v
    inertia = mass_matrix(model, q) @ a
    friction = passive_torque(model, v)
    total = inverse_dynamics(model, q, v, a) + friction
    over = [name for name, tau, limit in zip(model.joints, total, model.effort, strict=True) if not abs(tau) <= limit]
    if options.json:
        print_json({
            "robot": model.spec.robot.name, "joints": list(model.joints), "q": q.tolist(), "v": v.tolist(), "a": a.tolist(),
            "torque": total.tolist(), "gravity": gravity.tolist(), "coriolis": motion.tolist(), "inertia": inertia.tolist(),
            "friction": friction.tolist(), "limit": model.effort.tolist(), "over_limit": over,
            "assumptions": list(model.assumptions),
        })  # fmt: skip
        return 1 if over else 0
    rows = []
    for i, name in enumerate(model.joints):
        unit = "N" if model.spec.robot.joint(name).unit == "m" else "N m"
        limit = f"{abs(total[i]) / model.effort[i]:.0%} of {model.effort[i]:g}" if np.isfinite(model.effort[i]) else "-"
        parts = [f"{part[i]:.3f}" for part in (total, gravity, motion, inertia, friction)]
        rows.append([name, *parts, unit, colour(limit, "red") if name in over else limit])
    head = ["joint", "torque", "gravity", "Coriolis", "inertia", "friction", "", "of its limit"]
    print(table(head, rows, right=(1, 2, 3, 4, 5)))
    for text in model.assumptions:
        print(colour(f"assumed: {text}", "yellow"))
    return 1 if over else 0
