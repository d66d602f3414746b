"""Trajectories of ROS as motions: through every point, at its time, from where the robot is; what is wrong is said."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.interfaces.ros.joint_trajectory import BadTrajectory, WrongJoints, read_trajectory
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import from_json

JOINTS = ("a", "b", "c")
START = np.array([0.1, -0.2, 0.3])


def message(names: list[str], points: list[dict[str, Any]]) -> dict[str, Any]:
    for point in points:
        t = point.pop("t")
        point["time_from_start"] = {"secs": int(t), "nsecs": round(1e9 * (t - int(t)))}
    return from_json(ros1_type("trajectory_msgs/JointTrajectory"), {"joint_names": names, "points": points})


numbers = st.floats(-2.0, 2.0)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(numbers, numbers, st.floats(0.05, 2.0)), min_size=1, max_size=8),
    st.booleans(),
    st.permutations(["c", "a"]),
)
def test_it_goes_through_every_point_at_its_time(
    rows: list[tuple[float, float, float]], with_speeds: bool, names: list[str]
) -> None:
    times = np.cumsum([each[2] for each in rows])
    points: list[dict[str, Any]] = []
    for k, (first, second, _) in enumerate(rows):
        speeds = [0.0, 0.0] if k == len(rows) - 1 else [0.3, -0.1]
        points.append({"positions": [first, second], "t": float(times[k])} | ({"velocities": speeds} if with_speeds else {}))
    made = read_trajectory(message(names, points), JOINTS, START)
    assert made.at(0.0).q == pytest.approx(START) and made.duration == pytest.approx(times[-1], abs=1e-8)
    for k, (first, second, _) in enumerate(rows):
        q = made.at(min(float(times[k]), made.duration)).q
        assert q[JOINTS.index(names[0])] == pytest.approx(first, abs=1e-6)
        assert q[JOINTS.index(names[1])] == pytest.approx(second, abs=1e-6)
        assert q[1] == pytest.approx(START[1], abs=1e-9), "a joint that is not named stays"
    assert made.end.v == pytest.approx(np.zeros(3), abs=1e-9) and np.abs(made.steps[:3]).max(initial=0.0) < 1e-6


def test_a_first_point_at_zero_is_where_the_robot_is() -> None:
    points = [{"positions": [0.105, -0.2, 0.3], "t": 0.0}, {"positions": [0.5, 0.0, 0.3], "t": 1.0}]
    made = read_trajectory(message(list(JOINTS), points), JOINTS, START)
    assert made.at(0.0).q == pytest.approx(START) and made.duration == pytest.approx(1.0)


def test_one_point_without_a_time_is_a_place_to_go_to() -> None:
    made = read_trajectory(message(["a"], [{"positions": [1.0], "t": 0.0}]), JOINTS, START)
    assert made.end.q == pytest.approx([1.0, -0.2, 0.3]) and made.duration > 0.0


@pytest.mark.parametrize(
    ("names", "points", "said", "error"),
    [
        (["d"], [{"positions": [0.0], "t": 1.0}], "there is no joint 'd'", WrongJoints),
        (["a", "a"], [{"positions": [0.0, 0.0], "t": 1.0}], "one twice", WrongJoints),
        ([], [{"positions": [], "t": 1.0}], "no joints", WrongJoints),
        (["a"], [], "no points", BadTrajectory),
        (["a"], [{"positions": [0.0, 1.0], "t": 1.0}], "point 1 has 2 positions for 1 joints", BadTrajectory),
        (["a"], [{"positions": [0.0], "t": 1.0}, {"positions": [1.0], "t": 1.0}], "times must grow", BadTrajectory),
        (["a"], [{"positions": [0.5], "t": 0.0}, {"positions": [1.0], "t": 1.0}], "begin where the robot is", BadTrajectory),
        (["a"], [{"positions": [0.5], "velocities": [0.1], "t": 1.0}], "ends while a moves", BadTrajectory),
        (["a"], [{"positions": [None], "t": 1.0}], "no numbers", BadTrajectory),
        (["a"], [{"positions": [0.1], "velocities": [0.0], "t": 1.0}, {"positions": [0.2], "t": 2.0}],
         "point 2 has 0 velocities", BadTrajectory),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(names: list[str], points: list[dict[str, Any]], said: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=said):
        read_trajectory(message(names, points), JOINTS, START)
