"""A base on tracks: what they do for a velocity is what they say of it, and where it stands comes of what they turned."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.interfaces.ros.cell_messages import CellMessages
from armillary.interfaces.ros.driven_base import DrivenBase
from armillary.interfaces.ros.tracked_base import BasePose, NoBase, TrackedBase
from armillary.model import load_model
from armillary.runtime.prepared import description_of

MODEL = load_model("mobile6")
DESCRIBED = description_of("mobile6")
assert DESCRIBED is not None
BASE = TrackedBase.of(MODEL, DESCRIBED.groups)
speeds = st.floats(-0.3, 0.3)


def test_it_is_read_from_the_robot() -> None:
    assert (BASE.left, BASE.right) == ("left_track_joint", "right_track_joint")
    assert BASE.radius == pytest.approx(0.11) and BASE.apart == pytest.approx(0.415) and BASE.fastest == pytest.approx(12.0)


@given(speeds, speeds)
def test_the_tracks_say_the_velocity_that_they_were_given(forward: float, turn: float) -> None:
    assert BASE.velocity(*BASE.speeds(forward, turn)) == pytest.approx((forward, turn), abs=1e-12)


@given(st.floats(-50.0, 50.0), st.floats(-50.0, 50.0))
def test_what_is_too_fast_is_slower_on_the_same_arc(forward: float, turn: float) -> None:
    found = BASE.speeds(forward, turn)
    assert np.abs(found).max() <= BASE.fastest * (1 + 1e-12)
    v, w = BASE.velocity(*found)
    assert v * turn == pytest.approx(w * forward, abs=1e-6 * (1 + abs(forward * turn)))


@given(speeds, speeds, st.integers(1, 40))
def test_an_arc_is_the_same_in_one_piece_or_many(forward: float, turn: float, pieces: int) -> None:
    left, right = BASE.speeds(forward, turn) * 2.0  # s
    pose = BasePose(1.0, -2.0, 0.7)
    whole, parts = BASE.moved(pose, left, right), pose
    for _ in range(pieces):
        parts = BASE.moved(parts, left / pieces, right / pieces)
    assert (parts.x, parts.y) == pytest.approx((whole.x, whole.y), abs=1e-9)
    assert np.cos(parts.heading - whole.heading) == pytest.approx(1.0)


def test_a_quarter_of_a_circle() -> None:
    left, right = BASE.speeds(0.1, 0.2) * (0.5 * np.pi / 0.2)  # a radius of half a metre, to the left
    pose = BASE.moved(BasePose(), float(left), float(right))
    assert (pose.x, pose.y, pose.heading) == pytest.approx((0.5, 0.5, 0.5 * np.pi))


@pytest.mark.parametrize(
    ("robot", "group", "said"),
    [
        ("cobot6", None, "cobot6 has no base that is driven: its cell has no group 'base' of two tracks"),
        ("mobile6", "arm", "mobile6 runs without its base: left_track_joint, right_track_joint are not moved here"),
    ],
)
def test_why_there_is_none_is_said(robot: str, group: str | None, said: str) -> None:
    described = description_of(robot)
    assert described is not None
    with pytest.raises(NoBase, match=said):
        TrackedBase.of(load_model(robot, group=group), described.groups)


def test_what_the_tracks_turn_while_nobody_knows_is_not_counted() -> None:
    cell: Any = SimpleNamespace(model=MODEL)
    base, q = DrivenBase(cell, BASE), np.zeros(MODEL.n)
    for tracks in ((3.0, 3.0), (4.0, 4.0), (np.nan, np.nan), (7.0, 7.0), (8.0, 8.0)):
        q[:2] = tracks
        base.see({"measured_q": q})
    assert (base.pose.x, base.pose.y) == pytest.approx((0.22, 0.0))
    assert base.velocity({"measured_v": np.array([1.0, 1.0, *np.zeros(7)])}) == pytest.approx((0.11, 0.0))


def test_the_root_is_said_in_odom_once_where_it_moves_or_where_it_stands() -> None:
    messages, record, pose = CellMessages(MODEL), {"measured_q": np.zeros(MODEL.n)}, BasePose(1.0, 2.0, 0.5 * np.pi)
    (root,) = [each for each in messages.transforms(record, 1.0, pose)["transforms"] if each["header"]["frame_id"] == "odom"]
    assert root["child_frame_id"] == "base_footprint" and root["transform"]["translation"] == {"x": 1.0, "y": 2.0, "z": 0.0}
    assert root["transform"]["rotation"]["z"] == pytest.approx(np.sqrt(0.5))
    assert not [each for each in messages.static_transforms(1.0)["transforms"] if each["header"]["frame_id"] == "odom"]
    still = messages.static_transforms(1.0, BasePose())["transforms"][0]
    assert still["header"]["frame_id"] == "odom" and still["transform"]["rotation"] == {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    said = messages.odometry(1.0, pose, (0.3, -0.1))
    assert said["child_frame_id"] == "base_footprint" and said["twist"]["twist"]["linear"]["x"] == 0.3
    assert said["pose"]["pose"]["position"]["y"] == 2.0 and said["twist"]["twist"]["angular"]["z"] == -0.1
