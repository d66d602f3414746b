"""Recordings by requests: listed, downloaded, looked at, deleted; no name leads elsewhere, and no peak is lost."""

import fcntl
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from armillary.interfaces.http.recording_signals import buckets_of, decimated, signals_of
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, recordings
from armillary.runtime.recording import Recording
from armillary.runtime.recording_format import RecordingAbout
from armillary.runtime.recording_writer import RecordingWriter
from tests.interfaces.http.conftest import Browser

NAME = "20260101-120000-000_cobot6.mcap"


@pytest.fixture
def folder(app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cell's recordings, of the test's own."""
    station = app.state.desk.cell.station
    monkeypatch.setattr(station, "settings", replace(station.settings, recordings=str(tmp_path / "recordings")))
    if recordings.router not in ROUTERS:
        app.include_router(recordings.router, prefix="/api")
    (tmp_path / "recordings").mkdir()
    return tmp_path / "recordings"


def recorded(path: Path) -> Path:
    """A file that a recorder began and finished, without a tick."""
    writer = RecordingWriter(path, RecordingAbout("cobot6", tuple(f"joint_{k}" for k in range(6))))
    writer.finish()
    return path


def test_recordings_are_listed_downloaded_and_deleted(app: FastAPI, folder: Path, programmer: Browser) -> None:
    data = bytes(range(256)) * 10_000
    (folder / NAME).write_bytes(data)
    (folder / "20260102-120000-000_cobot6.mcap").write_bytes(b"newer")
    (folder / "other.txt").write_text("not a recording")
    viewer = Browser(app, "Vera", Role.VIEWER)
    said = viewer.get("/api/recordings").json()
    assert [each["name"] for each in said] == ["20260102-120000-000_cobot6.mcap", NAME]
    assert said[1]["size"] == len(data) and said[1]["at"] == "2026-01-01T12:00:00.000+00:00" and not said[1]["written"]
    answer = viewer.get("/api/recordings/file", params={"name": NAME})
    assert answer.content == data and f'filename="{NAME}"' in answer.headers["content-disposition"]
    assert viewer.delete("/api/recordings", params={"name": NAME}).status_code == 403
    assert programmer.delete("/api/recordings", params={"name": NAME}).status_code == 200
    assert not (folder / NAME).exists() and Browser(app).get("/api/recordings").status_code == 401


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "other.txt", "..", "x" * 150, f"../recordings/{NAME}", "a\x00b"])
def test_no_name_leads_elsewhere(app: FastAPI, folder: Path, programmer: Browser, name: str) -> None:
    (folder / NAME).write_bytes(b"a recording")
    (folder.parent / "secret").write_text("secret")
    (folder / "other.txt").write_text("not a recording")
    for answer in (
        programmer.get("/api/recordings/file", params={"name": name}),
        programmer.get("/api/recordings/signals", params={"name": name}),
        programmer.delete("/api/recordings", params={"name": name}),
    ):
        assert answer.status_code == 409 and "no recording" in answer.json()["detail"]


def test_a_link_among_them_leads_nowhere(app: FastAPI, folder: Path, programmer: Browser) -> None:
    (folder.parent / "secret").write_text("secret")
    (folder / NAME).symlink_to(folder.parent / "secret")
    assert programmer.get("/api/recordings/file", params={"name": NAME}).status_code == 409


def test_one_that_is_being_written_is_not_deleted(app: FastAPI, folder: Path, programmer: Browser) -> None:
    with (folder / NAME).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert programmer.get("/api/recordings").json()[0]["written"]
        refused = programmer.delete("/api/recordings", params={"name": NAME})
        assert refused.status_code == 409 and "being written" in refused.json()["detail"]


@pytest.mark.slow
def test_signals_of_a_file_are_read_beside_the_pendant(app: FastAPI, folder: Path, programmer: Browser) -> None:
    recorded(folder / NAME)
    said = programmer.get("/api/recordings/signals", params={"name": NAME, "points": 100})
    assert said.status_code == 200 and said.json()["joints"] == [f"joint_{k}" for k in range(6)] and said.json()["times"] == []
    (folder / NAME).write_bytes(b"no recording at all")
    refused = programmer.get("/api/recordings/signals", params={"name": NAME})
    assert refused.status_code == 409 and NAME in refused.json()["detail"]
    assert programmer.get("/api/recordings/signals", params={"name": NAME, "points": 0}).status_code == 422
    recordings._worker.close()


def recording(time: np.ndarray, tmp_path: Path) -> Recording:
    """Ticks at these times, with waves and one peak."""
    empty, k, n = Recording.open(recorded(tmp_path / "empty.mcap")), len(time), 6
    wave = np.sin(time)[:, None] * np.arange(1, n + 1)
    wide = {name: wave.copy() for name in ("q", "v", "a", "torque", "measured_q", "measured_v", "measured_a", "measured_torque")}
    single = {name: np.abs(np.cos(time)) for name in ("late", "work", "round_trip", "rate", "progress", "motion_time")}
    whole = {"certified": bool, "contacts": np.uint16, "overruns": np.uint64, "motion": np.uint64}
    return replace(
        empty, time=time, **wide, **single, **{name: np.zeros(k, dtype=kind) for name, kind in whole.items()},  # type: ignore[arg-type]
        state=np.full(k, 4, dtype=np.uint8), source=("",) * k,
    )  # fmt: skip


def test_a_long_recording_has_few_points_and_every_peak(tmp_path: Path) -> None:
    found = recording(np.arange(50_000) / 1000.0, tmp_path)
    found.measured_torque[12_345, 2] = 77.0
    found.late[30_000] = 5.0
    said = signals_of(found, points=300)
    assert len(said["times"]) <= 300 and said["begin"] == 0.0 and said["end"] == pytest.approx(49.999)
    assert all(len(line) == len(said["times"]) for lines in said["signals"].values() for line in lines)
    assert max(said["signals"]["measured_torque"][2]) == 77.0 and max(said["signals"]["late"][0]) == 5.0
    near = signals_of(found, begin=12.3, end=12.4, points=300)
    assert near["times"][0] == pytest.approx(12.3) and len(near["times"]) == 101
    assert near["signals"]["measured_torque"][2][45] == 77.0
    assert signals_of(found, begin=100.0, points=300)["times"] == []


def test_what_was_not_measured_is_none(tmp_path: Path) -> None:
    found = recording(np.arange(1000) / 1000.0, tmp_path)
    found.measured_q[:] = np.nan
    said = signals_of(found, points=100)
    assert set(said["signals"]["measured_q"][0]) == {None} and set(said["signals"]["following"][0]) == {None}


LINES = arrays.arrays(np.float64, st.integers(1, 200), elements=st.floats(-1e6, 1e6) | st.just(np.nan))


@given(values=LINES, points=st.integers(2, 60))
def test_of_each_bucket_the_least_and_the_greatest_stay(values: np.ndarray, points: int) -> None:
    time = np.cumsum(np.ones(len(values)))
    cuts = buckets_of(time, points)
    found = decimated(values, cuts)
    if cuts is None:
        assert len(values) <= points and np.array_equal(found, values, equal_nan=True)
        return
    assert len(found) <= points + 1 and cuts[0] == 0 and cuts[-1] == len(values) and (np.diff(cuts) > 0).all()
    for k, (begin, end) in enumerate(pairwise(cuts)):
        inside = values[begin:end][np.isfinite(values[begin:end])]
        pair = found[2 * k : 2 * k + 2]
        if not len(inside):
            assert np.isnan(pair).all()
            continue
        assert sorted(pair) == [inside.min(), inside.max()]
        first_low, first_high = (int(np.flatnonzero(values[begin:end] == each)[0]) for each in (inside.min(), inside.max()))
        assert (pair[0] == inside.min()) == (first_low <= first_high or inside.min() == inside.max())
