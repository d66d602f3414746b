"""A robot from its DH table, and its URDF for every other tool."""

import tempfile
from pathlib import Path

from armillary.description import read_robot, write_urdf

TABLE = """
name = "scara"
convention = "standard"

[[joints]]
a_mm = 250
d_mm = 400
lower_deg = -130
upper_deg = 130

[[joints]]
a_mm = 200
alpha_deg = 180
lower_deg = -145
upper_deg = 145

[[joints]]
type = "prismatic"
lower_mm = 0
upper_mm = 180
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "scara.toml"
    path.write_text(TABLE)
    robot = read_robot(path)
    T_base_flange = robot.poses({"joint_1": 0.5, "joint_2": -0.5, "joint_3": 0.1})["flange"]
    print("flange at", T_base_flange[:3, 3].round(4), "m")
    print(write_urdf(robot).splitlines()[1], "...")
