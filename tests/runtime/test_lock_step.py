"""In lock-step the same program gives the same bytes of recording."""

import time
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.programs import Command, Dwell, MoveJoints, MoveLine, read_moves
from armillary.runtime.recording import Recording

pytestmark = pytest.mark.slow
MOVES = Path(__file__).parents[2] / "examples" / "04_cell" / "moves.toml"


def recorded(folder: Path, commands: list[Command], driver: str) -> bytes:
    with Cell.open("cobot6", driver=driver, pace="lock_step", recordings=str(folder)) as cell:
        cell.run(commands)
    (file,) = folder.glob("*.mcap")
    return file.read_bytes()


@pytest.mark.parametrize("driver", ["physics", "ideal"])
def test_the_same_program_gives_the_same_bytes(tmp_path: Path, driver: str) -> None:
    """Blended moves among it, whose pieces are planned while it moves."""
    commands = read_moves(MOVES)
    assert any(isinstance(command, MoveLine) and command.blend > 0.0 for command in commands)
    files = []
    for run in range(2):
        (tmp_path / str(run)).mkdir()
        files.append(recorded(tmp_path / str(run), commands, driver))
    assert files[0] == files[1]
    (file,) = (tmp_path / "0").glob("*.mcap")
    recording = Recording.open(file)
    assert recording.whole and len(recording.time) > 3000 and not any(event.kind == "FAULT" for event in recording.events)
    assert {"moves.toml:7", "moves.toml:14", "moves.toml:21"} <= set(recording.source), "lines of the blended moves"
    moving = np.abs(recording.v).max(axis=1)
    inside = [i for i, line in enumerate(recording.source) if line in ("moves.toml:14",)]
    assert moving[inside].min() > 0.01, "it does not stop between blended moves"


@pytest.mark.parametrize("driver", ["physics", "ideal"])
def test_the_same_inputs_and_outputs_give_the_same_bytes(tmp_path: Path, driver: str) -> None:
    """A program that goes on by what its outputs have brought: in which tick that comes is the same every time."""
    files = []
    for run in range(2):
        folder = tmp_path / str(run)
        folder.mkdir()
        with Cell.open("cobot6", driver=driver, pace="lock_step", recordings=str(folder)) as cell:
            cell.move_joints((0.4, 1.83, -2.18, -1.92, -1.57, 0.0))
            cell.set_output(3, True)
            assert cell.input(3), "the loop is closed, though time stands still"
            cell.set_output(0, 0.5)
            cell.simulate_input(9, True)
            cell.move_joints((0.5 + cell.analog_input(0), 1.83, -2.18, -1.92, -1.57, 0.0))
            cell.simulate_input(9, None)
            cell.set_output(3, False)
            assert not cell.input(9) and not cell.input(3)
        (file,) = folder.glob("*.mcap")
        files.append(file.read_bytes())
    assert files[0] == files[1]
    said = Recording.open(file).inputs_outputs
    assert said[0].outputs == 0 and {each.outputs for each in said} == {0, 8}
    assert {8, 8 | 1 << 9} <= {each.inputs for each in said} and said[-1].inputs == 0


def test_time_stands_still_between_moves(tmp_path: Path) -> None:
    move = MoveJoints(goal=(0.4, 1.83, -2.18, -1.92, -1.57, 0.0))
    recorded(tmp_path, [move, Dwell(seconds=0.5)], "ideal")
    (file,) = tmp_path.glob("*.mcap")
    recording = Recording.open(file)
    assert recording.time[-1] < 3.0 and np.nanmax(recording.late) == 0.0


def test_as_fast_as_it_goes(tmp_path: Path) -> None:
    """Without lock-step time goes on while nothing moves, and motions are quicker than the clock."""
    with Cell.open("cobot6", pace="fast", recordings=str(tmp_path)) as cell:
        begin = float(cell.station.state["time"])
        cell.move_joints(np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0]))
        cell.move_joints(np.array([1.4, 1.83, -2.18, -1.92, -1.57, 0.0]))
        passed = float(cell.station.state["time"]) - begin
        assert passed > 1.5 and cell.state.measured == pytest.approx(cell.state.q, abs=0.01)
        now = float(cell.station.state["time"])
        time.sleep(0.3)
        assert float(cell.station.state["time"]) > now


@pytest.mark.parametrize("driver", ["physics", "ideal"])
def test_a_cell_of_250_ticks_a_second(tmp_path: Path, driver: str) -> None:
    """As its cell.toml says; so does what a motion does when the front is gone."""
    (tmp_path / "cell.toml").write_text(
        'version = 1\nname = "slow"\n[robot]\nname = "cobot6"\n[station]\nrate_hz = 250\nwhen_silent = "go_on"\n'
    )
    home = np.array((0.4, 1.83, -2.18, -1.92, -1.57, 0.0))
    source, folder = str(tmp_path / "cell.toml"), tmp_path / "recordings"
    with Cell.open(source, driver=driver, pace="lock_step", recordings=str(folder), start=home) as cell:
        assert cell.station.settings.period == 0.004 and cell.station.settings.goes_on
        cell.move_joints(home + 0.4)
        assert cell.state.measured == pytest.approx(home + 0.4, abs=5e-3)
    (file,) = folder.glob("*.mcap")
    recording = Recording.open(file)
    moving = np.abs(recording.v).max(axis=1) > 0.0
    assert np.diff(recording.time[moving]) == pytest.approx(0.004, abs=1e-6) and moving.sum() > 100
    assert np.abs(recording.q - recording.measured_q)[moving].max() < 0.03
    assert not any(event.kind == "FAULT" for event in recording.events)


def test_the_executor_of_a_station_has_no_language_no_server_and_no_twin_in_its_memory() -> None:
    """It is forked from a process that starts all the others."""
    with Cell.open("cobot6", driver="ideal", pace="lock_step", record=False) as cell:
        modules = (cell.station.folder / "executor.ready").read_text().split("\n")
    assert "armillary.runtime.executor" in modules and "numpy" in modules
    foreign = ("programs", "imitation", "interfaces", "cell", "twin", "runtime.planner_process", "runtime.front")
    found = [name for name in modules for other in foreign if f"{name}.".startswith(f"armillary.{other}.")]
    found += [name for name in modules if name.partition(".")[0] in ("starlette", "fastapi", "uvicorn", "mujoco", "mcap")]
    assert found == []
