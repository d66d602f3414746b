"""A proof is of one robot with its tool, payload, world and motors: in any other cell its motion is refused."""

from pathlib import Path

import numpy as np
import pytest

from armillary.drivers import IdealDriver
from armillary.motion import plan_joints
from armillary.runtime import Executor, Handover, Refused, State, StationSettings
from armillary.runtime.prepared import Prepared, prepare

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
CELL = 'version = 1\nname = "demo"\n[robot]\nname = "{robot}"\n[groups.arm]\njoints = {joints}\ntip = "{tip}"\n'
JOINTS = [f"joint_{i}" for i in range(1, 7)]
ARM = f"[actuation]\njoints = {JOINTS}\n"
ROWS = "coupling = [{}]\n".format(", ".join(str([float(i == j or (i, j) == (2, 1)) for j in range(6)]) for i in range(6)))
TIPS = {"cobot6": "tool0", "industrial6": "tool0"}
COUNTS = f"counts_per_unit = {[1000.0] * 6}\n"
OTHERS = {
    "tool": '[tool]\nname = "gripper"\nxyz_mm = [0.0, 0.0, 120.0]\n',
    "payload": "[payload]\nmass = 2.0\ncom = [0.0, 0.0, 0.15]\n",
    "limits": "[limits.joint_1]\nvelocity = 1.0\n",
    "world": '[[world]]\nname = "post"\nshape = "box"\nsize = [0.1, 0.1, 0.1]\nxyz = [3.0, 0.0, 0.0]\n',
    "box": "[workspace]\nbox_min = [-5.0, -5.0, -5.0]\nbox_max = [5.0, 5.0, 5.0]\n",
    "plane": "[[workspace.planes]]\npoint = [0.0, 0.0, -5.0]\nnormal = [0.0, 0.0, 1.0]\n",
    "coupling": ARM + ROWS + COUNTS,
    "motor speed": ARM + COUNTS + f"motor_speed = {[9e5] * 6}\n",
    "motor acceleration": ARM + COUNTS + f"motor_acceleration = {[9e6] * 6}\n",
}


def prepared(folder: Path, more: str = "", robot: str = "cobot6", start: tuple[float, ...] = tuple(HOME)) -> Prepared:
    path = folder / "cell.toml"
    path.write_text(CELL.format(robot=robot, joints=JOINTS, tip=TIPS[robot]) + more)
    return prepare(StationSettings(source=str(path), driver="ideal", start=start))


def executor_of(cell: Prepared) -> Executor:
    made = Executor(
        cell.model, IdealDriver(HOME, cell.limits.acceleration, clock=lambda: 0.0), limits=cell.limits, world=cell.world,
        bounds=cell.bounds,
    )  # fmt: skip
    made.power_on()
    made.initialise()
    made.tick(0.0)
    return made


def handover(cell: Prepared) -> Handover:
    plan = plan_joints(cell.model, HOME, HOME + 0.1, limits=cell.limits, bounds=cell.bounds)
    assert plan.certificate.holds, str(plan.certificate)
    return Handover(plan.trajectory, plan.certificate)


@pytest.mark.parametrize("what", OTHERS)
def test_a_proof_of_a_cell_that_differs_in(what: str, tmp_path: Path) -> None:
    usual, other = prepared(tmp_path), prepared(tmp_path, OTHERS[what])
    for here, there in ((usual, other), (other, usual)):
        robot = executor_of(here)
        with pytest.raises(Refused, match="proof is of another motion, robot, limits, tool or world"):
            robot.run(handover(there))
        assert robot.state.name == "READY" and not robot.moves
        robot.run(handover(here))
        assert robot.state == State.MOVING, "its own is taken"


def test_a_proof_of_another_robot(tmp_path: Path) -> None:
    robot, other = executor_of(prepared(tmp_path)), prepared(tmp_path, robot="industrial6", start=())
    plan = plan_joints(other.model, other.start, other.start + 0.01, limits=other.limits)
    assert plan.certificate.holds
    with pytest.raises(Refused, match="proof is of another motion, robot"):
        robot.run(Handover(plan.trajectory, plan.certificate))
