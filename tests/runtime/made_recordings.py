"""Recordings that tests make: real files, written tick by tick from planned motions."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, inverse_dynamics_batch, load_model
from armillary.motion import Trajectory, plan_joints
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.recording_writer import RecordingAbout, RecordingWriter
from armillary.runtime.states import State

__all__ = ["HOME", "about_cobot", "cobot", "planned", "record", "record_many_joints", "ticks_of"]

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
_STANDS = 200  # ticks before, between and behind motions


@cache
def cobot() -> Model:
    return load_model("cobot6")


@cache
def planned(*by: float) -> Trajectory:
    """From HOME by so much, and proven."""
    plan = plan_joints(cobot(), HOME, HOME + np.array(by))
    assert plan
    return plan.trajectory


def about_cobot() -> RecordingAbout:
    return RecordingAbout("cobot6", cobot().joints, cobot().digest, "<robot/>", 10**18, 10**18, source="cobot6")


def ticks_of(motions: Sequence[Trajectory], *, rate: float = 1.0) -> np.ndarray[Any, np.dtype[np.void]]:
    """As an executor says them: it stands, moves along each, and stands; the ideal robot is where it is asked to be."""
    rows, states, progress = [], [], []
    for motion in motions:
        times = np.array([rate * 0.001 * i for i in range(1, int(np.ceil(motion.duration / rate / 0.001)))])
        start, end = (np.stack([q, q * 0, q * 0]) for q in (motion.start.q, motion.end.q))
        scale = np.array([1.0, rate, rate**2])[:, None]
        rows += [np.tile(start, (_STANDS, 1, 1)), motion.sample(times)[:, :3] * scale, end[None]]
        states += [State.READY] * _STANDS + [State.MOVING] * len(times) + [State.READY]
        progress += [1.0] * _STANDS + list(times / motion.duration) + [1.0]
    rows.append(np.tile(rows[-1][-1], (_STANDS, 1, 1)))
    states, progress = states + [State.READY] * _STANDS, progress + [1.0] * _STANDS
    samples = np.concatenate(rows)
    ticks = np.zeros(len(samples), dtype=state_kind(samples.shape[2]))
    ticks["time"], ticks["ticks"] = 0.001 * np.arange(len(ticks)), np.arange(1, len(ticks) + 1)
    ticks["state"], ticks["progress"], ticks["moves"] = states, progress, np.array(states) == State.MOVING
    ticks["q"], ticks["v"], ticks["a"] = samples[:, 0], samples[:, 1], samples[:, 2]
    ticks["torque"] = inverse_dynamics_batch(cobot(), *(np.ascontiguousarray(samples[:, i]) for i in range(3)))
    for name in ("q", "v", "a", "torque"):
        ticks[f"measured_{name}"] = ticks[name]
    ticks["certified"], ticks["rate"], ticks["late"] = 1, rate, 1e-5
    return ticks


def record(
    path: Path, ticks: "np.ndarray[Any, np.dtype[np.void]]", *, about: RecordingAbout | None = None,
    events: Sequence[tuple[float, str, str, str]] = (), pieces: Sequence[tuple[float, int, float, Trajectory]] = (),
    killed: bool = False,
) -> Path:  # fmt: skip
    """Write a file.

    Args:
        events: Time, kind, state and text of each.
        pieces: When each piece of a motion was taken, its motion, from when of that on, and what it is.
        killed: Leave it as a recorder that was killed leaves it: the last half second is lost.
    """
    writer = RecordingWriter(path, about or about_cobot())
    for event in events:
        writer.event(*event)
    for piece in pieces:
        writer.piece(*piece)
    for tick in ticks:
        writer.tick(tick.tobytes())
    if killed:
        writer.abandon()
    else:
        writer.finish()
    return path


def record_many_joints(path: Path, n: int = 29, count: int = 3000) -> Path:
    """A robot of many joints that swing, each with its own frequency."""
    t, k = 0.001 * np.arange(count)[:, None], 1.0 + 0.15 * np.arange(n)
    ticks = np.zeros(count, dtype=state_kind(n))
    ticks["time"], ticks["ticks"], ticks["state"], ticks["certified"] = t[:, 0], np.arange(1, count + 1), State.MOVING, 1
    ticks["q"], ticks["v"], ticks["a"] = np.sin(k * t), k * np.cos(k * t), -(k**2) * np.sin(k * t)
    ticks["torque"] = 20 * np.cos(0.5 * k * t)
    ticks["measured_q"], ticks["measured_v"], ticks["measured_a"] = ticks["q"] - 0.001 * k, ticks["v"], ticks["a"]
    ticks["measured_torque"] = np.nan
    ticks["late"] = 10.0 ** np.random.default_rng(0).uniform(-6, -4, count)
    joints = tuple(f"left_leg_joint_with_a_long_name_{i}" if i % 5 == 0 else f"joint_{i}" for i in range(n))
    return record(path, ticks, about=RecordingAbout("humanoid", joints, started_ns=10**18, epoch_ns=10**18))
