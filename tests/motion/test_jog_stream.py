"""Jogs as streams of proven pieces: every limit kept where pieces meet, straight lines, and stops before anything touches."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import Model, Scene, frame_pose, load_model
from armillary.motion import Bounds, MotionLimits, limits_of
from armillary.motion.jog_stream import JogStream, JointJog, ToolJog

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


def drive(stream: JogStream, speeds: Array, count: int) -> Array:
    """States at the ends of pieces and between, shape (k, 3, n); each piece must go on exactly from the one before."""
    states = []
    for _ in range(count):
        before = stream.state
        piece = stream.next(speeds)
        if piece is None or not piece.certificate:
            break
        start = piece.trajectory.start
        assert np.abs(start.q - before.q).max() < 1e-9 and np.abs(start.v - before.v).max() < 1e-6
        assert np.abs(start.a - before.a).max() < 1e-3
        end = piece.trajectory.end
        assert np.abs(end.v).max() < 1e-6, "each piece ends at rest"
        states.append(piece.trajectory.sample(np.linspace(0.0, piece.moment, 5)[:-1])[:, :3])
    return np.concatenate(states) if states else np.zeros((0, 3, stream.model.n))


def keeps(states: Array, limits: MotionLimits) -> None:
    q, v, a = states[:, 0], states[:, 1], states[:, 2]
    assert (q >= limits.lower - 1e-9).all() and (q <= limits.upper + 1e-9).all()
    assert (np.abs(v) <= limits.velocity * (1 + 1e-9)).all() and (np.abs(a) <= limits.acceleration * (1 + 1e-9)).all()


@pytest.mark.parametrize("name", ["cobot6", "industrial6", "panda"])
def test_random_jogs_of_joints_keep_every_limit(name: str) -> None:
    model = load_model(name)
    limits, rng = limits_of(model), np.random.default_rng(1)
    stream = JointJog(model, limits, np.clip(model.zero(), model.lower + 0.05, model.upper - 0.05))
    for _ in range(25):
        speeds = rng.uniform(-1.5, 1.5, model.n) * limits.velocity * (rng.random(model.n) < 0.7)
        keeps(drive(stream, speeds, int(rng.integers(1, 30))), limits)
    drive(stream, np.zeros(model.n), 200)
    assert stream.rests


def test_a_joint_goes_to_the_end_of_its_range_and_back() -> None:
    model = load_model("cobot6")
    limits = limits_of(model)
    stream = JointJog(model, limits, HOME)
    drive(stream, np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 400)
    assert stream.state.q[0] == pytest.approx(limits.upper[0], abs=1e-6) and stream.rests
    keeps(drive(stream, np.array([-2.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 100), limits)
    assert stream.state.q[0] < limits.upper[0] - 1.0


@pytest.mark.parametrize("in_tool", [False, True])
def test_the_tool_keeps_its_line(in_tool: bool) -> None:
    model = load_model("cobot6")
    stream = ToolJog(model, limits_of(model), HOME, in_tool=in_tool)
    T = frame_pose(model, HOME, model.tip)
    way = np.array([0.0, 0.6, 0.8])
    axis = T[:3, :3] @ way if in_tool else way
    states = drive(stream, np.concatenate([0.1 * way, np.zeros(3)]), 60)
    keeps(states, limits_of(model))
    places = np.array([frame_pose(model, q, model.tip) for q in states[:, 0]])
    gone = places[:, :3, 3] - T[:3, 3]
    along = gone @ axis
    assert along[-1] > 0.08 and np.linalg.norm(gone - along[:, None] * axis, axis=1).max() < 1e-4
    assert np.abs(places[:, :3, :3] - T[:3, :3]).max() < 2e-4, "and does not turn"


def test_it_turns_about_itself() -> None:
    model = load_model("cobot6")
    stream = ToolJog(model, limits_of(model), HOME)
    before = frame_pose(model, HOME, model.tip)
    states = drive(stream, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.3]), 60)
    after = frame_pose(model, states[-1, 0], model.tip)
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) < 2e-4
    turned = np.arccos((np.trace(after[:3, :3] @ before[:3, :3].T) - 1.0) / 2.0)
    assert 0.2 < turned < 0.4


def with_scene(model: Model) -> Bounds:
    return Bounds(scene=Scene(model))


@pytest.mark.parametrize("kind", [JointJog, ToolJog])
def test_it_stops_before_anything_touches(kind: type[JogStream]) -> None:
    """Towards itself, as long as one likes: the last piece that is proven ends free, and the next says what would touch."""
    model = load_model("cobot6")
    scene = Scene(model)
    stream = kind(model, limits_of(model), HOME, bounds=Bounds(scene=scene))
    speeds = np.array([0.0, 0.0, -0.8, 0.0, 0.0, 0.0]) if kind is JointJog else np.array([-0.2, -0.15, 0.0, 0.0, 0.0, 0.0])
    states = drive(stream, speeds, 600)
    assert len(states) > 20 and scene.free(states[-1, 0])
    piece = stream.next(speeds)
    assert piece is None or "comes within" in piece.held_by or "reach" in piece.held_by or not piece.certificate
    back = drive(stream, -speeds, 20)
    assert len(back) > 10, "and it goes back from there"


def test_what_is_too_fast_for_the_tool_is_slower() -> None:
    model = load_model("cobot6")
    stream = JointJog(model, limits_of(model), HOME, bounds=Bounds(tool_speed=0.1))
    piece = None
    for _ in range(40):
        piece = stream.next(np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
        assert piece is not None and piece.certificate, piece.held_by if piece else ""
    assert piece is not None and "faster" in piece.held_by
    assert piece.certificate.use["tool speed"] <= 1.0 and stream.state.v[0] > 0.1
