"""Zeros of joints: by marks, by touching, and in motor counts."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import open_cell
from armillary.model import Model, build_model, coupling_from, frame_pose, load_model
from armillary.programs.calibration import BadCalibration, Undetermined, motor_zeros, zeros_by_marks, zeros_by_touching
from armillary.solvers import solve_ik
from armillary.spatial import rotation_from_rpy, transform

Array = NDArray[np.float64]
HOME = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])
WRONG = np.array([0.02, -0.01, 0.015, 0.008, -0.012, 0.01])  # what the joints are off


@pytest.fixture(scope="module")
def model() -> Model:
    """A cobot with a tool that stands off its last axis: so that this joint shows as well."""
    from armillary.description.geometry import Pose

    bare = load_model("cobot6").spec
    return build_model(bare.robot, frames=[("probe", "tool0", Pose((0.05, 0.02, 0.15), (0.0, 0.0, 0.0)))], tip="probe")


def readings(model: Model, count: int, offsets: Array, noise: float = 0.0) -> Array:
    """What encoders with offsets say while the true tip touches one point in many orientations."""
    rng = np.random.default_rng(5)
    rows: list[Array] = []
    T = frame_pose(model, HOME, model.tip)
    while len(rows) < count:
        goal = transform(T[:3, :3] @ rotation_from_rpy(rng.uniform(-0.9, 0.9, 3)), T[:3, 3] + rng.normal(0.0, noise, 3))
        found = solve_ik(model, goal, seed=HOME + rng.uniform(-0.6, 0.6, 6))
        if found.reached:
            rows.append(found.q - offsets)
    return np.array(rows)


def test_marks_give_every_zero(model: Model) -> None:
    found = zeros_by_marks(model, HOME, HOME + WRONG)
    assert found.offsets == pytest.approx(WRONG) and found.determined.all() and found.unknown == ()
    with pytest.raises(BadCalibration, match="joint_3 reads 1 away from its mark"):
        zeros_by_marks(model, HOME, HOME + np.eye(6)[2])


def test_touching_one_point_gives_all_but_the_first(model: Model) -> None:
    found = zeros_by_touching(model, readings(model, 25, WRONG))
    assert found.unknown == ("joint_1",)
    assert found.offsets[1:] == pytest.approx(WRONG[1:], abs=1e-8) and found.offsets[0] == 0.0
    assert found.before is not None and found.after is not None
    assert found.before.rms > 1e-3 and found.after.rms < 1e-9 and np.isnan(found.uncertainty[0])


def test_noise_shows_as_uncertainty(model: Model) -> None:
    found = zeros_by_touching(model, readings(model, 40, WRONG, noise=1e-4))
    off = np.abs(found.offsets - WRONG)[1:]
    assert (off < 5.0 * found.uncertainty[1:]).all() and found.uncertainty[1:].max() < 3e-3
    assert found.after is not None and 5e-5 < found.after.rms < 4e-4


def test_an_unknown_tool_is_found_too_and_the_last_joint_is_then_not_told(model: Model) -> None:
    found = zeros_by_touching(model, readings(model, 30, WRONG), tool_known=False)
    assert found.unknown == ("joint_1", "joint_6")
    assert found.offsets[1:5] == pytest.approx(WRONG[1:5], abs=1e-8)


def test_too_few_or_too_like_touches_are_refused(model: Model) -> None:
    with pytest.raises(BadCalibration, match="2 touches are too few for 6 joints; 3 at least"):
        zeros_by_touching(model, readings(model, 2, WRONG))
    rng = np.random.default_rng(0)
    with pytest.raises(Undetermined):
        zeros_by_touching(model, model.random(rng, 12))  # never one point
    assert zeros_by_touching(model, readings(model, 25, 0.0 * WRONG)).offsets == pytest.approx(np.zeros(6), abs=1e-9)


def test_one_touch_many_times_tells_nothing(model: Model) -> None:
    q = readings(model, 6, np.zeros(model.n))[2]
    for noise in (0.0, 1e-6):  # that of encoders, which is no other configuration
        Q = np.tile(q, (8, 1)) + noise * np.random.default_rng(1).standard_normal((8, model.n))
        with pytest.raises(Undetermined, match="differ much more"):
            zeros_by_touching(model, Q)


def test_motor_zeros_leave_the_counts_and_move_the_joints() -> None:
    cell = open_cell("industrial6").cell
    assert cell.actuation is not None
    joints, old = cell.actuation.joints, coupling_from(cell.actuation)
    offsets = np.array([0.01, -0.02, 0.03, 0.0, 0.005, -0.004])
    zero = motor_zeros(cell.actuation, joints, offsets)
    from dataclasses import replace

    new = coupling_from(replace(cell.actuation, zero=tuple(zero.tolist())))
    counts = old.to_motors(np.array([0.3, 0.2, -0.4, 0.1, 0.5, 0.6]))
    assert new.to_joints(counts) == pytest.approx(old.to_joints(counts) + offsets, abs=1e-12)
    with pytest.raises(BadCalibration, match="does not name thumb"):
        motor_zeros(cell.actuation, ("thumb",), np.array([0.1]))
