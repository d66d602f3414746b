"""A jog along the axes of a frame: of the world, of a link, of frames of the cell in each other."""

import time
from pathlib import Path

import numpy as np
import pytest

from armillary.model import UnknownFrame, frame_pose
from armillary.runtime import StationSettings
from armillary.runtime.jog_frame import frame_axes
from armillary.runtime.jogger_process import Jogger
from armillary.runtime.prepared import Prepared, prepare
from armillary.runtime.station_channels import StationChannels
from armillary.spatial import rotation_from_rpy

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
CELL = """
version = 1
name = "turned"
[robot]
name = "cobot6"
[groups.arm]
joints = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"]
base = "base"
tip = "tool0"
[base]
rpy_deg = [0.0, 0.0, 30.0]
[frames.table]
parent = "world"
rpy_deg = [0.0, 0.0, 90.0]
[frames.tray]
parent = "table"
rpy_deg = [90.0, 0.0, 0.0]
[frames.beside]
rpy_deg = [0.0, 20.0, 0.0]
[frames.camera]
parent = "link_6"
rpy_deg = [0.0, 0.0, 45.0]
"""


def turned(roll: float, pitch: float, yaw: float) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    return np.asarray(rotation_from_rpy(np.radians([roll, pitch, yaw])))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("cell") / "cell.toml"
    path.write_text(CELL)
    return prepare(StationSettings(source=str(path), driver="ideal", start=tuple(HOME)))


def test_axes_of_what_stands_still(prepared: Prepared) -> None:
    model = prepared.model
    R_root_base = frame_pose(model, HOME, "base")[:3, :3]  # of what the arm stands on, in the world
    for frame, R_world in {
        "world": np.eye(3), "table": turned(0.0, 0.0, 90.0), "tray": turned(0.0, 0.0, 90.0) @ turned(90.0, 0.0, 0.0),
        "beside": turned(0.0, 0.0, 30.0) @ turned(0.0, 20.0, 0.0), "base": R_root_base,
    }.items():  # fmt: skip
        assert frame_axes(model, HOME, frame) == pytest.approx(R_root_base.T @ R_world, abs=1e-12), frame
    assert np.array_equal(frame_axes(model, HOME, ""), np.eye(3))


def test_axes_of_what_moves_along(prepared: Prepared) -> None:
    model, other = prepared.model, HOME + 0.3
    R_base_camera = frame_axes(model, other, "link_6") @ turned(0.0, 0.0, 45.0)
    assert frame_axes(model, other, "camera") == pytest.approx(R_base_camera, abs=1e-12)
    assert np.abs(frame_axes(model, HOME, "camera") - R_base_camera).max() > 0.1
    with pytest.raises(UnknownFrame, match="nowhere"):
        frame_axes(model, HOME, "nowhere")


@pytest.mark.parametrize("frame", ["", "world", "tray", "camera"])
def test_a_twist_is_turned_into_the_axes_that_the_arm_stands_on(prepared: Prepared, tmp_path: Path, frame: str) -> None:
    channels = StationChannels(tmp_path, 6)
    try:
        state, jog = channels.boards["state"], channels.boards["jog"]
        state.value["q"] = HOME
        state.write()
        twist = np.array([0.01, 0.02, -0.03, 0.1, -0.2, 0.3])
        jog.value["kind"], jog.value["frame"], jog.value["time"] = 2, frame.encode(), time.monotonic()
        jog.value["speeds"][0][:6] = twist
        jog.write()
        jogger = Jogger(tmp_path, prepared)
        jogger.state.read(jogger._state)
        jogger.jog.read(jogger._asked)
        R = frame_axes(prepared.model, HOME, frame)
        assert jogger._speeds(jogger._asked[0]) == pytest.approx(np.concatenate([R @ twist[:3], R @ twist[3:]]), abs=1e-12)
    finally:
        channels.close()
