"""`armillary run`, `status` and `papers hil`: what people see of a cell that runs."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.cli.main import main
from armillary.model import load_model
from armillary.motion import limits_of
from armillary.runtime.recording import Recording
from armillary.runtime.station_channels import find_stations

pytestmark = [pytest.mark.slow, pytest.mark.alone]
MOVES = Path(__file__).parents[2] / "examples" / "04_cell" / "moves.toml"


def test_a_program_runs_and_is_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["run", "cobot6", "--program", str(MOVES), "--exit", "--lock-step", "--recordings", str(tmp_path)]
    assert main([*line, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["failed"] == "" and said["faults"] == [] and 4.0 < said["moved"] < 10.0
    assert said["following"] < 0.02 and said["tool_deviation"] < 0.005 and said["overruns"] == 0
    moved = {f"joint_{i}" for i in range(1, 7)} - {"joint_5"}  # which stands: nothing can be said of its friction
    assert set(said["torque_residual"]) == moved and said["torque_residual"]["joint_2"] < 0.2
    assert Path(said["recording"]).is_file()
    assert main(line) == 0
    out = capsys.readouterr().out
    assert "following error" in out and "torque residual" in out and "recording" in out


def test_what_cannot_be_run_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[[move]]\nline = true\nxyz = [5, 0, 0]\nrpy = [0, 0, 0]\n")
    run = ["run", "cobot6", "--driver", "ideal", "--exit", "--lock-step", "--no-recording", "--program"]
    assert main([*run, str(wrong)]) == 1
    assert "% of the path" in capsys.readouterr().err
    assert main([*run, str(tmp_path / "none.toml")]) == 2
    assert main(["run", "cobot6", "--exit"]) == 2
    assert main(["run", "no_such_robot", "--exit", "--program", str(MOVES)]) == 2
    assert main(["run", "cobot6", "--driver", "hope", "--exit", "--program", str(MOVES)]) == 2
    assert "no driver 'hope'" in capsys.readouterr().err


LONG = "[[move]]\njoints = [4.4, 1.83, -2.18, -1.92, -1.57, 0.0]\n"


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_the_middle_of_a_program_stops_on_the_path_and_powers_off(tmp_path: Path, times: int) -> None:
    """A second one powers off at once."""
    (tmp_path / "long.toml").write_text(LONG)
    command = [
        sys.executable,
        "-m",
        "armillary.interfaces.cli.main",
        "run",
        "cobot6",
        "--driver",
        "ideal",
        "--low-power",
        "--json",
    ]
    with subprocess.Popen(
        [*command, "--headless", "--program", str(tmp_path / "long.toml"), "--exit", "--recordings", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # in the background of a shell it is ignored
    ) as running:  # fmt: skip
        try:
            watcher = connected(running)
            wait_for(lambda: np.abs(watcher.station.state["v"]).max() > 0.3)
            pids = [int(process["pid"]) for process in watcher.station.processes.values()]
            watcher.close()
            for _ in range(times):
                os.kill(running.pid, signal.SIGINT)
                time.sleep(0.04)
            out, _ = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 130
    assert times == 2 or json.loads(out)["failed"] == "stopped"
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    (file,) = tmp_path.glob("*.mcap")
    recording = Recording.open(file)
    assert recording.events[-1].state == "OFF" and not any(event.kind == "FAULT" for event in recording.events)
    assert recording.q[-1][0] < 4.0, "it was on its way"
    if times == 1:
        assert recording.events[-1].kind == "STOP_AND_POWER_OFF" and np.abs(recording.v[-1]).max() == 0.0
        limits = limits_of(load_model("cobot6"))
        assert (np.abs(recording.a) <= 1.001 * limits.acceleration).all(), "it slowed down within its limits"


def connected(running: "subprocess.Popen[str]") -> Cell:
    """To the cell that a process has started."""
    deadline = time.monotonic() + 60.0
    while True:
        assert running.poll() is None and time.monotonic() < deadline
        for folder in find_stations():
            stat = Path(f"/proc/{(folder / 'supervisor.pid').read_text()}/stat").read_text()
            if int(stat.rpartition(")")[2].split()[1]) == running.pid and (folder / "front.sock").exists():
                return Cell.connect(folder.name)
        time.sleep(0.05)


def wait_for(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30.0
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_cell_is_seen_by_status_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "armillary.interfaces.cli.main", "run", "cobot6", "--driver", "ideal", "--low-power"]
    with subprocess.Popen(
        [*command, "--recordings", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # in the background of a shell it is ignored
    ) as running:
        try:
            assert running.stdout is not None
            first = running.stdout.readline()
            assert "cobot6 runs with 'ideal'" in first
            time.sleep(0.5)
            line = [sys.executable, "-m", "armillary.interfaces.cli.main", "status", "cobot6"]
            shown = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True).stdout
            for text in ("READY", "lateness", "write", "hear", "say", "executor: process", "recording:"):
                assert text in shown
            said = json.loads(subprocess.run([*line, "--json"], capture_output=True, text=True, timeout=60, check=True).stdout)
            assert any(cell["state"] == "READY" and cell["statistics"]["work"]["p99"] > 0.0 for cell in said["cells"])
            os.kill(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=90)
            assert running.returncode == 0 and "Traceback" not in err and "recording" in out
        finally:
            running.kill()  # whatever came of it: nobody waits for it for ever


def test_paper_five(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "hil", "--no-linuxcnc", "--out", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert max(said["error"]["consistency"]) < 1e-3 and max(said["error"]["honest"]) < 0.08
    assert max(said["following"].values()) < 0.02 and len(list(tmp_path.glob("*.png"))) == 6
