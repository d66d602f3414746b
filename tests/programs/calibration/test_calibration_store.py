"""Results of calibrations: kept on top of each other, gone back to, and written into a cell.toml."""

import tempfile
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.description import open_cell
from armillary.description.library import find_robot
from armillary.model import load_model
from armillary.programs.calibration import (
    BadCalibration,
    CalibrationStore,
    CellLines,
    flange_of,
    frame_lines,
    newest_offsets,
    read_configurations,
    tip_poses,
    tool_lines,
    with_lines,
    zero_lines,
)
from armillary.programs.teach import BadName, NoSuchName
from armillary.spatial import transform_from_xyz_rpy

ROBOT = load_model("cobot6")
T = transform_from_xyz_rpy((0.01, -0.02, 0.15), (0.1, 0.2, 0.3))


@pytest.fixture
def store(tmp_path: Path) -> CalibrationStore:
    return CalibrationStore(tmp_path / "cell.sqlite")


def test_the_newest_holds_and_all_before_it_stay(store: CalibrationStore) -> None:
    assert store.newest("zero") is None and newest_offsets(store, ("a", "b")).tolist() == [0.0, 0.0]
    store.keep("zero", {"joints": ["a", "b"], "offsets": [0.1, 0.2]}, reason="new motor", by="anna")
    store.keep("zero", {"joints": ["b"], "offsets": [0.3]}, reason="crash")
    assert newest_offsets(store, ("a", "b")).tolist() == [0.0, 0.3]
    assert [(each.reason, each.by == "anna") for each in store.history("zero")] == [("new motor", True), ("crash", False)]


def test_going_back_puts_the_one_before_on_top(store: CalibrationStore) -> None:
    values = [{"joints": ["a"], "offsets": [0.1 * k]} for k in range(3)]
    records = [store.keep("zero", value) for value in values]
    back = store.roll_back("zero")
    assert back.value == values[1] and back.reason == f"back to number {records[1].number}"
    assert newest_offsets(store, ("a",)) == pytest.approx([0.1]) and len(store.history("zero")) == 4
    assert store.roll_back("zero", to=records[0].number).value == values[0]
    with pytest.raises(NoSuchName, match="99"):
        store.roll_back("zero", to=99)


def test_frames_have_names_and_histories_of_their_own(store: CalibrationStore) -> None:
    store.keep("frame", {"xyz": [0, 0, 0]}, name="table")
    store.keep("frame", {"xyz": [1, 1, 1]}, name="shelf")
    with pytest.raises(BadCalibration, match="only one calibration of the frame table"):
        store.roll_back("frame", "table")
    with pytest.raises(NoSuchName, match="the nearest"):
        store.roll_back("frame", "tabel")
    for name in ("", "stop", "a b"):
        with pytest.raises(BadName):
            store.keep("frame", {}, name=name)
    with pytest.raises(BadCalibration, match="no calibration 'camera'"):
        store.keep("camera", {})
    with pytest.raises(BadCalibration, match="no finite number"):
        store.keep("tool", {"xyz": [float("nan")]})


CELL = """# mine
version = 1   # of the format

[robot]
file = "r.urdf"

[tool]  # bolted on
name = "gripper"   # the #1 of them
xyz = [0.0, 0.0,
       0.1]        # old
mass = 0.9

# a table
[frames.table]
parent = "world"
rpy_deg = [0, 0, 90]  # turned
[actuation]
joints = ["a", "b"]
zero = [1.0, 2.0]  # counts
"""


def test_lines_are_written_and_all_else_stays() -> None:
    changed = with_lines(CELL, tool_lines(T))
    assert tomllib.loads(changed)["tool"] == {
        "name": "gripper", "mass": 0.9, "xyz_mm": [10.0, -20.0, 150.0],
        "rpy_deg": pytest.approx(np.degrees([0.1, 0.2, 0.3]), abs=1e-6)
    }  # fmt: skip
    for kept in ("# mine", "# of the format", "# bolted on", "# the #1 of them", "\n\n# a table\n", "# turned", "# counts"):
        assert kept in changed
    assert with_lines(changed, tool_lines(T)) == changed


@pytest.mark.parametrize("name", ["cobot6", "industrial6", "mobile6", "inmoov"])
def test_the_cells_in_the_box_can_be_written(name: str) -> None:
    text = (find_robot(name).parent / "cell.toml").read_text()
    for lines in (tool_lines(T), frame_lines("shelf", T), CellLines("actuation", (("zero", "[1.0]"),))):
        changed = with_lines(text, lines)
        assert set(text.splitlines()) - set(changed.splitlines()) <= {
            line for line in text.splitlines() if line.startswith(("zero", "xyz", "rpy"))
        }
        assert with_lines(changed, lines) == changed


def test_a_value_keeps_the_comment_behind_it_and_a_table_that_is_not_there_is_added() -> None:
    zeros = with_lines(CELL, CellLines("actuation", (("zero", "[3.0, 4.0]"),)))
    assert "zero = [3.0, 4.0]    # counts" in zeros
    shelf = with_lines(CELL, frame_lines("shelf", T, parent="world"))
    assert shelf.startswith(CELL) and tomllib.loads(shelf)["frames"]["shelf"]["parent"] == "world"
    table = tomllib.loads(with_lines(CELL, frame_lines("table", T)))["frames"]["table"]
    assert (
        table["parent"] == "base" and table["xyz_mm"] == [10.0, -20.0, 150.0] and table["rpy_deg"][2] == pytest.approx(17.188734)
    )


@pytest.mark.parametrize(
    "text", ["tool = {xyz = [0, 0, 0]}\n", "tool.xyz = [0, 0, 0]\n", "tool = 3\n", "oops\n", "[tool]\n[[tool]]\n"]
)
def test_what_cannot_be_changed_safely_is_left_to_the_person(text: str) -> None:
    with pytest.raises(BadCalibration, match=r"write this into it yourself:\n\[tool\]\nxyz_mm"):
        with_lines(text, tool_lines(T))


def test_zeros_come_as_motor_counts_or_as_a_whole_actuation() -> None:
    cell = open_cell("industrial6").cell
    assert cell.actuation is not None
    lines = zero_lines(cell.actuation, cell.actuation.joints, np.zeros(6))
    assert tomllib.loads(str(lines)) == {"actuation": {"zero": list(cell.actuation.zero)}}
    bare = tomllib.loads(str(zero_lines(None, ("a", "b"), np.array([0.1, -0.2]))))["actuation"]
    assert bare == {"joints": ["a", "b"], "counts_per_unit": [1.0, 1.0], "zero": [-0.1, 0.2]}


def test_configurations_are_read_from_json_and_csv(tmp_path: Path) -> None:
    model = load_model("cobot6")
    rows = np.array([[1.0, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]])
    backwards = ",".join(model.joints[::-1])
    files = {
        "a.json": str(rows.tolist()), "b.json": f'{{"q": {rows.tolist()}, "unit": "rad"}}',
        "c.csv": "1,2,3,4,5,6\n7,8,9,10,11,12\n", "d.csv": f"{backwards}\n6,5,4,3,2,1\n12,11,10,9,8,7\n",
        "e.txt": "# touches\n1 2 3 4 5 6\n\n7 8 9 10 11 12",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        assert read_configurations(tmp_path / name, model) == pytest.approx(rows), name
    assert read_configurations(tmp_path / "c.csv", model, degrees=True) == pytest.approx(np.radians(rows))
    assert read_configurations(tmp_path / "b.json", model, degrees=True) == pytest.approx(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2,3\n", "row 1 has 3 values, and 6"), ("1,2,3,4,5,6\n1,2,x,4,5,6\n", "row 2 is not numbers"), ("", "no row"),
        ("[[1, 2", r":1:7: it is not JSON"), ('{"Q": []}', "'Q'"), ('{"q": [], "unit": "gon"}', "'gon'"),
        ("a,b,c,d,e,f\n1,2,3,4,5,6\n", "it names a, b"), ("1,2,3,4,5,inf\n", "row 1"), ('{"q": [3]}', "row 1 is not numbers"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_taken_say_where(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "touches").write_text(text)
    with pytest.raises(BadCalibration, match=said):
        read_configurations(tmp_path / "touches", load_model("cobot6"))
    with pytest.raises(BadCalibration, match="No such file"):
        read_configurations(tmp_path / "none", load_model("cobot6"))


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60) | st.text(alphabet='[]{}",:;\t\n 01.e-#qjunit', max_size=60) | st.just("[" * 100_000))
def test_whatever_is_in_a_file_it_is_rows_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "touches").write_text(text, encoding="utf-8", errors="replace")
        try:
            rows = read_configurations(Path(folder) / "touches", ROBOT)
        except BadCalibration:
            return
        assert rows.shape[1] == 6 and np.isfinite(rows).all()


def test_poses_of_the_tip_are_without_the_tool() -> None:
    model = load_model("cobot6")
    assert model.tip == "tool" and flange_of(model) == "tool0" and tip_poses(model, np.zeros((3, 6))).shape == (3, 4, 4)
