"""Runs over HTTP: started, paused, stepped, stopped, written down; held to run in manual mode; lines that are typed."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from armillary.cell import RunState
from armillary.interfaces.http.broadcast import program_of
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, programs, runs
from armillary.interfaces.http.run_history import RunHistory
from armillary.runtime import State
from tests.interfaces.http.conftest import HOME, Browser

UP = 'DMOVE 0 0 20 0 0 0 [50 mm/s]\nDMOVE 0 0 20 0 0 0 [50 mm/s]\nMESSAGE "there"\n'
LONG = "FOR i = 1 TO 50\n  DMOVE 0 0 40 0 0 0 [20 mm/s]\n  DMOVE 0 0 -40 0 0 0 [20 mm/s]\nEND\n"


@pytest.fixture(autouse=True)
def _routes(app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for module in (programs, runs):
        if module.router not in ROUTERS:
            app.include_router(module.router, prefix="/api")
    yield
    app.state.desk.end_program()
    app.state.desk.cell.stop()


@pytest.fixture
def automatic(app: FastAPI, operator: Browser) -> Browser:
    """An operator with control, in automatic mode, and some programs."""
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    return operator


def saved(app: FastAPI, name: str, text: str) -> str:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    assert browser.put("/api/programs/file", json={"name": name, "text": text, "version": None}).status_code == 200
    return name


def until(so: Callable[[], bool]) -> bool:
    """Whether something comes to be so, in a while."""
    end = time.monotonic() + 20.0
    while not so() and time.monotonic() < end:
        time.sleep(0.005)
    return so()


def risen(app: FastAPI) -> float:
    """How far the tool is above home [m]."""
    from armillary.motion import tool_pose

    model = app.state.desk.cell.model
    return float(app.state.desk.cell.state.xyz[2] - tool_pose(model, HOME, base=model.reference)[2, 3])


def is_at(app: FastAPI, height: float) -> bool:
    return abs(risen(app) - height) < 1e-6


def ended(app: FastAPI) -> bool:
    return until(lambda: app.state.desk.run is not None and app.state.desk.run.over)


def test_a_program_is_run_and_written_down(app: FastAPI, automatic: Browser) -> None:
    name = saved(app, "jobs/up.arm", UP)
    assert automatic.post("/api/run", json={"name": name}).status_code == 200
    assert ended(app) and app.state.desk.run.state == RunState.ENDED
    assert risen(app) == pytest.approx(0.04, abs=1e-6) and list(app.state.desk.run.said) == ["there"]
    assert until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "ended")
    (run,) = automatic.get("/api/runs").json()
    assert (run["name"], run["who"], run["moves"], run["error"]) == ("jobs/up.arm", "Olga", 2, "") and run["seconds"] > 0.0
    assert app.state.desk.audit.newest(1)[0].what == "runs jobs/up.arm"


def test_a_program_is_begun_at_a_line(app: FastAPI, automatic: Browser) -> None:
    assert automatic.post("/api/run", json={"name": saved(app, "up.arm", UP), "start_line": 2}).status_code == 200
    assert ended(app) and risen(app) == pytest.approx(0.02, abs=1e-6)


def test_a_program_is_paused_and_goes_on(app: FastAPI, automatic: Browser) -> None:
    desk = app.state.desk
    assert automatic.post("/api/run", json={"name": saved(app, "up.arm", UP)}).status_code == 200
    assert until(lambda: risen(app) > 0.002)
    # Somebody else may pause it, and not let it go on.
    other = Browser(app, "Otto", Role.OPERATOR)
    assert other.post("/api/run/pause", json={}).status_code == 200
    assert until(lambda: desk.cell.state.state == State.HOLDING and not desk.cell.state.v.any())
    assert desk.run.state == RunState.PAUSED and other.post("/api/run/resume", json={}).status_code == 403
    assert automatic.post("/api/run/resume", json={}).status_code == 200
    assert ended(app) and risen(app) == pytest.approx(0.04, abs=1e-6)
    nothing = automatic.post("/api/run/pause", json={})
    assert nothing.status_code == 409 and "no program runs" in nothing.json()["detail"]


def test_a_program_goes_one_move_at_a_time(app: FastAPI, automatic: Browser) -> None:
    desk = app.state.desk
    assert automatic.post("/api/run", json={"name": saved(app, "up.arm", UP), "step": True}).status_code == 200
    assert until(lambda: desk.run.state == RunState.PAUSED) and risen(app) == pytest.approx(0.0, abs=1e-6)
    for height in (0.02, 0.04):
        assert automatic.post("/api/run/step", json={}).status_code == 200
        assert until(partial(is_at, app, height)) and until(lambda: desk.run.state == RunState.PAUSED)
    assert automatic.post("/api/run/resume", json={}).status_code == 200
    assert ended(app)


def test_anybody_who_runs_programs_can_stop_one(app: FastAPI, automatic: Browser) -> None:
    assert automatic.post("/api/run", json={"name": saved(app, "long.arm", LONG)}).status_code == 200
    again = automatic.post("/api/run", json={"name": "long.arm"})
    assert again.status_code == 409 and "long.arm runs" in again.json()["detail"]
    change = Browser(app, "Petra", Role.PROGRAMMER).delete("/api/programs/file", params={"name": "long.arm"})
    assert change.status_code == 409 and "stop it" in change.json()["detail"]
    assert Browser(app, "Vera", Role.VIEWER).post("/api/run/stop", json={}).status_code == 403
    assert Browser(app, "Otto", Role.OPERATOR).post("/api/run/stop", json={}).status_code == 200
    assert app.state.desk.run.state == RunState.STOPPED
    assert until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "stopped")
    assert Browser(app, "Petra", Role.PROGRAMMER).delete("/api/programs/file", params={"name": "long.arm"}).status_code == 200


def test_a_run_that_a_stop_ended_is_stopped_and_says_no_error(app: FastAPI, automatic: Browser) -> None:
    assert automatic.post("/api/run", json={"name": saved(app, "long.arm", LONG)}).status_code == 200
    assert until(lambda: app.state.desk.cell.state.state == State.MOVING)
    assert Browser(app).post("/api/stop", json={}).status_code == 200
    assert until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "stopped")
    assert automatic.get("/api/runs").json()[0]["error"] == ""
    told = program_of(app.state.desk)
    assert (told.state, told.error) == ("stopped", "")


def test_a_program_that_fails_says_its_line_in_the_history(app: FastAPI, automatic: Browser) -> None:
    text = "DMOVE 0 0 10 0 0 0 [100 mm/s]\nDMOVE 0 0 3000 0 0 0\n"
    assert automatic.post("/api/run", json={"name": saved(app, "far.arm", text)}).status_code == 200
    assert ended(app) and until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "failed")
    (run,) = automatic.get("/api/runs").json()
    assert "far.arm:2" in run["error"] and risen(app) == pytest.approx(0.01, abs=1e-6)


def test_a_program_that_is_wrong_is_not_begun(app: FastAPI, automatic: Browser) -> None:
    wrong = automatic.post("/api/run", json={"name": saved(app, "wrong.ngc", "G91 G1 Z10 F600\nG1 Q\nM2\n")})
    assert wrong.status_code == 409 and "wrong.ngc:2" in wrong.json()["detail"] and "/wrong.ngc" not in wrong.json()["detail"]
    assert app.state.desk.run is None and automatic.get("/api/runs").json() == []
    assert automatic.post("/api/run", json={"name": "none.ngc"}).status_code == 409


def test_running_needs_control_and_a_robot_that_is_ready(app: FastAPI, automatic: Browser) -> None:
    saved(app, "up.arm", UP)
    other = Browser(app, "Otto", Role.OPERATOR)
    for path, body in (
        ("run", {"name": "up.arm"}),
        ("run/step", {}),
        ("run/resume", {}),
        ("mdi", {"language": "gcode", "line": "G4 P0"}),
    ):
        assert other.post(f"/api/{path}", json=body).status_code == 403
    assert automatic.post("/api/power/off", json={}).status_code == 200
    off = automatic.post("/api/run", json={"name": "up.arm"})
    assert off.status_code == 409 and "must be READY" in off.json()["detail"]
    assert automatic.post("/api/power/on", json={}).status_code == 200


def test_in_manual_mode_a_program_goes_only_while_it_is_held(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    session = desk.lease.holder
    assert operator.post("/api/run", json={"name": saved(app, "up.arm", UP)}).status_code == 200
    end = time.monotonic() + 10.0
    while risen(app) <= 0.002 and time.monotonic() < end:
        desk.press(session)
        desk.look_after_press()
        time.sleep(0.03)
    desk.release()
    assert until(lambda: desk.cell.state.state == State.HOLDING and not desk.cell.state.v.any())
    height = risen(app)
    for way in ("step", "resume"):  # that is for the next press: nothing may move that nobody holds
        assert operator.post(f"/api/run/{way}", json={}).status_code == 200
    time.sleep(0.2)
    assert 0.0 < height < 0.04 and risen(app) == pytest.approx(height, abs=1e-9)
    while not desk.run.over and time.monotonic() < end + 10.0:
        desk.press(session)
        desk.look_after_press()
        time.sleep(0.03)
    assert desk.run.state == RunState.ENDED, str(desk.run.error)
    assert risen(app) == pytest.approx(0.04, abs=1e-6)


def test_a_typed_line_of_manual_mode_goes_only_while_it_is_held(app: FastAPI, operator: Browser) -> None:
    desk, done = app.state.desk, list[int]()
    line = {"language": "gcode", "line": "G21 G91 G1 Z40 F3000"}
    typing = threading.Thread(target=lambda: done.append(operator.post("/api/mdi", json=line).status_code))
    typing.start()
    end = time.monotonic() + 20.0
    while risen(app) <= 0.002 and time.monotonic() < end:
        if desk.lease.holder is not None:
            desk.press(desk.lease.holder)
        desk.look_after_press()
        time.sleep(0.03)
    desk.release()
    assert until(lambda: desk.cell.state.state == State.HOLDING and not desk.cell.state.v.any())
    height = risen(app)
    time.sleep(0.2)
    assert 0.0 < height < 0.04 and risen(app) == pytest.approx(height, abs=1e-9)
    assert operator.post("/api/run/stop", json={}).status_code == 200
    typing.join(10.0)
    assert done and risen(app) < 0.04


def test_what_is_typed_is_run_at_once_and_what_it_sets_stays(app: FastAPI, automatic: Browser) -> None:
    def typed(language: str, line: str) -> Any:
        answer = automatic.post("/api/mdi", json={"language": language, "line": line})
        assert answer.status_code == 200, answer.text
        return answer.json()

    typed("gcode", "G21 G91 F3000")
    typed("gcode", "G1 Z10")
    assert risen(app) == pytest.approx(0.01, abs=1e-6)
    typed("script", "height = 5")
    typed("script", "DMOVE 0 0 height 0 0 0")
    assert risen(app) == pytest.approx(0.015, abs=1e-6)
    assert typed("script", 'MESSAGE "hello"') == {"said": ["hello"]}
    wrong = automatic.post("/api/mdi", json={"language": "gcode", "line": "G1 Q"})
    assert wrong.status_code == 409 and risen(app) == pytest.approx(0.015, abs=1e-6)
    assert app.state.desk.audit.newest(1)[0].what == "types G1 Q"


def test_lines_are_not_typed_while_a_program_runs_nor_two_at_once(app: FastAPI, automatic: Browser) -> None:
    assert automatic.post("/api/run", json={"name": saved(app, "long.arm", LONG)}).status_code == 200
    refused = automatic.post("/api/mdi", json={"language": "gcode", "line": "G4 P0"})
    assert refused.status_code == 409 and "long.arm runs" in refused.json()["detail"]
    assert automatic.post("/api/run/stop", json={}).status_code == 200
    app.state.desk.cell.wait()
    answers: list[Any] = []
    waiting = threading.Thread(
        target=lambda: answers.append(automatic.post("/api/mdi", json={"language": "script", "line": "WAIT 2 HIGH"}))
    )
    waiting.start()
    assert until(lambda: app.state.programs.mdi.busy)
    second = automatic.post("/api/mdi", json={"language": "gcode", "line": "G4 P0"})
    assert second.status_code == 409 and "typed" in second.json()["detail"]
    assert automatic.post("/api/run", json={"name": "long.arm"}).status_code == 409
    assert automatic.post("/api/override", json={"rate": 0.5}).status_code == 200  # it does not wait for the line
    assert Browser(app).post("/api/stop", json={}).status_code == 200  # and a stop ends it
    waiting.join(20.0)
    assert answers and answers[0].status_code == 409 and answers[0].json()["kind"] == "LineStopped"


def test_a_run_whose_end_nobody_saw_is_lost(app: FastAPI, automatic: Browser) -> None:
    assert automatic.post("/api/run", json={"name": saved(app, "long.arm", LONG)}).status_code == 200
    assert automatic.get("/api/runs").json()[0]["ended"] == "running"
    assert app.state.programs.history.flush()
    (lost,) = RunHistory(app.state.desk.place).newest()  # another pendant begins
    assert (lost.name, lost.who, lost.ended, lost.seconds, lost.moves) == ("long.arm", "Olga", "lost", 0.0, 0)
    assert automatic.post("/api/run/stop", json={}).status_code == 200
    assert until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "stopped")  # who started it has seen its end
    (seen,) = automatic.get("/api/runs").json()
    assert seen["at"] == lost.at and seen["seconds"] > 0.0
    assert app.state.programs.history.flush() and vars(RunHistory(app.state.desk.place).newest()[0]) == seen


def test_a_disk_that_refuses_the_history_holds_up_no_program_and_is_told(app: FastAPI, automatic: Browser) -> None:
    file = app.state.desk.place / "run_history.db"
    file.mkdir()  # nothing can be read from it nor written into it
    assert automatic.get("/api/runs").json() == []
    name = saved(app, "up.arm", UP)
    assert automatic.post("/api/run", json={"name": name}).status_code == 200
    assert ended(app) and until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "ended")
    (run,) = automatic.get("/api/runs").json()
    assert (run["name"], run["who"], run["moves"]) == ("up.arm", "Olga", 2)
    assert any("run_history.db" in trouble for trouble in automatic.get("/api/system").json()["troubles"])
    file.rmdir()  # there is room again
    assert app.state.programs.history.flush() and automatic.get("/api/system").json()["troubles"] == []
    assert vars(RunHistory(app.state.desk.place).newest()[0]) == run


def test_a_damaged_history_is_put_aside_and_a_new_one_begun(app: FastAPI, automatic: Browser) -> None:
    place = app.state.desk.place
    (place / "run_history.db").write_bytes(b"not a database, but long enough to be taken for one" * 20)
    assert automatic.post("/api/run", json={"name": saved(app, "up.arm", UP)}).status_code == 200
    assert ended(app) and until(lambda: automatic.get("/api/runs").json()[0]["ended"] == "ended")
    assert len(list(place.glob("run_history.db.damaged-*"))) == 1


@pytest.mark.parametrize("most", [1, 3, 100])
def test_as_many_runs_are_told_as_were_asked_for_the_newest_first(tmp_path: Path, most: int) -> None:
    history = RunHistory(tmp_path / "history")
    for number in range(5):
        history.watch(f"program_{number}.arm", _Done(moves=number), "Olga")  # type: ignore[arg-type]
    assert until(lambda: all(each.ended == "ended" for each in history.newest()))
    names = [f"program_{number}.arm" for number in range(5)][::-1][:most]
    assert [each.name for each in history.newest(most)] == names and history.flush()
    again = RunHistory(tmp_path / "history").newest(most)
    assert [(each.name, each.moves, each.ended) for each in again] == [(name, int(name[8]), "ended") for name in names]


class _Done:
    """A run that is over."""

    state, error = RunState.ENDED, None

    def __init__(self, moves: int) -> None:
        self.moves = moves

    def wait(self) -> None:
        return
