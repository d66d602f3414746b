"""Plan a motion and prove it: by joints, along a line, around an obstacle. Nothing moves without the proof."""

import numpy as np

from armillary.description import Box
from armillary.model import PairSearch, Scene, load_model
from armillary.motion import line, plan_around, plan_joints, plan_tool, tool_pose
from armillary.spatial import transform

cobot = load_model("cobot6")
here = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])

print("by joints:     ", plan_joints(cobot, here, here + 0.3))

T = tool_pose(cobot, here)
E = T.copy()
E[1, 3] -= 0.5
straight = plan_tool(cobot, here, line(T, E), feed=0.25)
print("along a line:  ", straight)

scene = Scene(cobot, search=PairSearch())
scene.add("pillar", Box((0.15, 0.15, 2.0)), transform(np.eye(3), (0.35, -0.35, 0.9)))
goal = here + np.array([-2.2, 0, 0, 0, 0, 0])
around = plan_around(cobot, here, goal, scene, seed=3)
print("round a pillar:", around)

# The proof is bound to what it proves: the same motion a little faster is another one.
faster = straight.trajectory.slowed(0.9)
print(
    "covered:", straight.certificate.covers(straight.trajectory, cobot), "- faster:", straight.certificate.covers(faster, cobot)
)
