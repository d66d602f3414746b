"""Comparing recordings: by numbers that are known beforehand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.runtime.recording import Recording
from armillary.runtime.recording_comparison import QUANTITIES, NotComparable, compare_recordings
from tests.runtime.made_recordings import cobot, planned, record, record_many_joints, ticks_of

THERE = planned(-1.0, 0.2, 0.0, 0.3, 0.0, 0.5)
MOTIONS = [THERE, THERE.backwards()]


def recording(path: Path, name: str, ticks: Any, **options: Any) -> Recording:
    return Recording.open(record(path / f"{name}.mcap", ticks, **options))


def test_the_same_motions_do_not_differ(tmp_path: Path) -> None:
    first, second = (recording(tmp_path, name, ticks_of(MOTIONS)) for name in "ab")
    found = compare_recordings(first, second, model=cobot())
    assert found.counts == (2, 2) and [motion.by for motion in found.motions] == ["tick", "tick"]
    assert all((one.worst == 0.0).all() and (one.rms == 0.0).all() for one in found.differences.values())
    assert found.tool == (0.0, 0.0) and not found.failures(1e-9, 1e-9) and not found.notes


def test_differences_are_what_was_put_in(tmp_path: Path) -> None:
    ticks = ticks_of(MOTIONS)
    first = recording(tmp_path, "a", ticks)
    ticks["measured_q"][:, 3] += 0.002
    ticks["measured_v"][:, 1] -= 0.03
    ticks["measured_torque"][:, 0] += np.where(np.arange(len(ticks)) % 2, 1.0, -1.0)
    ticks["late"][-10:] = 0.004
    found = compare_recordings(first, recording(tmp_path, "b", ticks), model=cobot())
    by = found.differences
    assert by["measured position"].worst == pytest.approx([0, 0, 0, 0.002, 0, 0])
    assert by["measured position"].rms == pytest.approx([0, 0, 0, 0.002, 0, 0])
    assert by["measured velocity"].worst == pytest.approx([0, 0.03, 0, 0, 0, 0])
    assert by["measured torque"].rms == pytest.approx([1, 0, 0, 0, 0, 0])
    assert all((by[name].worst == 0.0).all() for name in ("position", "velocity", "torque"))
    assert found.lateness[1].most == pytest.approx(0.004) and found.lateness[0].most == pytest.approx(1e-5)
    assert found.tool is not None and found.tool[0] == 0.0 and 1e-5 < found.tool[1] < 2e-3  # an arm of at most a metre
    assert found.failures(0.0021, 1.0) == []
    assert found.failures(0.0019, 1.0) == ["joint_4: measured position differs by 0.002, allowed are 0.0019"]
    assert "the tool as measured" in found.failures(0.0021, 1e-6)[0]


def test_the_same_path_at_another_speed_is_compared_by_path(tmp_path: Path) -> None:
    first = recording(tmp_path, "a", ticks_of(MOTIONS))
    second = recording(tmp_path, "b", ticks_of(MOTIONS, rate=0.5))
    found = compare_recordings(first, second, model=cobot())
    assert [motion.by for motion in found.motions] == ["path", "path"]
    assert found.differences["position"].worst.max() < 1e-5 and not found.failures(1e-4, 1e-4)
    fastest = np.abs(first.v).max(axis=0)
    assert found.differences["velocity"].worst == pytest.approx(0.5 * fastest, rel=0.01, abs=1e-3)
    for motion, original in zip(found.motions, MOTIONS, strict=True):
        assert motion.durations == pytest.approx((original.duration, 2 * original.duration), abs=0.002)


def test_a_clock_that_differs_is_no_difference(tmp_path: Path) -> None:
    ticks = ticks_of(MOTIONS)
    first = recording(tmp_path, "a", ticks)
    ticks["time"] = 5.0 + 1.0007 * ticks["time"]
    found = compare_recordings(first, recording(tmp_path, "b", ticks))
    assert found.differences["position"].worst.max() == 0.0 and [motion.by for motion in found.motions] == ["tick", "tick"]
    assert found.tool is None


def test_a_lost_tick_is_bridged_by_time(tmp_path: Path) -> None:
    ticks = ticks_of(MOTIONS)
    first = recording(tmp_path, "a", ticks)
    found = compare_recordings(first, recording(tmp_path, "b", np.delete(ticks, 600)))
    assert [motion.by for motion in found.motions] == ["time", "tick"] and found.differences["position"].worst.max() < 1e-5


def test_motions_that_are_missing_or_go_elsewhere_fail(tmp_path: Path) -> None:
    first = recording(tmp_path, "a", ticks_of(MOTIONS))
    fewer = compare_recordings(first, recording(tmp_path, "b", ticks_of(MOTIONS[:1])))
    assert fewer.failures(1.0, 1.0) == ["the first has 2 motions, the second 1"]
    elsewhere = compare_recordings(
        first, recording(tmp_path, "c", ticks_of([planned(-0.5, 0.0, 0.0, 0.0, 0.0, 0.0), MOTIONS[1]]))
    )
    assert "motion 1 goes another way" in elsewhere.failures(1e-3, 1.0)[0]


def test_what_was_not_measured_is_no_number(tmp_path: Path) -> None:
    ticks = ticks_of(MOTIONS)
    first = recording(tmp_path, "a", ticks)
    ticks["measured_torque"], ticks["measured_q"] = np.nan, np.nan
    found = compare_recordings(first, recording(tmp_path, "b", ticks), model=cobot())
    assert np.isnan(found.differences["measured torque"].worst).all() and np.isnan(found.differences["measured torque"].rms).all()
    assert found.tool is not None and found.tool[0] == 0.0 and np.isnan(found.tool[1])
    assert not found.failures(1e-9, 1e-9) and set(found.differences) == set(QUANTITIES)


def test_faults_and_another_description_are_said(tmp_path: Path) -> None:
    first = recording(tmp_path, "a", ticks_of(MOTIONS))
    fault = [(0.5, "FAULT", "FAULTED", "joint_2 lags by 0.03 rad")]
    second = recording(tmp_path, "b", ticks_of(MOTIONS), events=fault)
    assert compare_recordings(first, second).notes == ("the second came to a fault at 0.500 s: joint_2 lags by 0.03 rad",)


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    first = recording(tmp_path, "a", ticks_of(MOTIONS))
    with pytest.raises(NotComparable, match="the same robot"):
        compare_recordings(first, Recording.open(record_many_joints(tmp_path / "h.mcap")))
    with pytest.raises(NotComparable, match="no motion in the second"):
        compare_recordings(first, recording(tmp_path, "s", ticks_of(MOTIONS)[:100]))
