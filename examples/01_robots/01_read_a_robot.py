"""Read a robot by file or by name, and ask it what it is."""

from armillary.description import read_robot

robot = read_robot("cobot6")  # or read_robot("my_robot.urdf"), a xacro, a DH table, a cell.toml

print(f"{robot.name}: {robot.dof} degrees of freedom, {robot.mass:.1f} kg")
for joint in robot.chain("base", "tool0"):
    lower, upper = joint.range
    print(f"  {joint.name:12s} {joint.type.value:9s} {lower:7.3f} to {upper:6.3f} {joint.unit}")

T_root_tool = robot.poses({"joint_2": 0.5, "joint_3": -1.0})["tool0"]
print("tool at", T_root_tool[:3, 3].round(3), "m")
