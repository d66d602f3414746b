"""Reach a pose: all solutions of a six-axis arm, the choice among them, and what is said of a pose that cannot be reached."""

import numpy as np

from armillary.model import Scene, load_model
from armillary.solvers import Hold, solve_ik
from armillary.spatial import transform_from_xyz_rpy

cobot = load_model("cobot6")
here = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])
T_base_tool = transform_from_xyz_rpy((0.1, -0.45, -0.28), np.deg2rad((10, 75, -75)))

result = solve_ik(cobot, T_base_tool, seed=here, base="base")
print(result)
for solution in result.solutions:
    print(f"  {solution.branch!s:22} {solution.q.round(3)}  {solution.margin:.2f} from {solution.tightest}'s limit")

free = solve_ik(cobot, T_base_tool, seed=here, base="base", scene=Scene(cobot), choose="central")
print("free of collisions and far from limits:", free.q.round(3))

spinning = solve_ik(cobot, T_base_tool, seed=here, base="base", hold=Hold.axis("z"))
print("with free spin about the tool's z:", spinning.q.round(3))

far = solve_ik(cobot, transform_from_xyz_rpy((1.5, 0.0, 0.3), (0, 0, 0)), seed=here, base="base")
print(far, "- nearest:", far.nearest[:3, 3].round(3) if far.nearest is not None else "")
