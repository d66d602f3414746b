"""Set-points one by one become points whose curve passes them; and how far it leaves a trajectory between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.drivers.pmac_deviation import main, paper_2_moves, path_deviation, points_of, tool_deviation
from armillary.drivers.pmac_points import PointStream
from armillary.model import load_model
from armillary.protocols.pmac_spline import control_points, waypoints

Array = NDArray[np.float64]
MODEL = load_model("industrial6")


def streamed(samples: Array, lead: int) -> Array:
    stream, points = PointStream(samples[0], lead=lead), [samples[0]]
    for sample in samples[1:]:
        points += stream.push(sample)
    return np.stack([*points, *stream.finish()])


def walk(count: int, seed: int) -> Array:
    """A bounded motion from rest to rest, with no velocity and acceleration at its ends."""
    rng = np.random.default_rng(seed)
    s = np.linspace(0.0, 1.0, count + 1)
    base = s**4 * (35.0 - 84.0 * s + 70.0 * s**2 - 20.0 * s**3)
    waves = sum(rng.uniform(-0.3, 0.3) * np.sin(np.pi * k * s) ** 4 for k in (1, 2, 3))
    return np.stack([base + waves, -0.5 * base], axis=1)


@given(count=st.integers(4, 90), seed=st.integers(0, 2**31), lead=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_what_is_streamed_is_what_the_whole_would_give(count: int, seed: int, lead: int) -> None:
    samples = walk(count, seed)
    whole = control_points(samples, lead=lead)
    points = streamed(samples, lead)
    assert points.shape == whole.shape
    assert points == pytest.approx(whole, abs=2e-4 * np.abs(np.diff(samples, 2, axis=0)).max())


@given(count=st.integers(30, 90), seed=st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_the_curve_passes_its_set_points_when_they_are_due(count: int, seed: int) -> None:
    samples = walk(count, seed)
    passed = waypoints(streamed(samples, 1))
    bend = np.abs(np.diff(samples, 3, axis=0)).max()
    assert passed[1 : count + 2] == pytest.approx(samples, abs=0.1 * bend)
    inner = slice(14, count - 12)
    assert passed[1 : count + 2][inner] == pytest.approx(samples[inner], abs=1e-5 * bend), "but for the ends, exactly"
    assert passed[-1] == pytest.approx(samples[-1], abs=1e-15), "it ends where the motion ends"


@pytest.mark.parametrize("count", range(1, 30))
def test_a_motion_of_any_length_ends_where_it_should(count: int) -> None:
    samples = np.linspace([0.0, 1.0], [0.01 * count, 1.0], count + 1)
    points = streamed(samples, 1)
    assert waypoints(points)[-1] == pytest.approx(samples[-1]) and len(points) >= 2
    assert np.abs(points[:, 1] - 1.0).max() < 1e-12, "what stands is not moved"
    assert np.abs(np.diff(points[:, 0])).max() < 0.05


def test_no_motion_has_no_points() -> None:
    assert PointStream([0.3, 0.4]).finish() == []


def test_paper_2s_moves_of_20_s_are_within_a_hundredth_of_a_millimetre() -> None:
    for profile in ("lspb", "quintic", "jerk", "s-curve"):
        for name, trajectory in paper_2_moves(MODEL, profile, 20.0).items():
            assert tool_deviation(MODEL, trajectory) < 0.01e-3, (profile, name)


def test_s_curves_of_2_s_are_within_a_twentieth_of_a_millimetre() -> None:
    for profile in ("jerk", "quintic"):
        for name, trajectory in paper_2_moves(MODEL, profile, 2.0).items():
            assert trajectory.duration == pytest.approx(2.0)
            assert tool_deviation(MODEL, trajectory) < 0.05e-3, (profile, name)
            assert path_deviation(MODEL, trajectory) < 0.05e-3, (profile, name)


def test_a_law_of_the_least_time_that_is_only_slowed_down_is_farther_away() -> None:
    """0.079 mm, as docs/pmac.md says: with as much time P0002 needs less jerk."""
    slowed, own = (paper_2_moves(MODEL, profile, 2.0)["P0002, spline"] for profile in ("s-curve", "jerk"))
    assert 0.08e-3 > tool_deviation(MODEL, slowed) > 1.5 * tool_deviation(MODEL, own)


def test_samples_sent_as_points_would_be_far_worse() -> None:
    trajectory = paper_2_moves(MODEL, "s-curve", 2.0)["P0001, from home"]
    samples = trajectory.sample([0.05 * k for k in range(41)])[:, 0]
    naive = np.abs(waypoints(samples)[1:-1] - samples).max()
    assert naive > 20.0 * np.abs(waypoints(points_of(trajectory, 0.05))[1:42] - samples).max()


def test_shorter_segments_are_nearer() -> None:
    trajectory = paper_2_moves(MODEL, "jerk", 2.0)["P0002, spline"]
    assert tool_deviation(MODEL, trajectory, 0.02) < 0.2 * tool_deviation(MODEL, trajectory, 0.05)


def test_the_table_of_the_docs_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.count("\n") == 10
    assert main(["x"]) == 2
