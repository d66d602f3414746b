"""Frames and calibration, by requests."""

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI

from armillary.description import open_cell
from armillary.description.kept_cell import with_kept_cell
from armillary.description.library import find_robot
from armillary.interfaces.http.own_cell_file import BadCell, make_own_cell, own_cell_file
from armillary.interfaces.http.roles import Role
from armillary.model import frame_pose, load_model
from armillary.programs.calibration import CalibrationStore
from armillary.programs.teach.store_place import store_place
from armillary.solvers import solve_ik
from armillary.spatial import rotation_from_rpy, transform
from tests.interfaces.http.conftest import HOME, Browser

XYZ = np.array([0.01, -0.02, 0.12])


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def touching(count: int) -> list[list[float]]:
    """Configurations in which a tip at XYZ is at one point."""
    model, rng = load_model("cobot6"), np.random.default_rng(2)
    rows: list[list[float]] = []
    T = frame_pose(model, HOME, "tool0")
    place = T[:3, 3] + T[:3, :3] @ XYZ
    while len(rows) < count:
        R = T[:3, :3] @ rotation_from_rpy(rng.uniform(-0.6, 0.6, 3))
        found = solve_ik(model, transform(R, place - R @ XYZ), seed=HOME, tip="tool0")
        if found.reached:
            rows.append(found.q.tolist())
    return rows


def test_frames_are_shown(app: FastAPI) -> None:
    said = Browser(app, "Vera", Role.VIEWER).get("/api/frames").json()
    assert said["tool"]["name"] == app.state.desk.cell.model.tip and said["file"] == "" and not said["restart"]
    assert Browser(app).get("/api/frames").status_code == 401


def test_a_tool_is_measured_and_kept_in_the_cell(app: FastAPI, own_cell: Path) -> None:
    browser, before = Browser(app, "Petra", Role.PROGRAMMER), own_cell.read_text()
    found = browser.post("/api/calibrate/tool", json={"touches": touching(6)}).json()
    assert found["xyz"] == pytest.approx(XYZ, abs=1e-5) and len(found["residuals"]) == 6 and found["rms"] < 1e-5
    assert own_cell.read_text() == before and found["spread"] > 0.05
    order = {"kind": "tool", "xyz": found["xyz"], "rpy": found["rpy"], "reason": "new gripper"}
    kept = browser.post("/api/frames/keep", json=order)
    assert kept.status_code == 200 and kept.json()["restart"] and "xyz_mm = [10.0" in kept.json()["lines"]
    changed, was = tomllib.loads(own_cell.read_text()), tomllib.loads(before)
    assert changed.pop("tool")["xyz_mm"] == pytest.approx(1e3 * XYZ, abs=0.01) and was.pop("tool") and changed == was
    said = browser.get("/api/frames").json()
    assert said["restart"] and [each["reason"] for each in said["calibrations"]] == [
        "new gripper", "as it was before the first calibration",
    ]  # fmt: skip
    assert said["calibrations"][0]["by"] == "Petra"


def test_how_a_tool_is_turned_is_measured_from_the_last_touch_of_the_point(app: FastAPI, own_cell: Path) -> None:
    browser, model, rows = Browser(app, "Petra", Role.PROGRAMMER), load_model("cobot6"), touching(5)
    R = rotation_from_rpy(np.array([0.2, -0.4, 0.7]))
    T = frame_pose(model, np.array(rows[-1]), "tool0")
    along_z = T[:3, :3] @ R @ np.array([0.0, 0.0, 0.03])
    for way in (along_z, along_z + T[:3, :3] @ R @ np.array([0.03, 0.0, 0.0])):  # not turned, and on from there
        goal = T.copy()
        goal[:3, 3] += way
        found = solve_ik(model, goal, seed=np.array(rows[4]), tip="tool0")
        assert found.reached
        rows.append(found.q.tolist())
    said = browser.post("/api/calibrate/tool", json={"touches": rows, "orientation": True}).json()
    assert said["xyz"] == pytest.approx(XYZ, abs=1e-5) and len(said["residuals"]) == 5
    assert rotation_from_rpy(np.array(said["rpy"])) == pytest.approx(R, abs=1e-3)


def test_a_frame_is_measured_and_kept(app: FastAPI, own_cell: Path) -> None:
    browser, model = Browser(app, "Petra", Role.PROGRAMMER), app.state.desk.cell.model
    rows = [HOME.tolist()]
    for way in ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0)):
        T = frame_pose(model, HOME, model.tip).copy()
        T[:3, 3] += way
        found = solve_ik(model, T, seed=HOME)
        assert found.reached
        rows.append(found.q.tolist())
    said = browser.post("/api/calibrate/frame", json={"touches": rows}).json()
    assert said["rpy"] == pytest.approx((0.0, 0.0, 0.0), abs=1e-4)
    order = {"kind": "frame", "name": "table", "xyz": said["xyz"], "rpy": said["rpy"]}
    assert browser.post("/api/frames/keep", json=order).status_code == 200
    assert open_cell(own_cell).cell.frames[0].name == "table"
    refused = browser.post("/api/frames/keep", json={**order, "name": "no name!"})
    assert refused.status_code == 409
    few = browser.post("/api/calibrate/frame", json={"touches": rows[:2]})
    assert few.status_code == 409 and "three are needed" in few.json()["detail"]


def test_zeros_are_measured_by_marks_and_kept_once_for_what_runs(app: FastAPI, own_cell: Path) -> None:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    marks = (HOME + 0.01).tolist()
    said = browser.post("/api/calibrate/zeros", json={"touches": [HOME.tolist()], "marks": marks}).json()
    assert said["offsets"] == pytest.approx([0.01] * 6)
    order = {"kind": "zero", "offsets": said["offsets"]}
    assert browser.post("/api/frames/keep", json=order).status_code == 200
    assert tomllib.loads(own_cell.read_text())["actuation"]["zero"] == pytest.approx([-0.01] * 6)
    again = browser.post("/api/frames/keep", json=order)
    assert again.status_code == 409 and "start it again" in again.json()["detail"]
    assert len(CalibrationStore.of(str(own_cell)).history("zero")) == 2


def started_again(app: FastAPI, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """As if the cell had been started anew with what its cell.toml says now."""
    monkeypatch.setattr(app.state.desk, "prepared", replace(app.state.desk.prepared, description=open_cell(path).cell))


def test_one_goes_back_to_a_tool_and_a_frame_that_were(app: FastAPI, own_cell: Path) -> None:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    tool = {"kind": "tool", "xyz": [0.0, 0.0, 0.1], "rpy": [0.0, 0.0, 0.5]}
    table = {"kind": "frame", "name": "table", "xyz": [0.3, 0.0, 0.0], "rpy": [0.0, 0.0, 0.0]}
    numbers = [
        browser.post("/api/frames/keep", json={**order, "xyz": [x, 0.0, 0.2]}).json()["number"]
        for order in (tool, table) for x in (0.01, 0.02)
    ]  # fmt: skip
    before = tomllib.loads(own_cell.read_text())
    for number in (numbers[0], numbers[2]):
        said = browser.post("/api/frames/back", json={"number": number})
        assert said.status_code == 200 and "xyz_mm = [10.0, 0.0, 200.0]" in said.json()["lines"]
    now, records = tomllib.loads(own_cell.read_text()), CalibrationStore.of(str(own_cell)).history()
    assert now["tool"]["xyz_mm"] == now["frames"]["table"]["xyz_mm"] == [10.0, 0.0, 200.0]
    assert now["frames"]["table"]["parent"] == before["frames"]["table"]["parent"] and len(records) == 7
    assert [each.reason for each in records[-2:]] == [f"back to number {number}" for number in (numbers[0], numbers[2])]
    assert records[-1].value == next(each.value for each in records if each.number == numbers[2])
    missing = browser.post("/api/frames/back", json={"number": 999})
    assert missing.status_code == 409 and "999" in missing.json()["detail"]


def test_one_goes_back_to_zeros_by_their_counts_and_not_by_their_offsets(
    app: FastAPI, own_cell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, store = Browser(app, "Petra", Role.PROGRAMMER), CalibrationStore.of(str(own_cell))
    joints = app.state.desk.cell.model.joints
    counts = [1000.0, -2000.0, 1000.0, 1000.0, 500.0, 1000.0]
    coupling = np.eye(6)
    coupling[4, 3] = 0.5  # the fifth motor turns with the fourth joint
    own_cell.write_text(
        f"{own_cell.read_text()}\n[actuation]\njoints = {list(joints)}\ncounts_per_unit = {counts}\n"
        f"coupling = {coupling.tolist()}\nzero = [7.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n"
    )
    zeros = [np.array([7.0, 0.0, 0.0, 0.0, 0.0, 0.0])]
    for by in (0.01, -0.03):
        started_again(app, monkeypatch, own_cell)
        answer = browser.post("/api/frames/keep", json={"kind": "zero", "offsets": [by] * 6})
        assert answer.status_code == 200
        zeros.append(zeros[-1] - np.diag(counts) @ coupling @ np.full(6, by))
        assert tomllib.loads(own_cell.read_text())["actuation"]["zero"] == pytest.approx(zeros[-1])
    started_again(app, monkeypatch, own_cell)
    for record, zero in zip(store.history("zero"), zeros, strict=True):
        assert browser.post("/api/frames/back", json={"number": record.number}).status_code == 200
        assert tomllib.loads(own_cell.read_text())["actuation"]["zero"] == pytest.approx(zero)
        newest = store.newest("zero")
        assert newest is not None and newest.value["zero"] == pytest.approx(zero)
    # Of what runs, which has both in it: back to before the first is 0.01 - 0.03 the other way.
    assert [each.value["offsets"] for each in store.history("zero")[3:]] == [
        pytest.approx([by] * 6, abs=1e-9) for by in (0.02, 0.03, 0.0)
    ]


def test_zeros_of_other_motors_are_not_gone_back_to(app: FastAPI, own_cell: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, store = Browser(app, "Petra", Role.PROGRAMMER), CalibrationStore.of(str(own_cell))
    assert browser.post("/api/frames/keep", json={"kind": "zero", "offsets": [0.01] * 6}).status_code == 200
    first = store.history("zero")[0]
    unseen = browser.post("/api/frames/back", json={"number": first.number})
    assert unseen.status_code == 409 and "start it again" in unseen.json()["detail"]
    started_again(app, monkeypatch, own_cell)
    assert browser.post("/api/frames/back", json={"number": first.number}).status_code == 200
    assert tomllib.loads(own_cell.read_text())["actuation"]["zero"] == [0.0] * 6
    own_cell.write_text(own_cell.read_text().replace("counts_per_unit = [1.0", "counts_per_unit = [2.0"))
    started_again(app, monkeypatch, own_cell)
    text = own_cell.read_text()
    for record in store.history("zero"):
        refused = browser.post("/api/frames/back", json={"number": record.number})
        assert refused.status_code == 409 and "other motors" in refused.json()["detail"]
    assert own_cell.read_text() == text


@pytest.mark.parametrize("rows", [[[0.0] * 5], [[0.0] * 6], [HOME.tolist()] * 6, [[1e5] * 6] * 6])
def test_touches_that_tell_nothing_are_refused_in_words(app: FastAPI, rows: list[list[float]]) -> None:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    for what in ("tool", "frame", "zeros"):
        answer = browser.post(f"/api/calibrate/{what}", json={"touches": rows})
        assert answer.status_code == 409 and answer.json()["detail"], what
    assert Browser(app, "Otto", Role.OPERATOR).post("/api/calibrate/tool", json={"touches": rows}).status_code == 403


def test_a_robot_without_a_cell_of_its_own_is_told_how_to_make_one(app: FastAPI) -> None:
    order = {"kind": "tool", "xyz": [0.0, 0.0, 0.1], "rpy": [0.0, 0.0, 0.0]}
    answers = (
        Browser(app, "Petra", Role.PROGRAMMER).post("/api/frames/keep", json=order),
        Browser(app, "Ada", Role.ADMINISTRATOR).put("/api/workspace", json={"tool_speed": 0.2}),
    )
    for answer in answers:
        assert answer.status_code == 409 and "armillary new cobot6" in answer.json()["detail"]


def test_a_robot_in_the_box_gets_a_cell_of_its_own_and_keeps_what_was_taught(app: FastAPI) -> None:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    before, taught = browser.get("/api/frames").json(), store_place("cobot6")
    assert before["file"] == "" and not Path(before["could"]).exists()
    made = browser.post("/api/frames/own_cell").json()["file"]
    assert made == before["could"] and open_cell(made).robot.dof == 6
    assert with_kept_cell("cobot6") == made and store_place(made) == taught, "points stay where they are"
    said = browser.get("/api/frames").json()
    assert said["file"] == made and said["could"] == "" and not said["restart"]
    order = {"kind": "frame", "name": "table", "xyz": [0.3, 0.0, 0.0], "rpy": [0.0, 0.0, 0.0]}
    assert browser.post("/api/frames/keep", json=order).json()["file"] == made
    assert [frame.name for frame in open_cell(made).cell.frames] == ["table"] and browser.get("/api/frames").json()["restart"]
    again = browser.post("/api/frames/own_cell")
    assert again.status_code == 409 and "has one" in again.json()["detail"]
    assert [frame.name for frame in open_cell(made).cell.frames] == ["table"]


def test_a_description_gets_its_cell_beside_it_and_nothing_is_written_over(tmp_path: Path) -> None:
    urdf = shutil.copy(find_robot("cobot6").parent / "cobot6.urdf", tmp_path / "arm.urdf")
    path = make_own_cell(str(urdf))
    assert path == tmp_path / "cell.toml" and own_cell_file(str(urdf)) == path and open_cell(path).robot.dof == 6
    other = shutil.copy(urdf, tmp_path / "other.urdf")
    with pytest.raises(BadCell, match="another lies in its place"):
        make_own_cell(str(other))
