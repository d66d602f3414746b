"""Recorded paths: kept, smoothed within a tolerance, timed and proven, or refused."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.model import Model, frame_pose_batch, load_model
from armillary.motion import Bounds, certify, limits_of
from armillary.programs.teach import (
    NameTaken,
    NoPlayback,
    NoSuchName,
    PathRecorder,
    PathStore,
    RecordedPath,
    TeachError,
    corners_of,
    plan_playback,
)

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("cobot6")


def ease(x: Array) -> Array:
    x = np.clip(x, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)


def jogged(model: Model, seconds: float = 6.0, noise: float = 1e-4) -> RecordedPath:
    """There along a curve, a pause, and on: as a person jogs, every 10 ms, with an encoder that trembles."""
    t = np.arange(0.0, seconds, 0.01)
    s, back = ease(t / (0.5 * seconds)), ease((t - 0.6 * seconds) / (0.35 * seconds))
    q = HOME + np.outer(s, [0.5, 0.1, 0.0, 0.0, 0.2, 0.0]) + np.outer(np.sin(np.pi * s), [0.0, 0.2, 0.15, 0.0, 0.0, 0.1])
    q = q + np.outer(back, [-0.3, 0.2, 0.1, 0.0, 0.0, 0.4])
    tremble = np.random.default_rng(1).normal(0.0, noise, q.shape)
    tremble[[0, -1]] = 0.0
    return RecordedPath(model.joints, t, q + tremble)


@pytest.mark.parametrize("pace", ["recorded", "fast"])
def test_a_path_is_played_within_its_tolerance_through_few_points(model: Model, pace: str) -> None:
    path = jogged(model)
    playback = plan_playback(model, path, pace=pace)
    assert playback.certificate and certify(playback.trajectory, model)
    assert playback.deviation <= 0.002 and playback.tool_deviation <= 0.001
    assert 4 <= len(playback.points) <= 40 < len(path.times)
    assert playback.trajectory.start.q == pytest.approx(path.q[0]) and playback.trajectory.end.q == pytest.approx(path.q[-1])
    assert np.abs(playback.trajectory.start.v).max() == 0.0 and np.abs(playback.trajectory.end.v).max() < 1e-9
    # Measured anew, and the other way round: no place of what is moved is far from all that was recorded.
    moved = playback.trajectory.sample(np.linspace(0.0, playback.trajectory.duration, 800))[:, 0]
    fine = np.concatenate([np.linspace(a, b, 5) for a, b in zip(path.q[:-1], path.q[1:], strict=True)])
    assert max(np.abs(fine - q).max(axis=1).min() for q in moved) < 0.003
    tool, way = frame_pose_batch(model, moved, model.tip)[:, :3, 3], frame_pose_batch(model, fine, model.tip)[:, :3, 3]
    assert max(np.linalg.norm(way - place, axis=1).min() for place in tool) < 0.0015
    assert "points" in str(playback) and "keeps its limits" in str(playback)


def test_it_takes_as_long_as_it_was_recorded_and_each_place_has_its_time(model: Model) -> None:
    path = jogged(model)
    playback = plan_playback(model, path)
    assert playback.trajectory.duration == pytest.approx(path.duration) and playback.notes == ()
    assert np.abs(playback.trajectory.sample(path.times)[:, 0] - path.q).max() <= 0.002


def test_as_fast_as_allowed_is_faster_and_leaves_out_the_pause(model: Model) -> None:
    path = jogged(model)
    assert plan_playback(model, path, pace="fast").trajectory.duration < 0.6 * path.duration


def test_what_was_too_fast_is_slowed_and_said(model: Model) -> None:
    path = jogged(model, seconds=1.0)
    playback = plan_playback(model, path)
    assert playback.trajectory.duration > 1.2 * path.duration and "slower than it was recorded" in playback.notes[0]
    slow = plan_playback(model, jogged(model), bounds=Bounds(tool_speed=0.05))
    assert slow.certificate and slow.trajectory.duration > 1.5 * 6.0


def test_a_finer_tolerance_takes_more_points_and_is_nearer(model: Model) -> None:
    path = jogged(model, noise=0.0)
    coarse, fine = (plan_playback(model, path, tolerance=t, tool_tolerance=t) for t in (0.01, 0.0005))
    assert len(coarse.points) < len(fine.points) and fine.deviation <= 0.0005 < coarse.deviation <= 0.01


def test_what_may_not_be_moved_is_refused_with_when_and_where(model: Model) -> None:
    box = np.array([[-5.0, -5.0, -5.0], [5.0, 5.0, 0.2]])
    with pytest.raises(NoPlayback, match=r"may not be played.*record it anew"):
        plan_playback(model, jogged(model), bounds=Bounds(box=box))
    outside = RecordedPath(model.joints, np.arange(50.0), HOME + np.outer(np.linspace(0.0, 9.0, 50), [1.0, 0, 0, 0, 0, 0]))
    with pytest.raises(NoPlayback, match="joint_1"):
        plan_playback(model, outside)


def test_what_is_no_path_is_refused(model: Model) -> None:
    for times, q, said in (
        ([0.0], [[0.0] * 6], "two rows"), ([0.0, 0.0], [[0.0] * 6] * 2, "does not go on at sample 1"),
        ([0.0, 1.0], [[float("nan")] * 6] * 2, "not finite"), ([0.0, 1.0], [[0.0] * 5] * 2, "two rows"),
    ):  # fmt: skip
        with pytest.raises(TeachError, match=said):
            RecordedPath(model.joints, np.array(times), np.array(q))
    with pytest.raises(TeachError, match="and cobot6 has"):
        plan_playback(model, RecordedPath(("a",), np.arange(3.0), np.zeros((3, 1))))
    for wrong in ({"tolerance": 0.0}, {"tool_tolerance": -1.0}, {"pace": "slow"}):
        with pytest.raises(TeachError):
            plan_playback(model, jogged(model), **wrong)
    still = RecordedPath(model.joints, np.arange(5.0), np.tile(HOME, (5, 1)))
    with pytest.raises(NoPlayback, match="nothing moves"):
        plan_playback(model, still, pace="fast")


def test_a_recording_that_was_cut_in_full_motion_is_played_from_rest_to_rest(model: Model) -> None:
    t = np.arange(0.0, 3.0, 0.01)
    path = RecordedPath(model.joints, t, HOME + np.outer(t / 3.0, [0.8, 0.2, 0.1, 0.0, 0.2, 0.0]))
    playback = plan_playback(model, path)
    assert np.abs(playback.trajectory.start.v).max() == 0.0 and playback.deviation <= 0.002
    assert path.duration < playback.trajectory.duration < 1.25 * path.duration
    assert ["begins in full motion" in playback.notes[0], "ends in full motion" in playback.notes[1]] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["recorded", "fast"])
def test_between_few_samples_the_path_is_straight_and_nothing_swings_out(model: Model, pace: str) -> None:
    corners = HOME + 0.2 * np.random.default_rng(0).normal(size=(5, 6))
    playback = plan_playback(model, RecordedPath(model.joints, 2.0 * np.arange(5.0), corners), pace=pace)
    moved = playback.trajectory.sample(np.linspace(0.0, playback.trajectory.duration, 2000))[:, 0]
    lines = np.concatenate([np.linspace(a, b, 3000) for a, b in pairwise(corners)])
    assert max(np.abs(lines - q).max(axis=1).min() for q in moved) < 0.0022
    assert playback.deviation <= 0.002 and playback.tool_deviation <= 0.001


def test_a_path_that_comes_back_to_where_it_began(model: Model) -> None:
    t = np.arange(0.0, 5.0, 0.01)
    q = HOME + np.outer(np.sin(np.pi * ease(t / 5.0)) ** 2, [0.4, 0.1, -0.2, 0.0, 0.0, 0.3])
    for pace in ("recorded", "fast"):
        playback = plan_playback(model, RecordedPath(model.joints, t, q), pace=pace)
        assert playback.deviation <= 0.002 and np.ptp(playback.points[:, 0]) > 0.39


def test_paths_are_kept_to_the_last_bit(model: Model, tmp_path: Path) -> None:
    store, path = PathStore(tmp_path / "cell.sqlite"), jogged(model)
    store.keep("sweep", path)
    again = store.get("sweep")
    assert again.joints == path.joints and (again.times == path.times).all() and (again.q == path.q).all()
    with pytest.raises(NameTaken, match="path"):
        store.keep("SWEEP", path)
    store.rename("sweep", "wipe")
    assert store.names() == ["wipe"]
    with pytest.raises(NoSuchName, match="the nearest is wipe"):
        store.get("wip")
    with pytest.raises(NoSuchName):
        store.delete("sweep")
    store.delete("wipe")
    assert store.names() == []


def test_a_recorder_leaves_out_what_stood_before_and_behind(model: Model) -> None:
    recorder = PathRecorder(model.joints)
    with pytest.raises(TeachError, match="nothing has moved"):
        recorder.finish()
    for t in np.arange(0.0, 4.0, 0.01):
        recorder.add(t, HOME + np.clip(t - 1.0, 0.0, 1.0) * 0.1)
        recorder.add(t, HOME)  # the same moment again
    path = recorder.finish()
    assert path.duration == pytest.approx(1.0, abs=0.03) and (path.q[0] == HOME).all()
    assert path.q[-1] == pytest.approx(HOME + 0.1)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 2), min_size=2, max_size=60), tolerance=st.floats(1e-3, 0.5))
def test_straight_lines_between_corners_pass_every_row_within_the_tolerance(
    rows: list[tuple[float, float]], tolerance: float
) -> None:
    q = np.array(rows)
    corners = corners_of(q, tolerance)
    assert corners[0] == 0 and corners[-1] == len(q) - 1
    for first, last in pairwise(corners.tolist()):
        way = np.linspace(q[first], q[last], 400)
        spacing = np.abs(q[last] - q[first]).max() / 399
        for row in q[first : last + 1]:
            assert np.abs(way - row).max(axis=1).min() <= tolerance + spacing + 1e-9


def test_limits_of_the_robot_hold_at_every_pace(model: Model) -> None:
    limits = limits_of(model).scaled(velocity=0.3)
    for pace in ("recorded", "fast"):
        playback = plan_playback(model, jogged(model, seconds=2.0), pace=pace, limits=limits)
        assert certify(playback.trajectory, model, limits=limits)
