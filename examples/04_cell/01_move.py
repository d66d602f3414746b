"""Move a robot: a cell in its physics twin, a line, an override, a queue of motions driven as one, a jog."""

import time

import numpy as np

from armillary.cell import Cell

with Cell.open("cobot6", low_power=True) as cell:  # low power: an example should not take a core
    print(cell.state)
    cell.move_joints([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
    here = cell.state
    cell.move_line(here.xyz + np.array([0.0, -0.1, 0.0]), here.rpy, speed=0.1)  # m, rad, m/s

    cell.override(0.5)
    corner = cell.state.xyz + np.array([0.0, 0.0, -0.05])
    cell.move_line(corner, here.rpy, speed=0.1, blend=0.01, wait=False)  # rounded by 10 mm: it does not stop there
    cell.move_line(corner + np.array([0.0, 0.1, 0.0]), here.rpy, speed=0.1)
    cell.override(1.0)

    for _ in range(20):  # a jog must be asked for again and again: when that ends, so does the motion
        cell.jog_tool([0.0, 0.0, 0.03, 0.0, 0.0, 0.0])
        time.sleep(0.03)
    cell.wait()

    print(cell.state)
    print("torque measured:", cell.state.torque.round(2), "N m")
    print("recorded in:", cell.station.recording["file"].rsplit("/", 1)[-1])
