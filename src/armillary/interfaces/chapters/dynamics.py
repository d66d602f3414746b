"""Paper 5's figure 5: the torque that holds joints 2, 3 and 4 of the cobot from -80 to 80 degrees."""

import argparse

from armillary.interfaces.cli.terminal import print_json, table

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.plots.static_torque_plot import draw_static_torque, static_torques

    curves = static_torques()
    options.out.mkdir(parents=True, exist_ok=True)
    picture = draw_static_torque(curves, options.out / "5_static_torque.png")
    if options.json:
        print_json({
            "chapter": "dynamics", "degrees": curves.degrees.tolist(), "plot": str(picture),
            "torque": {joint: values.tolist() for joint, values in curves.torques.items()},
        })  # fmt: skip
        return 0
    rows = []
    for joint, values in curves.torques.items():
        peak = int(abs(values).argmax())
        rows.append([joint, f"{values[0]:.2f}", f"{values[len(values) // 2]:.2f}", f"{values[-1]:.2f}",
                     f"{values[peak]:.2f} at {curves.degrees[peak]:.0f}°"])  # fmt: skip
    print("Paper 5, figure 5: torque that holds the cobot still while one joint is turned, the others at zero [N m]\n")
    print(table(["joint", "at -80°", "at 0°", "at 80°", "largest"], rows, right=(1, 2, 3, 4)))
    print(f"\nplot: {picture}")
    return 0
