"""Programs on a robot: G-code and robot commands, looked at, gone through without a robot, run, and typed line by line."""

from pathlib import Path

from armillary.cell import Cell

HERE = Path(__file__).parent

with Cell.open("cobot6", low_power=True, record=False, patience=1.0) as cell:  # patient: the machine may be busy
    cell.move_joints([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
    begin = cell.state.xyz

    run = cell.start(HERE / "square.ngc", listen=print)  # in the background; corners are rounded, nothing stops
    run.wait()
    print(run.moves, "moves;", run.shown.modes["codes"])
    print("came", (1e3 * (cell.state.xyz - begin)).round(3), "mm further")

    cell.run(HERE / "pick.arm", listen=print)

    typed = cell.typed_lines("gcode")  # what a line sets stays for the next
    typed.run("G91 G21 F3000")
    typed.run("G1 Z20")
    print(cell.state)
