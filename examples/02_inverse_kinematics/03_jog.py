"""Jog the tool by velocity: to the edge of its reach, where it becomes slow and stops, and back."""

import numpy as np

from armillary.model import frame_pose, load_model
from armillary.solvers import Jog

cobot = load_model("cobot6")
q = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])
jog = Jog(cobot)  # 1 kHz

for seconds, twist in ((3.0, (0.2, 0, 0, 0, 0, 0)), (2.0, (-0.2, 0, 0, 0, 0, 0)), (0.5, (0, 0, 0, 0, 0, 0))):
    for _ in range(round(seconds / jog.dt)):
        step = jog.step(q, twist)
        q = q + jog.dt * step.dq
    x, y, z = frame_pose(cobot, q, "tool")[:3, 3]
    print(f"tool at {x:.3f} {y:.3f} {z:.3f} m, at {step.share:.0%} of the asked speed; {step.held_by or 'nothing holds it'}")
