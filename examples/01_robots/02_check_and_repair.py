"""Find everything that is wrong with a file in one pass, and write a repaired copy."""

import tempfile
from pathlib import Path

from armillary.description import check_robot, repair_robot

BROKEN = """<robot name="broken">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.9"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 0 2"/>
    <limit lower="1.5" upper="-1.5" effort="10" velocity="0"/>
  </joint>
</robot>
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "broken.urdf"
    path.write_text(BROKEN)
    for problem in check_robot(path).problems:
        print(problem)  # file, line, severity, joint or link, what
        print(f"    means: {problem.kind.meaning}")

    repaired = repair_robot(path)
    print(f"\n{len(repaired.repaired)} repairs:")
    for problem in repaired.repaired:
        if problem.repair is not None:
            print(f"    {problem.where}: {problem.repair.what}")
