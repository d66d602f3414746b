"""Open a cell and move its robot: planned and proven here, driven by an executor in a process of its own."""

import numpy as np

from armillary.cell import Cell

with Cell.open("cobot6", low_power=True) as cell:  # without low_power it takes a core for real time
    print(cell.link.granted)
    cell.move_joints([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
    here = cell.state
    print(here)
    cell.move_line(here.xyz + np.array([0.0, -0.15, 0.05]), here.rpy, speed=0.2)  # m, rad, m/s
    print(cell.state)
    cell.move_pose(here.xyz, here.rpy)
    print(cell.state)
