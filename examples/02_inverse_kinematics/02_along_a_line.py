"""Along a line: one branch for all of it, or where every branch ends and why."""

import numpy as np

from armillary.model import frame_pose, load_model
from armillary.solvers import solve_ik_batch, solve_path

cobot = load_model("cobot6")
here = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])
line = np.tile(frame_pose(cobot, here, "tool"), (100, 1, 1))

line[:, 1, 3] += np.linspace(0.0, -0.5, 100)
path = solve_path(cobot, line, seed=here)
print(path, f"in {path.seconds * 1e3:.0f} ms; largest step {np.abs(np.diff(path.q, axis=0)).max():.3f} rad")

line[:, 0, 3] += np.linspace(0.0, 0.8, 100)
short = solve_path(cobot, line, seed=here)
print(short)

# Many poses at once need no path: each is solved by itself, on all cores.
batch = solve_ik_batch(cobot, line, seeds=here)
print(f"{batch.reached.sum()} of {len(line)} poses can be reached at all")
