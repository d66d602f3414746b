"""Drive a proven trajectory slower, hold it, go on, and stop it: on its path, within its limits."""

import numpy as np

from armillary.model import load_model
from armillary.motion import Pace, limits_of, plan_joints

cobot = load_model("cobot6")
here = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
plan = plan_joints(cobot, here, here + np.array([1.5, -0.4, 0.5, 0.0, 0.3, 0.6]))
assert plan

pace = Pace(plan.trajectory, limits_of(cobot))
orders = {200: 0.3, 700: 1.0, 900: 0.0, 1600: 1.0}  # at which tick which rate
fastest = 0.0
for tick in range(20_000):
    if tick in orders:
        print(f"{tick / 1000:5.2f} s: asked for {orders[tick]:.0%}, the motion is at {pace.time:.3f} s of its own time")
        pace.ask(orders[tick])
    state = pace.tick(0.001)
    fastest = max(fastest, float((np.abs(state.a) / limits_of(cobot).acceleration).max()))
    if pace.at_end:
        break
print(f"{tick / 1000:5.2f} s: there, {plan.trajectory.duration:.2f} s at full rate; {fastest:.1%} of the acceleration at most")
