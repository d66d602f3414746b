"""Going somewhere from the page: solutions, previews, motions that are held to run, and steps."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Mount

from armillary.description.cell import WorldObject
from armillary.description.geometry import Box, Pose
from armillary.description.library import known_robots
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.motion_preview import MotionPreview, frame_in_base
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS
from armillary.interfaces.http.routes import motion as routes
from armillary.motion import tool_pose
from armillary.programs import MoveJoints, MoveLine
from armillary.programs.teach import PointStore, point_at
from armillary.runtime import Refused, StationSettings
from armillary.runtime.prepared import Prepared, prepare
from armillary.spatial import rpy_from_rotation, transform_from_xyz_rpy

from .conftest import ASIDE, HOME, Browser

Array = np.ndarray[Any, np.dtype[np.float64]]


@pytest.fixture
def app(app: FastAPI) -> Iterator[FastAPI]:
    if routes.router not in ROUTERS:
        app.router.routes = [route for route in app.router.routes if not isinstance(route, Mount)]  # without the page
        app.include_router(routes.router, prefix="/api")
    yield app
    app.state.desk.cell.stop()
    stand(app.state.desk)


@pytest.fixture
def desk(app: FastAPI) -> Desk:
    found: Desk = app.state.desk
    return found


@pytest.fixture
def viewer(app: FastAPI) -> Browser:
    return Browser(app, "Vera", Role.VIEWER)


@cache
def prepared_of(source: str, group: str = "") -> Prepared:
    return prepare(StationSettings(source=source, group=group))


def pose_of(prepared: Prepared, q: Array) -> dict[str, list[float]]:
    T = tool_pose(prepared.model, q, base=prepared.model.reference)
    return {"xyz": T[:3, 3].tolist(), "rpy": list(rpy_from_rotation(T[:3, :3]))}


def where(desk: Desk) -> Array:
    return np.array(desk.cell.station.state["q"])


def stayed(desk: Desk) -> bool:
    return bool(np.abs(where(desk) - HOME).max() < 1e-9)


def stand(desk: Desk) -> None:
    until(lambda: not desk.cell.station.state["moves"] and not desk.cell.station.state["queued"])


def arrived(desk: Desk) -> bool:
    stand(desk)
    return bool(np.abs(where(desk) - ASIDE).max() < 1e-6)


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30.0
    while not done():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


# Solutions.


def test_every_solution_puts_the_tool_there_and_has_its_own_branch(viewer: Browser, desk: Desk) -> None:
    asked = pose_of(desk.prepared, ASIDE)
    said = viewer.post("/api/ik", json={**asked, "frame": ""}).json()
    model = desk.prepared.model
    assert len(said["solutions"]) == 8 and len({each["branch"] for each in said["solutions"]}) == 8
    assert {len(each["branch"].split(" · ")) for each in said["solutions"]} == {3}
    T = transform_from_xyz_rpy(asked["xyz"], asked["rpy"])
    for each in said["solutions"]:
        assert np.abs(tool_pose(model, np.array(each["q"]), base=model.reference) - T).max() < 1e-6
        assert each["reachable"] == (not model.outside(np.array(each["q"])))
    assert said["solutions"][said["chosen"]]["q"] == pytest.approx(ASIDE.tolist(), abs=1e-6)
    assert said["why"] == ""


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31))
def test_the_order_of_solutions_does_not_depend_on_where_the_robot_is(seed: int) -> None:
    prepared, rng = prepared_of("cobot6"), np.random.default_rng(seed)
    preview, model = shared_preview("cobot6"), prepared.model
    T = tool_pose(model, model.random(rng), base=model.reference)
    one, two = (preview.solutions(T, model.random(rng)) for _ in range(2))
    if len({each.branch for each in one.found}) < len(one.found):
        return  # two on one branch: a singular pose
    assert [each.branch for each in one.found] == [each.branch for each in two.found]
    for a, b in zip(one.found, two.found, strict=True):
        gap = a.q - b.q
        assert np.abs(gap - 2 * np.pi * np.rint(gap / (2 * np.pi))).max() < 1e-5


@cache
def shared_preview(source: str, group: str = "") -> MotionPreview:
    return MotionPreview(prepared_of(source, group))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31))
def test_solutions_outside_the_limits_are_shown_as_such(seed: int) -> None:
    preview = shared_preview("industrial6")
    model = preview.model
    q = model.random(np.random.default_rng(seed))
    found = preview.solutions(tool_pose(model, q, base=model.reference), q)
    assert any(each.inside for each in found.found), "the robot is there itself"
    for each in found.found:
        assert each.inside == (not model.outside(each.q, 1e-6))
        assert each.inside or "is outside" in each.why
    assert found.chosen >= 0 and found.found[found.chosen].inside


def test_some_solution_of_the_industrial_arm_is_outside_its_limits() -> None:
    preview = shared_preview("industrial6")
    model, rng = preview.model, np.random.default_rng(0)
    found = [preview.solutions(tool_pose(model, q, base=model.reference), q) for q in model.random(rng, 10)]
    assert any(not each.inside for all_of_it in found for each in all_of_it.found)


def test_solutions_that_collide_are_marked_and_not_chosen() -> None:
    prepared = prepared_of("cobot6")
    model = prepared.model
    T = tool_pose(model, HOME, base=model.reference)
    free = MotionPreview(prepared).solutions(T, HOME)
    elbows = [frame_in_base(model, each.q, "link_3")[:3, 3] for each in free.found]
    assert not free.found[free.chosen].collides and free.found[free.chosen].why == ""
    # A box where the chosen solution has its elbow.
    at = (frame_in_base(model, HOME, "world") @ np.array([0, 0, 0, 1]))[:3]
    x, y, z = (elbows[free.chosen] - at).tolist()
    box = WorldObject(name="box", shape=Box((0.05, 0.05, 0.05)), pose=Pose((x, y, z)))
    assert prepared.description is not None
    blocked = MotionPreview(replace(prepared, description=replace(prepared.description, world=(box,)))).solutions(T, HOME)
    assert blocked.found[free.chosen].collides and "box" in blocked.found[free.chosen].why
    assert blocked.chosen != free.chosen and not blocked.found[blocked.chosen].collides


def test_a_pose_in_a_frame_is_the_same_pose(viewer: Browser) -> None:
    """At the tool's own origin the robot is already."""
    said = viewer.post("/api/ik", json={"xyz": [0, 0, 0], "rpy": [0, 0, 0], "frame": "tool"}).json()
    assert said["solutions"][said["chosen"]]["q"] == pytest.approx(HOME.tolist(), abs=1e-6)
    answer = viewer.post("/api/ik", json={"xyz": [0, 0, 0], "rpy": [0, 0, 0], "frame": "toool"})
    assert answer.status_code == 409 and "tool" in answer.json()["detail"]


def test_where_the_tool_is_in_a_frame_is_told(viewer: Browser, desk: Desk) -> None:
    here = viewer.get("/api/pose").json()
    T = tool_pose(desk.prepared.model, HOME, base=desk.prepared.model.reference)
    assert here["xyz"] == pytest.approx(T[:3, 3].tolist(), abs=1e-6)
    own = viewer.get("/api/pose?frame=tool").json()
    assert own["xyz"] == pytest.approx([0, 0, 0], abs=1e-9) and own["rpy"] == pytest.approx([0, 0, 0], abs=1e-9)
    assert viewer.get("/api/pose?frame=toool").status_code == 409
    # What is told of a frame leads back to where the robot is.
    found = viewer.post("/api/ik", json={**own, "frame": "tool"}).json()
    assert found["solutions"][found["chosen"]]["q"] == pytest.approx(HOME.tolist(), abs=1e-6)


def test_a_pose_beyond_reach_has_no_solution_and_says_why(viewer: Browser) -> None:
    said = viewer.post("/api/ik", json={"xyz": [5.0, 0, 0], "rpy": [0, 0, 0]}).json()
    assert said["solutions"] == [] and said["chosen"] == -1
    assert "beyond reach" in said["why"]
    assert said["hindrance"]["kind"] == "reach" and 3.0 < said["hindrance"]["amount"] < 5.0  # m: the page says it in mm


@pytest.mark.slow
def test_an_arm_without_a_closed_form_gets_those_that_are_found() -> None:
    if "panda" not in {robot.name for robot in known_robots()}:
        pytest.skip("panda is not installed: pip install armillary[robots]")
    preview = shared_preview("panda")
    model = preview.model
    q = preview.prepared.start
    T = tool_pose(model, q, base=model.reference)
    found = preview.solutions(T, q)
    assert 1 < len(found.found) <= 16, "few enough to choose from"
    assert found.found[found.chosen].q == pytest.approx(q, abs=1e-4)
    assert all(each.inside and each.branch == "" for each in found.found)
    assert all(np.abs(tool_pose(model, each.q, base=model.reference) - T).max() < 1e-4 for each in found.found)


# Previews.


@pytest.mark.parametrize("kind", ["joints", "line"])
def test_a_preview_goes_from_here_to_there_and_nothing_moves(viewer: Browser, desk: Desk, kind: str) -> None:
    model = desk.prepared.model
    goal = pose_of(desk.prepared, ASIDE)
    said = viewer.post("/api/preview", json={"goal": goal, "kind": kind}).json()
    path, points, times = (np.array(said[name]) for name in ("path", "points", "times"))
    assert path[0] == pytest.approx(HOME, abs=1e-5) and path[-1] == pytest.approx(said["q"], abs=1e-5)
    assert points[-1] == pytest.approx(goal["xyz"], abs=1e-5)
    assert times[0] == 0.0 and times[-1] == pytest.approx(said["duration"], abs=1e-3)
    assert np.diff(times)[:-1] == pytest.approx(1 / 30, abs=2e-4)
    for q, point in zip(path, points, strict=True):
        assert tool_pose(model, q, base=model.reference)[:3, 3] == pytest.approx(point, abs=1e-5)
    if kind == "line":
        way = points[-1] - points[0]
        off = np.cross(points - points[0], way / np.linalg.norm(way))
        assert np.abs(off).max() < 1e-4
    assert stayed(desk) and not desk.cell.station.state["moves"]


def test_where_the_robot_is_already_there_is_nothing_to_do(viewer: Browser) -> None:
    said = viewer.post("/api/preview", json={"goal": {"joints": HOME.tolist()}}).json()
    assert said["duration"] == 0.0 and len(said["path"]) == 1 and said["notes"] == ["it is there already"]


def test_in_manual_mode_the_tool_keeps_to_250_mm_a_second() -> None:
    preview, model = shared_preview("industrial6"), prepared_of("industrial6").model
    start = prepared_of("industrial6").start
    goal = start.copy()
    goal[0] += 0.8
    command = MoveJoints(goal=tuple(goal.tolist()))
    slow, fast = (preview.plan(command, start, manual=manual) for manual in (True, False))

    def speed(shown: Any) -> float:
        return float((np.linalg.norm(np.diff(shown.points, axis=0), axis=1) / np.diff(shown.times)).max())

    assert speed(slow) <= 0.25 * 1.001 < speed(fast)
    assert model.tip == preview.tip


def test_a_long_motion_is_told_in_600_samples_at_most() -> None:
    prepared = prepared_of("cobot6")
    slow = MotionPreview(replace(prepared, bounds=replace(prepared.bounds, tool_speed=0.005)))
    T = tool_pose(prepared.model, HOME, base=prepared.model.reference)
    command = MoveLine(xyz=(T[0, 3], T[1, 3], T[2, 3] + 0.15), rpy=rpy_from_rotation(T[:3, :3]))
    shown = slow.plan(command, HOME, manual=True)
    assert shown.duration > 25.0
    assert 500 <= len(shown.times) <= 600 and shown.times[-1] == pytest.approx(shown.duration)


def test_what_cannot_be_driven_is_refused_with_the_reason(viewer: Browser) -> None:
    for goal, word in (
        ({"joints": [9.0] * 6}, "outside its limits"), ({"joints": [0.0] * 5}, "6 joints"), ({"point": "nowhere"}, "nowhere"),
        ({"xyz": [5, 0, 0], "rpy": [0, 0, 0]}, "reach"),
    ):  # fmt: skip
        answer = viewer.post("/api/preview", json={"goal": goal})
        assert answer.status_code == 409 and word in answer.json()["detail"], answer.text


@pytest.mark.parametrize(
    "body",
    [
        {}, {"goal": {}}, {"goal": {"joints": []}}, {"goal": {"joints": [1e9] * 6}}, {"goal": {"joints": ["a"]}},
        {"goal": {"xyz": [0, 0], "rpy": [0, 0, 0]}}, {"goal": {"point": ""}}, {"goal": {"point": "p"}, "kind": "arc"},
        {"goal": {"joints": [0.0] * 6, "point": "p"}}, {"goal": {"joints": [0.0] * 6}, "frame": "x" * 100},
    ],
)  # fmt: skip
def test_bodies_that_are_none_are_not_understood(viewer: Browser, body: dict[str, Any]) -> None:
    assert viewer.post("/api/preview", json=body).status_code == 422


def test_a_number_that_is_not_finite_is_not_understood(viewer: Browser) -> None:
    headers = {"content-type": "application/json"}
    assert viewer.post("/api/ik", content='{"xyz": [NaN, 0, 0], "rpy": [0, 0, 0]}', headers=headers).status_code == 422


def test_taught_points_are_goals(viewer: Browser, desk: Desk) -> None:
    model = desk.prepared.model
    PointStore.of(desk.prepared.settings.source).teach(point_at(model, ASIDE, "aside"), joints=model.joints)
    for kind in ("joints", "line"):
        said = viewer.post("/api/preview", json={"goal": {"point": "aside"}, "kind": kind}).json()
        assert said["q"] == pytest.approx(ASIDE.tolist(), abs=1e-5)


def test_too_many_previews_at_once_are_refused_and_take_no_threads() -> None:
    preview = MotionPreview(prepared_of("cobot6"))
    answers: list[object] = []

    def ask() -> None:
        try:
            answers.append(preview.plan(MoveJoints(goal=tuple(ASIDE.tolist())), HOME, manual=True))
        except Refused as error:
            answers.append(error)

    with preview._planning:  # as if one took long
        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        until(lambda: len(answers) == 4)
        assert all(isinstance(answer, Refused) and "ask again" in str(answer) for answer in answers)
    for thread in threads:
        thread.join(60.0)
    assert sum(not isinstance(answer, Refused) for answer in answers) == 8


@pytest.mark.slow
def test_joints_without_a_tool_have_no_poses_and_still_move() -> None:
    preview = shared_preview("inmoov", "right_hand")
    start = preview.prepared.start
    with pytest.raises(Refused, match="right_hand leads no tool"):
        preview.solutions(np.eye(4), start)
    goal = np.clip(start + 0.1, preview.model.lower, preview.model.upper)
    shown = preview.plan(MoveJoints(goal=tuple(goal.tolist())), start, manual=True)
    assert shown.path[-1] == pytest.approx(goal) and shown.points.shape == (0, 3)


# Motions.


@pytest.mark.parametrize("kind", ["joints", "line"])
def test_in_automatic_mode_it_goes_there_as_previewed(operator: Browser, desk: Desk, kind: str) -> None:
    operator.post("/api/mode", json={"mode": "automatic"})
    order = {"goal": pose_of(desk.prepared, ASIDE), "kind": kind}
    shown = operator.post("/api/preview", json=order).json()
    begun = operator.post("/api/move", json=order).json()
    assert begun["motion"] > 0 and begun["duration"] == pytest.approx(shown["duration"], rel=1e-6)
    stand(desk)
    assert where(desk) == pytest.approx(shown["q"], abs=1e-6)


def test_in_manual_mode_it_goes_while_it_is_held_and_stops_when_released(operator: Browser, desk: Desk) -> None:
    order = {"goal": {"joints": ASIDE.tolist()}, "kind": "joints"}
    assert operator.post("/api/move", json=order).status_code == 200
    stand(desk)
    stopped = where(desk)
    assert np.abs(stopped - ASIDE).max() > 0.05, "nobody held it"
    holder = desk.lease.holder
    assert holder is not None
    held = threading.Event()

    def hold() -> None:
        while not held.wait(0.02):
            desk.press(holder)

    thread = threading.Thread(target=hold)
    thread.start()
    try:  # on a busy machine a press may come late, and it stops: so it is asked for again, as a person would
        until(lambda: operator.post("/api/move", json=order).status_code == 200 and arrived(desk))
    finally:
        held.set()
        thread.join()


def test_a_motion_is_noted_with_who_and_where(operator: Browser, desk: Desk) -> None:
    operator.post("/api/move", json={"goal": {"joints": ASIDE.tolist()}})
    assert any("Olga" in str(entry) and "moves to joints" in str(entry) for entry in desk.audit.newest(5))


@pytest.mark.parametrize("path", ["/api/move", "/api/jog/step"])
def test_who_only_watches_moves_nothing(app: FastAPI, viewer: Browser, desk: Desk, path: str) -> None:
    body = {"goal": {"joints": ASIDE.tolist()}} if path == "/api/move" else {"kind": "joints", "by": [0.1] * 6}
    assert viewer.post(path, json=body).status_code == 403
    assert Browser(app, "Otto", Role.OPERATOR).post(path, json=body).status_code == 403, "without control"
    assert stayed(desk)


# Steps.


def test_a_step_of_a_joint_moves_it_by_just_that(operator: Browser, desk: Desk) -> None:
    assert operator.post("/api/jog/step", json={"kind": "joints", "by": [0.05, 0, 0, 0, 0, -0.02]}).status_code == 200
    stand(desk)
    assert where(desk) - HOME == pytest.approx([0.05, 0, 0, 0, 0, -0.02], abs=1e-9)


@pytest.mark.parametrize(("kind", "frame"), [("base", ""), ("tool", ""), ("frame", "link_1")])
def test_a_step_of_the_tool_goes_along_the_axes_that_were_named(operator: Browser, desk: Desk, kind: str, frame: str) -> None:
    model = desk.prepared.model
    before = tool_pose(model, HOME, base=model.reference)
    R = {"base": np.eye(3), "tool": before[:3, :3], "frame": frame_in_base(model, HOME, "link_1")[:3, :3]}[kind]
    by = [0.0, 0.005, 0.01, 0.0, 0.0, 0.03]
    answer = operator.post("/api/jog/step", json={"kind": kind, "by": by, "frame": frame})
    assert answer.status_code == 200, answer.text
    stand(desk)
    after = tool_pose(model, where(desk), base=model.reference)
    assert after[:3, 3] - before[:3, 3] == pytest.approx(R @ by[:3], abs=1e-6)
    turn = after[:3, :3] @ before[:3, :3].T
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    assert axis == pytest.approx(np.sin(0.03) * R[:, 2], abs=1e-6)


def test_steps_that_are_pressed_quickly_add_up(operator: Browser, desk: Desk) -> None:
    done = 0
    for _ in range(5):
        answer = operator.post("/api/jog/step", json={"kind": "joints", "by": [0, 0, 0, 0, 0, 0.002]})
        done += answer.status_code == 200
        assert answer.status_code == 200 or "the robot moves" in answer.json()["detail"]
    stand(desk)
    assert done >= 2
    assert where(desk)[5] - HOME[5] == pytest.approx(done * 0.002, abs=1e-9)


@pytest.mark.parametrize(
    ("order", "word"),
    [
        ({"kind": "joints", "by": [0.4, 0, 0, 0, 0, 0]}, "too far"),
        ({"kind": "base", "by": [0.08, 0.08, 0, 0, 0, 0]}, "too far"),
        ({"kind": "tool", "by": [0, 0, 0, 0, 0.3, 0.3]}, "too far"), ({"kind": "tool", "by": [0.0] * 6}, "nothing"),
        ({"kind": "tool", "by": [0.01]}, "three lengths"), ({"kind": "joints", "by": [0.01]}, "6 joints"),
        ({"kind": "frame", "by": [0.01] * 6, "frame": "nowhere"}, "nowhere"),
    ],
)  # fmt: skip
def test_steps_that_are_none_are_refused_and_nothing_moves(
    operator: Browser, desk: Desk, order: dict[str, Any], word: str
) -> None:
    answer = operator.post("/api/jog/step", json=order)
    assert answer.status_code == 409 and word in answer.json()["detail"]
    assert stayed(desk)


def test_steps_are_for_manual_mode(operator: Browser, desk: Desk) -> None:
    operator.post("/api/mode", json={"mode": "automatic"})
    answer = operator.post("/api/jog/step", json={"kind": "joints", "by": [0.01, 0, 0, 0, 0, 0]})
    assert answer.status_code == 409 and "manual mode" in answer.json()["detail"]


def test_a_step_behind_a_long_motion_is_refused_and_a_stop_ends_those_that_wait(operator: Browser, desk: Desk) -> None:
    operator.post("/api/override", json={"rate": 0.2})
    long = {"kind": "joints", "by": [0.3, 0, 0, 0, 0, 0]}
    assert operator.post("/api/jog/step", json=long).status_code == 200
    until(lambda: bool(desk.cell.station.state["moves"]))
    answer = operator.post("/api/jog/step", json=long)
    assert answer.status_code == 409 and "the robot moves" in answer.json()["detail"]
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(operator.post("/api/jog/step", json=long)))
    waiting.start()
    until(desk._doing.locked)
    operator.post("/api/stop", json={"category": 2})
    waiting.join(10.0)
    stand(desk)
    assert answers[0].status_code == 409
    assert where(desk)[0] - HOME[0] < 0.3
