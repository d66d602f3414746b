"""`armillary run`, `status` and `papers hil`: what people see of a cell that runs."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from armillary.interfaces.cli.main import main

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
            for text in ("READY", "lateness", "write", "executor: process", "recording:"):
                assert text in shown
            said = json.loads(subprocess.run([*line, "--json"], capture_output=True, text=True, timeout=60, check=True).stdout)
            assert any(cell["state"] == "READY" and cell["statistics"]["work"]["p99"] > 0.0 for cell in said["cells"])
            os.kill(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=90)
            assert running.returncode == 0 and "Traceback" not in err and "recording" in out
        finally:
            running.kill()  # whatever came of it: nobody waits for it for ever


def test_paper_five(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "hil", "--out", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert max(said["error"]["consistency"]) < 1e-3 and max(said["error"]["honest"]) < 0.08
    assert max(said["following"].values()) < 0.02 and len(list(tmp_path.glob("*.png"))) == 6
