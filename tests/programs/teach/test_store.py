"""The store: power cuts, several processes, damage, versions, and where it lies."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from armillary.description.errors import DescriptionError
from armillary.programs.surroundings import Point
from armillary.programs.teach import BadStore, PointStore, Store, store_place, stores_folder

TEACHES = """
import sys
from pathlib import Path
from armillary.programs.surroundings import Point
from armillary.programs.teach import PointStore

store = PointStore(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    name = f"{sys.argv[2]}_{number}"
    store.teach(Point(name, (float(number), 0.1 + number), (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)))
    print(name, flush=True)  # acknowledged
"""


def point(name: str, *q: float) -> Point:
    return Point(name, q or (0.1, -0.2), (0.3, 0.4, 0.5), (0.1, 0.2, 0.3))


def teaching(path: Path, prefix: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", TEACHES, str(path), prefix, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_every_acknowledged_point_is_there_after_a_kill(tmp_path: Path) -> None:
    path, said = tmp_path / "cell.sqlite", []
    for round_number in range(3):
        with teaching(path, f"p{round_number}", 100_000) as process:
            assert process.stdout is not None
            said += [process.stdout.readline().strip() for _ in range(20 + 7 * round_number)]
            process.send_signal(signal.SIGKILL)
            said += [line.strip() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    known = PointStore(path).points()
    assert len(said) >= 81 and set(said) <= set(known)
    assert known[said[-1]].q[1] == 0.1 + known[said[-1]].q[0]
    assert len(known) <= len(said) + 3  # at most the one that was on its way each time


@pytest.mark.slow
def test_two_processes_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "cell.sqlite"  # not there yet: both make it
    with teaching(path, "a", 60) as first, teaching(path, "b", 60) as second:
        assert first.wait(60) == 0 and second.wait(60) == 0
    assert sorted(PointStore(path).points()) == sorted([f"{who}_{number}" for who in "ab" for number in range(60)])


def test_nothing_is_made_by_reading(tmp_path: Path) -> None:
    store = PointStore(tmp_path / "deeper" / "cell.sqlite")
    assert store.all() == [] and store.history() == []
    assert list(tmp_path.iterdir()) == []


def test_it_writes_ahead_and_waits_for_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "cell.sqlite"
    PointStore(path).teach(point("one"))
    with Store(path).reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL
    assert [each.name for each in tmp_path.iterdir()] == ["cell.sqlite"]


def damaged_head(data: bytes) -> bytes:
    return b"x" * 100 + data[100:]


def damaged_pages(data: bytes) -> bytes:
    return data[:4096] + os.urandom(len(data) - 4096)


@pytest.mark.parametrize(
    "damage", [damaged_head, damaged_pages, lambda data: b"", lambda data: data[:50], lambda data: data[:5000]]
)
def test_a_damaged_file_is_one_clear_error_and_is_left_as_it_is(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "cell.sqlite"
    store = PointStore(path)
    for number in range(30):
        store.teach(point(f"point_{number}"))
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    before = path.read_bytes()
    for act in (lambda: PointStore(path).all(), lambda: PointStore(path).teach(point("more"))):
        with pytest.raises(BadStore, match=r"cell.sqlite: it is damaged.*nothing was changed.*bring back a copy"):
            act()
    assert path.read_bytes() == before


def test_another_programs_database_and_a_newer_ones_are_not_touched(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE points (name TEXT)")
    connection.close()
    with pytest.raises(BadStore, match="another program"):
        PointStore(foreign).teach(point("one"))
    newer = tmp_path / "newer.sqlite"
    PointStore(newer).teach(point("one"))
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(BadStore, match="version 99, and this release knows 1"):
        PointStore(newer).all()


def test_a_writer_that_does_not_end_is_waited_for_and_then_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.programs.teach.store._PATIENCE", 0.1)
    path = tmp_path / "cell.sqlite"
    PointStore(path).teach(point("one"))
    with Store(path).writing(), pytest.raises(BadStore, match="another process has been writing"):
        PointStore(path).teach(point("two"))
    assert [each.point.name for each in PointStore(path).all()] == ["one"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadStore, match="cannot be made"):
        PointStore(tmp_path / "file" / "cell.sqlite").teach(point("one"))


def test_stores_lie_beside_cells_and_otherwise_with_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert stores_folder() == tmp_path / "state" / "armillary" / "taught"
    assert store_place("cobot6") == stores_folder() / "cobot6.sqlite"
    left, right = tmp_path / "left", tmp_path / "right"
    for folder in (left, right):
        folder.mkdir()
        (folder / "robot.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    assert store_place(left / "robot.urdf").parent == stores_folder()
    assert store_place(left / "robot.urdf") != store_place(right / "robot.urdf")
    (left / "cell.toml").write_text('version = 1\n[robot]\nfile = "robot.urdf"\n')
    assert store_place(left / "cell.toml") == store_place(left / "robot.urdf") == left / "cell.sqlite"
    with pytest.raises(DescriptionError):
        store_place("no_such_robot")


def test_times_ascend() -> None:
    from armillary.programs.teach.store import now

    first = now()
    time.sleep(0.002)
    assert first < now() and first.endswith("+00:00")
