"""Points: taught, touched up, renamed, deleted, listed, taken elsewhere."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.model import frame_pose, load_model
from armillary.programs.surroundings import Point
from armillary.programs.teach import BadName, NameTaken, NoSuchName, PointStore, TeachError, checked_name, point_at
from armillary.spatial import inverse, transform_from_xyz_rpy

HOME = (0.4, 1.83, -2.18, -1.92, -1.57, 0.0)
numbers = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.fixture
def store(tmp_path: Path) -> PointStore:
    return PointStore(tmp_path / "cell.sqlite")


def point(name: str, x: float = 0.3) -> Point:
    return Point(name, (0.1, -0.2), (x, 0.4, 0.5), (0.1, 0.2, 0.3), "gripper", "table")


def test_a_point_is_where_the_robot_is() -> None:
    model = load_model("cobot6")
    taught = point_at(model, HOME, "pick", frame="table")
    T = inverse(frame_pose(model, np.array(HOME), model.reference)) @ frame_pose(model, np.array(HOME), model.tip)
    assert taught.q == HOME and taught.tool == "" and taught.frame == "table"
    assert transform_from_xyz_rpy(taught.xyz, taught.rpy) == pytest.approx(T, abs=1e-12)


def test_points_are_listed_as_they_were_taught(store: PointStore) -> None:
    for name in ("zebra", "ant", "mouse"):
        store.teach(point(name), joints=("a", "b"), by="anna")
    assert [each.point.name for each in store.all()] == ["zebra", "ant", "mouse"]
    assert store.get("ant").point == point("ant") and store.get("ant").by == "anna" and store.get("ant").joints == ("a", "b")
    assert store.points() == {name: point(name) for name in ("zebra", "ant", "mouse")}


def test_a_touch_up_keeps_when_by_whom_and_what_was_before(store: PointStore) -> None:
    first = store.teach(point("pick"), by="anna")
    second = store.touch_up("pick", point("ignored", x=0.7), by="ben")
    assert store.get("pick") == second and second.point == point("pick", x=0.7)
    taught, touched = store.history("pick")
    assert (taught.what, taught.by, taught.before) == ("taught", "anna", None)
    assert (touched.what, touched.by, touched.before) == ("touched up", "ben", first) and touched.at == second.at


def test_history_goes_with_a_name_and_stays_behind_a_deleted_point(store: PointStore) -> None:
    store.teach(point("pick"))
    store.rename("pick", "take")
    store.delete("take", by="cleo")
    store.teach(point("pick", x=0.9))  # another one, that only has the name
    assert [each.what for each in store.history("take")] == ["taught", "renamed", "deleted"]
    assert [each.what for each in store.history()] == ["taught", "renamed", "deleted", "taught"]
    gone = store.history("take")[-1].before
    assert gone is not None and gone.point == point("take")
    with pytest.raises(NoSuchName):
        store.get("take")


def test_a_name_is_given_once_whatever_its_letters(store: PointStore) -> None:
    store.teach(point("pick"))
    store.teach(point("place"))
    with pytest.raises(NameTaken, match="there is a point 'Pick' already"):
        store.teach(point("Pick"))
    with pytest.raises(NameTaken):
        store.rename("place", "PICK")
    store.rename("place", "Place")
    assert list(store.points()) == ["pick", "Place"] and len(store.history()) == 3


def test_the_nearest_name_is_proposed(store: PointStore) -> None:
    with pytest.raises(NoSuchName, match="there is none yet"):
        store.get("pick")
    for name in ("home", "place", "pick_1"):
        store.teach(point(name))
    for act in (lambda: store.get("pik_1"), lambda: store.delete("pik_1"), lambda: store.touch_up("pik_1", point("x"))):
        with pytest.raises(NoSuchName, match="there is no point 'pik_1'; the nearest are pick_1"):
            act()


@pytest.mark.parametrize(
    "name", ["", "1st", "a b", "a-b", "stop", "MOVEJ", "movel_lspb", "If", "tcp", "b", "sin", "x" * 65, "ä", "a;b"]
)
def test_names_that_programs_could_not_say_are_refused(store: PointStore, name: str) -> None:
    with pytest.raises(BadName, match=r"is no name: .*; use letters"):
        store.teach(point(name))
    assert store.all() == []
    assert checked_name("pick_1") == "pick_1" and checked_name("_P1") == "_P1"


def test_bytes_that_are_no_text_are_refused(store: PointStore) -> None:
    for _ in range(2):  # before there is a file, and after
        for act in (lambda: store.get("\udcff"), lambda: store.history("\udcff"), lambda: store.delete("\udcff")):
            with pytest.raises(TeachError, match="no letters"):
                act()
        with pytest.raises(TeachError, match="no letters"):
            store.teach(point("pick"), by="\udcff")
        if not store.all():
            store.teach(point("place"))


def test_what_is_no_place_is_refused(store: PointStore) -> None:
    with pytest.raises(TeachError, match="not finite"):
        store.teach(Point("pick", (float("nan"),), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    with pytest.raises(TeachError, match="a value for each joint"):
        store.teach(point("pick"), joints=("a", "b", "c"))


def test_joints_come_in_the_order_that_is_asked_for(store: PointStore) -> None:
    store.teach(point("pick"), joints=("a", "b"))
    assert store.points(("b", "a"))["pick"].q == (-0.2, 0.1) and store.points(("b",))["pick"].q == (-0.2,)
    with pytest.raises(TeachError, match="'pick' has no value for c: it was taught with a, b"):
        store.points(("a", "c"))


@settings(max_examples=25, deadline=None)
@given(q=st.lists(numbers, min_size=1, max_size=8), pose=st.lists(numbers, min_size=6, max_size=6))
def test_what_is_kept_and_exported_comes_back_to_the_last_bit(q: list[float], pose: list[float]) -> None:
    (x, y, z), (roll, pitch, yaw) = pose[:3], pose[3:]
    one = Point("pick", tuple(q), (x, y, z), (roll, pitch, yaw), "gripper", "table")
    with tempfile.TemporaryDirectory() as folder:
        first, second = PointStore(Path(folder) / "a.sqlite"), PointStore(Path(folder) / "b.sqlite")
        first.teach(one)
        assert first.get("pick").point == one
        assert second.take_in(first.export()) == ["pick"]
        assert second.points() == first.points()


def test_an_import_is_whole_or_not_at_all(store: PointStore, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        store.teach(point(name), joints=("a", "b"))
    other = PointStore(tmp_path / "other.sqlite")
    other.teach(point("two", x=0.9))
    with pytest.raises(NameTaken, match="'two'"):
        other.take_in(store.export())
    assert list(other.points()) == ["two"]
    assert other.take_in(store.export(), keep=True) == ["one", "three"]
    assert other.get("two").point.xyz[0] == 0.9 and other.get("one").joints == ("a", "b")
    assert other.history("one")[0].what == "imported"


def test_a_text_that_is_no_export_says_where(store: PointStore) -> None:
    good = {"version": 1, "kind": "armillary points"}
    cases = [
        ("{\n  oops", "line 2, column 3: it is not JSON"),
        ("[]", "it has no points"),
        (json.dumps({**good, "version": 7, "points": []}), "version 7"),
        (json.dumps({**good, "points": [{"q": []}]}), "point 1 has no name"),
        (json.dumps({**good, "points": [{"name": "a", "q": [1], "xyz": [1, 2], "rpy": [0, 0, 0]}]}), "point 'a' is no point"),
        (json.dumps({**good, "points": [{"name": "stop", "q": [1], "xyz": [1, 2, 3], "rpy": [0, 0, 0]}]}), "'stop' is no name"),
    ]  # fmt: skip
    for text, said in cases:
        with pytest.raises(TeachError, match=said):
            store.take_in(text)
    assert store.all() == []


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["name", "q", "xyz", "rpy", "joints", "tool"]), inner, max_size=6), max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(points=st.lists(anything, max_size=3) | anything, text=st.none() | st.text(max_size=30))
def test_whatever_is_imported_is_taken_or_refused(points: object, text: str | None) -> None:
    given_text = text if text is not None else json.dumps({"version": 1, "kind": "armillary points", "points": points})
    with tempfile.TemporaryDirectory() as folder:
        store = PointStore(Path(folder) / "a.sqlite")
        try:
            taken = store.take_in(given_text)
        except TeachError:
            taken = []
        assert list(store.points()) == taken
