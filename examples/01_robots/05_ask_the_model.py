"""Where the tool is, how it moves, what it costs to hold it, and whether anything collides."""

import numpy as np

from armillary.description import Box
from armillary.model import Scene, frame_jacobian, frame_pose, gravity_torque, load_model, singular_values
from armillary.spatial import transform

model = load_model("cobot6")
q = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])

T_world_tool = frame_pose(model, q, "tool")
print("tool at", T_world_tool[:3, 3].round(3), "m")
print("rank of its Jacobian:", np.linalg.matrix_rank(frame_jacobian(model, q, "tool")))
print("distance to singularity:", singular_values(model, q, "tool")[-1].round(3))
print("holding torque", gravity_torque(model, q).round(2), "N m")

scene = Scene(model)
print("free:", scene.free(q), "- nearest:", scene.nearest(q))
scene.add("crate", Box((0.2, 0.2, 0.2)), transform(np.eye(3), T_world_tool[:3, 3]))
for contact in scene.contacts(q):
    print(f"{contact.first} hits {contact.second}, {contact.depth * 1000:.0f} mm deep")
