"""`armillary plot`, `compare` and `replay` as people and scripts meet them."""

import base64
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mcap.writer import Writer

from armillary.cell import Cell
from armillary.interfaces.cli.main import main
from armillary.interfaces.cli.replay import prove
from armillary.interfaces.plots.recording_page import recording_page
from armillary.interfaces.plots.recording_plot import colours_of, envelope, panels_of, part_of, source_stretches, state_stretches
from armillary.motion import Bounds
from armillary.runtime.recorded_motions import NoReplay
from armillary.runtime.recording import BadRecording, Recording
from armillary.runtime.recording_folder import RecordingFolder
from armillary.runtime.recording_writer import RecordingWriter
from armillary.runtime.states import State
from tests.interfaces.conftest import run_json
from tests.runtime.made_recordings import HOME, about_cobot, cobot, planned, record, record_many_joints, ticks_of

Capture = pytest.CaptureFixture[str]
THERE = planned(-1.0, 0.2, 0.0, 0.3, 0.0, 0.5)
MOTIONS = [THERE, THERE.backwards()]
FAULT = (0.5, "FAULT", "FAULTED", "joint_2 lags by 0.03 rad </script><b>")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A recording with two motions, of two lines, a peak in one tick, a late tick and a fault."""
    ticks = ticks_of(MOTIONS)
    ticks["measured_q"][:, 1] -= 0.001
    ticks["measured_v"][777, 4] = 9.0
    ticks["late"][1000] = 0.02
    ticks["origin"] = np.where(np.arange(len(ticks)) < 900, b"pick.py:3", b"pick.py:4")
    return record(tmp_path / "made.mcap", ticks, events=[(0.2, "MOVE", "MOVING", ""), FAULT])


# Plots.


def test_a_plot_says_by_numbers_what_it_shows(capsys: Capture, tmp_path: Path, made: Path) -> None:
    answer = run_json(capsys, "plot", str(made), "--out", "made.png")
    assert answer["robot"] == "cobot6" and answer["whole"] and not answer["note"] and answer["plot"] == "made.png"
    assert answer["following_error"] == pytest.approx([0, 0.001, 0, 0, 0, 0])
    assert [motion["duration"] for motion in answer["motions"]] == pytest.approx([THERE.duration] * 2, abs=0.002)
    assert answer["lateness"]["most"] == pytest.approx(0.02) and answer["lateness"]["p99"] == pytest.approx(1e-5)
    assert [one["state"] for one in answer["states"]] == ["READY", "MOVING", "READY", "MOVING", "READY"]
    assert [(one["source"], one["from"]) for one in answer["sources"]] == [("pick.py:3", 0.0), ("pick.py:4", 0.9)]
    assert answer["events"][1] == {
        "time": 0.5,
        "kind": "FAULT",
        "state": "FAULTED",
        "text": FAULT[3],
        "source": "",
        "fault": True,
    }
    pixels = matplotlib.image.imread(tmp_path / "made.png")
    assert pixels.shape[1] > 1500
    red = (pixels[..., 0] > 0.7) & (pixels[..., 1] < 0.05) & (pixels[..., 2] < 0.05)
    assert red.any(axis=1).sum() > 0.5 * pixels.shape[0]  # the fault goes through all panels
    assert main(["plot", str(made)]) == 0
    shown = capsys.readouterr().out
    assert "fault at 0.500 s  joint_2 lags" in shown and "0.001 at most, joint_2" in shown and (tmp_path / "made.png").exists()


def test_part_of_a_recording(capsys: Capture, made: Path) -> None:
    answer = run_json(capsys, "plot", str(made), "--joints", "joint_2,joint_5", "--from", "0.3", "--to", "0.6", "--out", "p.svg")
    assert answer["joints"] == ["joint_2", "joint_5"] and answer["ticks"] == 301
    assert answer["following_error"] == pytest.approx([0.001, 0.0]) and len(answer["events"]) == 1
    part, whole = part_of(Recording.open(made), joints=["joint_5"], begin=0.7), Recording.open(made)
    assert np.array_equal(part.measured_v[:, 0], whole.measured_v[700:, 4]) and part.time[0] == 0.7


def test_nothing_is_commanded_while_it_is_off(made: Path) -> None:
    recording = Recording.open(made)
    state = recording.state.copy()
    state[:100] = State.OFF
    position, *_, error, late = panels_of(replace(recording, state=state))
    assert np.isnan(position.commanded[1][:100]).all() and np.isnan(error.commanded[1][:100]).all()
    assert np.isfinite(position.commanded[1][100:]).all() and late.logarithmic
    assert [one.name for one in state_stretches(replace(recording, state=state))][:2] == ["OFF", "READY"]
    assert [one.end for one in source_stretches(recording)] == [0.9, recording.time[-1]]


@given(values=arrays(float, st.integers(1, 400), elements=st.floats(-1e6, 1e6) | st.just(float("nan"))), bins=st.integers(1, 60))
def test_no_peak_is_lost_by_drawing_less(values: Any, bins: int) -> None:
    time = np.cumsum(np.random.default_rng(0).uniform(0.001, 0.05, len(values)))
    at, drawn = envelope(time, values, bins)
    assert len(drawn) <= max(2 * bins, 2) and (np.diff(at) > 0).all()
    known = values[np.isfinite(values)]
    if len(known):
        assert np.nanmin(drawn) == known.min() and np.nanmax(drawn) == known.max()
    assert set(zip(at[np.isfinite(drawn)], drawn[np.isfinite(drawn)], strict=True)) <= set(zip(time, values, strict=True))


def test_many_joints_have_as_many_colours(capsys: Capture, tmp_path: Path) -> None:
    answer = run_json(capsys, "plot", str(record_many_joints(tmp_path / "h.mcap")), "--out", "h.png")
    assert len(answer["joints"]) == 29 and len(set(colours_of(29))) == 29 and len(set(colours_of(6))) == 6
    assert answer["following_error"] == pytest.approx(0.001 * (1 + 0.15 * np.arange(29)))
    assert (tmp_path / "h.png").stat().st_size > 100_000


def page_of(text: str) -> tuple[dict[str, Any], Any, Any]:
    """What a page says of itself, its times and its other numbers."""
    found = re.search(
        r'id="meta">(.*?)</script>\n<script type=\'application/octet-stream\' id=\'data\'>(.*?)</script>', text, re.S
    )
    assert found is not None
    meta, data = json.loads(found[1]), base64.b64decode(found[2])
    split = 8 * (meta["count"] + 1)
    return meta, np.frombuffer(data[:split], "<f8"), np.frombuffer(data[split:], "<f4")


def test_a_page_has_every_tick_and_needs_nothing_else(capsys: Capture, tmp_path: Path, made: Path) -> None:
    run_json(capsys, "plot", str(made), "--out", "made.html")
    text = (tmp_path / "made.html").read_text()
    assert not re.search(r"https?://|src=|@import|fetch\(|<link", text)
    assert text.count("</script>") == 3  # a text of the recording ends no script
    meta, time, numbers = page_of(text)
    recording = Recording.open(made)
    assert meta["every"] == 1 and np.array_equal(time[:-1], recording.time) and meta["events"][1][3] == FAULT[3]
    measured = next(one for one in meta["series"] if one["panel"] == 1 and one["name"] == "measured")
    values = numbers[measured["at"] : measured["at"] + 6 * meta["count"]].reshape(6, -1)
    assert np.array_equal(values, recording.measured_v.T.astype("f4")) and values[4, 777] == 9.0


def test_a_page_of_a_long_recording_keeps_every_peak(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.interfaces.plots.recording_page._MOST", 1)
    ticks = ticks_of(MOTIONS * 3)
    ticks["measured_v"][3333, 4] = 9.0
    recording = Recording.open(record(made.with_name("long.mcap"), ticks))
    meta, time, numbers = page_of(recording_page(recording))
    count, every = meta["count"], meta["every"]
    assert every > 1 and count <= 1001 and time[-1] == recording.time[-1]
    measured = next(one for one in meta["series"] if one["panel"] == 1 and one["name"] == "measured")
    lows, highs = numbers[measured["at"] :][: 12 * count].reshape(2, 6, count)
    assert highs[4, 3333 // every] == 9.0 and (highs >= lows).all()
    assert lows.min(axis=1) == pytest.approx(recording.measured_v.min(axis=0), rel=1e-6)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_a_page_in_a_browser_zooms_pans_and_reads_values(capsys: Capture, tmp_path: Path, made: Path) -> None:
    run_json(capsys, "plot", str(made), "--out", "made.html")
    script = """<script>
const send = (kind, of, more) => canvas.dispatchEvent(new of(kind, { bubbles: true, cancelable: true, ...more }));
const box = canvas.getBoundingClientRect(), at = (t, y) => ({ clientX: box.left + x(t), clientY: box.top + y, pointerId: 1 });
const report = [];
draw(); const second = panelBox(1).y + 10;
send("pointermove", PointerEvent, at(0.777, second)); draw();
report.push(document.getElementById("where").textContent, document.getElementById("values").innerText);
for (let i = 0; i < 5; i++) { send("wheel", WheelEvent, { deltaY: -200, ...at(0.777, second) }); draw(); }
report.push(timeAt(x(0.777)).toFixed(6), (to - from).toFixed(6));
const before = from; canvas.setPointerCapture = () => {};
const here = at(0.777, second);
send("pointerdown", PointerEvent, here); send("pointermove", PointerEvent, { ...here, clientX: here.clientX + 50 });
send("pointerup", PointerEvent, at(0.777, second)); draw();
report.push((from < before).toString());
send("dblclick", MouseEvent, {}); draw(); report.push((Math.abs(to - from - (last - first)) < 1e-9).toString());
document.getElementById("none").click(); report.push(shown.some((one) => one).toString());
document.body.innerHTML = ""; document.body.append(JSON.stringify(report));
</script></body>"""
    page = tmp_path / "made.html"
    page.write_text(page.read_text().replace("</body>", script))
    assert CHROMIUM is not None
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'chromium'}",
        "--window-size=1400,1000",
    ]
    shown = subprocess.run(
        [CHROMIUM, *flags, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r"<body>(\[.*\])\s*</body>", shown.stdout, re.S)
    assert found is not None, shown.stdout[-500:]
    where, values, under, wide, panned, whole, some = json.loads(found[1].replace("&lt;", "<").replace("&amp;", "&"))
    assert where.startswith("0.777") and "MOVING" in where and "pick.py:3" in where
    assert re.search(r"joint_5\s+\S+\s+9\.0000", values)  # the peak, at its tick
    assert float(under) == pytest.approx(0.777) and float(wide) == pytest.approx(2.325 * np.exp(-2.0), rel=0.1)
    assert (panned, whole, some) == ("true", "true", "false")


# Recordings that are not whole, or are none.


def test_a_killed_recorder_is_told_and_repaired_when_asked(capsys: Capture, tmp_path: Path) -> None:
    path = record(tmp_path / "cut.mcap", ticks_of(MOTIONS), killed=True)
    answer = run_json(capsys, "plot", str(path), "--out", "cut.html")
    assert not answer["whole"] and answer["ticks"] < len(ticks_of(MOTIONS))
    assert answer["note"] == f"it ends in the middle: the recorder was killed; read up to {answer['to']:.1f} s"
    assert answer["note"] in (tmp_path / "cut.html").read_text()
    again = run_json(capsys, "plot", str(path), "--repair")
    assert again["repaired"] and again["whole"] and not again["note"] and again["ticks"] == answer["ticks"]
    assert not run_json(capsys, "plot", str(path), "--repair")["repaired"]


def test_one_that_is_being_written_is_read_and_never_repaired(capsys: Capture, tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "live.mcap", about_cobot())
    for tick in ticks_of(MOTIONS):
        writer.tick(tick.tobytes())
    before = (tmp_path / "live.mcap").stat()
    assert "still being written; read up to" in run_json(capsys, "plot", "live.mcap", "--out", "live.html")["note"]
    assert "end the cell" in run_json(capsys, "plot", "live.mcap", "--repair", status=2)["error"]
    assert (tmp_path / "live.mcap").stat().st_ino == before.st_ino
    writer.finish()


def test_the_latest_is_taken_where_none_is_named(capsys: Capture, tmp_path: Path) -> None:
    folder = RecordingFolder(tmp_path / "recordings")
    folder.path.mkdir()
    for second in (1, 2):
        record(folder.new_name("cobot6", second * 10**9), ticks_of(MOTIONS[:second]))
    assert len(run_json(capsys, "plot", "--recordings", str(folder.path), "--out", "x.html")["motions"]) == 2


def theirs(path: Path) -> None:
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        writer.finish()


def empty(path: Path) -> None:
    RecordingWriter(path, about_cobot()).finish()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: None, "cannot be read"),
        (lambda path: path.write_text("hello"), "give a recording that Armillary wrote"),
        (theirs, "an MCAP of something else"),
        (empty, "not one tick was recorded"),
    ],
)
@pytest.mark.parametrize("command", ["plot", "compare", "replay"])
def test_what_is_no_recording_is_one_clear_error(
    capsys: Capture, tmp_path: Path, made: Path, make: Callable[[Path], object], said: str, command: str
) -> None:
    make(tmp_path / "x.mcap")
    assert main([command, "x.mcap", *([str(made)] if command == "compare" else [])]) == 2
    shown = capsys.readouterr()
    assert said in shown.err and shown.err.count("\n") == 1 and "Traceback" not in shown.err and not shown.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plot", "--recordings", "nowhere"], "there is no recording yet"),
        (["replay", "--recordings", "nowhere"], "there is no recording yet"),
        (["plot", "made.mcap", "--out", "made.txt"], "ends in .png"),
        (["plot", "made.mcap", "--out", "no/folder/made.png"], "no/folder"),
        (["plot", "made.mcap", "--joints", "elbow"], "there are: joint_1"),
        (["plot", "made.mcap", "--from", "99"], "no tick from 99"),
    ],
)
def test_bad_input_is_one_clear_error(capsys: Capture, made: Path, arguments: list[str], said: str) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err and "Traceback" not in shown.err and not shown.out


# Comparing.


def test_the_same_bytes_are_identical(capsys: Capture, tmp_path: Path, made: Path) -> None:
    shutil.copy(made, tmp_path / "copy.mcap")
    assert run_json(capsys, "compare", str(made), "copy.mcap")["identical"]
    assert main(["compare", str(made), "copy.mcap"]) == 0
    assert "byte for byte" in capsys.readouterr().out


def test_a_comparison_passes_and_fails_by_its_tolerances(capsys: Capture, tmp_path: Path, made: Path) -> None:
    record(tmp_path / "b.mcap", ticks_of(MOTIONS))
    answer = run_json(
        capsys, "compare", str(made), "b.mcap", "--tolerance", "0.0011", "--tool-tolerance", "0.01", "--plot", "d.png"
    )
    assert answer["agree"] and not answer["identical"] and (tmp_path / "d.png").stat().st_size > 20_000
    assert answer["differences"]["measured position"]["worst"] == pytest.approx([0, 0.001, 0, 0, 0, 0])
    assert answer["tool"]["commanded"] == 0.0 and answer["tool"]["measured"] > 1e-5
    assert [motion["aligned_by"] for motion in answer["motions"]] == ["tick", "tick"]
    failed = run_json(capsys, "compare", str(made), "b.mcap", "--tolerance", "0.0009", "--tool-tolerance", "1", status=1)
    assert failed["failures"] == ["joint_2: measured position differs by 0.001, allowed are 0.0009"]
    assert main(["compare", str(made), "b.mcap", "--tolerance", "0.0009"]) == 1
    shown = capsys.readouterr().out
    assert "tick by tick" in shown and "they differ by more than is allowed" in shown and "came to a fault at 0.500 s" in shown


def test_a_robot_that_cannot_be_loaded_leaves_the_tool_out_and_says_so(capsys: Capture, tmp_path: Path, made: Path) -> None:
    record(tmp_path / "b.mcap", ticks_of(MOTIONS), about=replace(about_cobot(), source="gone.urdf"))
    answer = run_json(capsys, "compare", "b.mcap", str(made), "--tolerance", "1")
    assert answer["tool"] is None and "the tool is left out: gone.urdf" in " ".join(answer["notes"])
    assert (
        "the same robot"
        in run_json(capsys, "compare", str(made), str(record_many_joints(tmp_path / "h.mcap")), status=2)["error"]
    )


# Replaying.


def test_a_motion_at_its_limits_is_proven_a_hair_slower() -> None:
    assert prove(THERE, cobot(), Bounds()).slower == 1.0
    hot = prove(THERE.slowed(0.999), cobot(), Bounds())
    assert 1.0 < hot.slower < 1.002 and hot.trajectory.duration == pytest.approx(THERE.duration, rel=1e-6)
    with pytest.raises(NoReplay, match=r"not proven .* jerk .* at --rate 0\.89; nothing was moved"):
        prove(THERE.slowed(0.9), cobot(), Bounds())


@pytest.mark.parametrize(
    ("spoil", "options", "said"),
    [
        ({"certified": 0}, [], "was uncertified"),
        ({}, ["--rate", "1.5"], "is not proven for this robot"),
        ({"q": 0.0, "v": 0.0, "a": 0.0}, [], "there is no motion in it"),
        ({}, ["--rate", "0"], "a rate of 0 is none"),
    ],
)
def test_what_is_not_proven_moves_nothing(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: dict[str, float], options: list[str], said: str
) -> None:
    monkeypatch.setattr(Cell, "open", lambda *_, **__: pytest.fail("a cell was opened"))
    ticks = ticks_of(MOTIONS)
    for name, value in spoil.items():
        ticks[name] = value
    record(tmp_path / "a.mcap", ticks)
    answer = run_json(capsys, "replay", "a.mcap", *options, status=1)
    assert said in answer["error"] and answer["answer_is_no"]


@pytest.mark.parametrize(("source", "status", "said"), [("mobile6", 1, "has the joints"), ("gone.urdf", 2, "gone.urdf")])
def test_a_robot_that_is_another_now_or_is_gone_is_not_moved(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, status: int, said: str
) -> None:
    monkeypatch.setattr(Cell, "open", lambda *_, **__: pytest.fail("a cell was opened"))
    record(tmp_path / "a.mcap", ticks_of(MOTIONS), about=replace(about_cobot(), source=source))
    assert said in run_json(capsys, "replay", "a.mcap", status=status)["error"]


@pytest.mark.slow
@pytest.mark.alone
def test_blended_and_changed_motions_are_driven_again_at_full_speed(capsys: Capture, tmp_path: Path) -> None:
    """Exactly as they were planned: what goes to its limits, in jerk as well, is not to be guessed from samples."""
    folder = tmp_path / "recordings"
    with Cell.open("cobot6", driver="ideal", low_power=True, recordings=str(folder), patience=0.8) as cell:
        cell.move_joints(HOME)
        for by in ([-0.3, 0.1, 0.0, 0.1, 0.0, 0.2], [-0.5, 0.0, 0.1, 0.0, 0.1, 0.4], [-0.2, -0.1, 0.0, 0.0, 0.0, 0.0]):
            cell.move_joints(HOME + by, blend=0.1, wait=False)
        cell.wait()
        cell.move_joints(HOME, wait=False)
        time.sleep(0.15)
        cell.retarget(HOME - np.array([0.4, 0.0, 0.0, -0.2, 0.0, 0.0]))
        path = Path(cell.station.recording["file"])
    recorded = Recording.open(path)
    assert len({piece.motion for piece in recorded.pieces}) < len(recorded.pieces), "some went on while they were driven"
    answer = run_json(capsys, "replay", str(path), "--recordings", str(folder), "--driver", "ideal", "--low-power")
    assert max(answer["slower"]) == 1.0, "none had to be slowed to be proven"
    assert max(answer["differences"]["position"]["worst"]) < 5e-3  # a late tick is another moment of the same path
    assert answer["tool"]["commanded"] < 5e-3


@pytest.mark.slow
def test_a_recording_is_driven_again_and_compared(capsys: Capture, tmp_path: Path) -> None:
    folder = RecordingFolder(tmp_path / "recordings")
    folder.path.mkdir()
    slow = planned(-0.1, 0.02, 0.0, 0.03, 0.0, 0.05).slowed(2.0)  # the cell's tool is not to be faster than 0.25 m/s
    path = record(folder.new_name("cobot6", 10**9), ticks_of([slow, slow.backwards()]))
    answer = run_json(capsys, "replay", "--recordings", str(folder.path), "--driver", "ideal", "--low-power")
    assert answer["recording"] == str(path) and Path(answer["replayed"]).parent == folder.path and answer["counts"] == [2, 2]
    assert max(answer["differences"]["position"]["worst"]) < 1e-4 and max(answer["slower"]) < 1.02
    assert answer["tool"]["commanded"] < 1e-4


# Damaged and truncated files.


def damaged(made: Path, at: float) -> tuple[Path, int]:
    """A copy with random bytes from a share of its length on, and where the record begins that they fall into."""
    data = bytearray(made.read_bytes())
    begin = int(at * len(data))
    data[begin : begin + 3000] = np.random.default_rng(1).bytes(3000)
    path = made.with_name("damaged.mcap")
    path.write_bytes(data[: len(made.read_bytes())])
    return path, begin


def test_a_damaged_recording_says_from_where_on_and_what_could_be_read(capsys: Capture, made: Path) -> None:
    path, begin = damaged(made, 0.7)
    whole, read = Recording.open(made), Recording.open(path)
    assert read.damaged_from is not None and read.damaged_from <= begin and not read.whole and whole.damaged_from is None
    assert 0 < len(read.time) < len(whole.time), "the law needs more than one chunk"
    note = f"damaged from byte {read.damaged_from} on; {len(read.time)} ticks could be read"
    assert note in run_json(capsys, "plot", str(path), "--out", "damaged.png")["note"]
    main(["compare", str(made), str(path)])
    assert note in capsys.readouterr().out


@pytest.mark.parametrize("command", ["plot", "compare", "replay"])
def test_a_recording_of_which_nothing_is_left_is_not_called_empty(capsys: Capture, made: Path, command: str) -> None:
    path, _ = damaged(made, 0.15)
    if len(Recording.open(path).time):
        pytest.fail("the first chunk is to be damaged")
    again = [str(made)] if command == "compare" else []
    assert main([command, str(path), *again]) == 2
    said = capsys.readouterr().err
    assert "damaged from byte" in said and "0 ticks could be read" in said and "empty" not in said
    path.write_bytes(made.read_bytes()[: int(0.15 * made.stat().st_size)])
    assert main([command, str(path), *again]) == 2
    assert "it ends in the middle" in (said := capsys.readouterr().err) and "empty" not in said


def test_whatever_is_damaged_is_said_and_nothing_is_invented(made: Path) -> None:
    whole, data = Recording.open(made), made.read_bytes()
    rng, other = np.random.default_rng(2), made.with_name("noise.mcap")
    for begin in rng.integers(0, len(data) - 50, 40):
        other.write_bytes(data[:begin] + rng.bytes(50) + data[begin + 50 :])
        try:
            read = Recording.open(other)
        except BadRecording:  # it does not even say any more what it is of
            assert begin < 10_000
            continue
        assert np.array_equal(read.q, whole.q[: len(read.time)]), begin
        assert len(read.time) == len(whole.time) or read.damaged_from is not None, begin
