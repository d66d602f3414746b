"""Move a cell as any program of ROS does, with nothing of ROS installed: roslibpy over the cell's rosbridge.

Beside a cell that runs already (`armillary run cobot6 --rosbridge`) only the second half is needed, with port 9090.
Needs: pip install roslibpy.
"""

import roslibpy
from roslibpy.ros1 import actionlib

from armillary.cell import Cell

with Cell.open("cobot6", driver="ideal", record=False, rosbridge={"port": 0}) as cell:
    cell.station.ask("give_control")  # ROS may move it now

    ros = roslibpy.Ros("127.0.0.1", cell.station.rosbridge["port"])
    ros.run()
    print("topics:", ", ".join(sorted(ros.get_topics())[:6]), "...")

    joints = [f"joint_{k}" for k in range(1, 7)]
    goal = [0.3, 1.5, -2.0, -1.9, -1.57, 0.2]
    point = {"positions": goal, "time_from_start": {"secs": 2, "nsecs": 0}}
    client = actionlib.ActionClient(ros, "/follow_joint_trajectory", "control_msgs/FollowJointTrajectoryAction")
    asked = actionlib.Goal(client, roslibpy.Message({"trajectory": {"joint_names": joints, "points": [point]}}))
    asked.send()
    result = asked.wait(30)
    print("result:", result["error_code"], result["error_string"] or "as asked")
    print("joints:", cell.state.q.round(3).tolist())
    ros.terminate()
