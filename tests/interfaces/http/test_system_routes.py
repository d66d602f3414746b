"""System, statistics, logs, back-up by requests; and users by the command line."""

import argparse
import io
import shutil
import zipfile
from pathlib import Path

import pytest
from fastapi import FastAPI

import armillary
from armillary.description.library import find_robot
from armillary.interfaces.cli import users as command
from armillary.interfaces.http import own_cell_file
from armillary.interfaces.http.backup import Keepsakes, Restored, restore_backup
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, system
from armillary.interfaces.http.server import pendant_place
from armillary.interfaces.http.users import BadUser, UserStore
from armillary.programs.gcode.parameter_file import read_parameters
from armillary.programs.teach import store_place
from tests.interfaces.http.conftest import Browser


@pytest.fixture
def routed(app: FastAPI, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FastAPI:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))  # what is restored is the test's own
    if system.router not in ROUTERS:
        app.include_router(system.router, prefix="/api")
    return app


def test_the_system_says_what_it_is_made_of(routed: FastAPI) -> None:
    viewer = Browser(routed, "Vera", Role.VIEWER)
    said = viewer.get("/api/system").json()
    assert said["versions"]["armillary"] == armillary.__version__ and "numpy" in said["versions"]
    running = {each["name"]: each for each in said["processes"]}
    assert {"executor", "planner", "front"} <= set(running) and all(each["pid"] > 0 for each in running.values())
    assert said["uptime"] > 0.0 and said["granted"] and said["disks"][0]["total"] > said["disks"][0]["free"] > 0
    assert said["source"] == "cobot6" and said["troubles"] == []
    assert Browser(routed).get("/api/system").status_code == 401


def test_each_stage_of_the_executor_has_its_quantiles_in_order_and_asking_clears_nothing(routed: FastAPI) -> None:
    viewer = Browser(routed, "Vera", Role.VIEWER)
    first, second = (viewer.get("/api/statistics").json() for _ in range(2))
    stages = {stage["name"]: stage for stage in second["stages"]}
    assert {"lateness", "work", "read", "write"} <= set(stages)
    for stage in stages.values():
        assert 0.0 <= stage["p50"] <= stage["p99"] <= stage["p999"] <= stage["most"]
    assert second["ticks"] >= first["ticks"] > 0
    before = {stage["name"]: stage["count"] for stage in first["stages"]}
    assert all(stages[name]["count"] >= count for name, count in before.items())


def test_logs_are_what_happened_newest_first(routed: FastAPI, operator: Browser) -> None:
    assert operator.post("/api/power/off").status_code == 200 and operator.post("/api/power/on").status_code == 200
    said = operator.get("/api/logs", params={"most": 5}).json()
    assert 0 < len(said) <= 5 and [each["time"] for each in said] == sorted((each["time"] for each in said), reverse=True)
    assert all(each["at"].startswith("20") and each["event"] and each["state"] for each in said)


def test_a_back_up_is_downloaded_and_brought_back(routed: FastAPI, administrator: Browser) -> None:
    desk, users = routed.state.desk, routed.state.users
    users.add("Ada", Role.ADMINISTRATOR, "correct horse")
    users.add("Otto", Role.OPERATOR, "correct horse")
    (desk.place / "programs").mkdir()
    (desk.place / "programs" / "draw.ngc").write_text("M2\n")
    answer = administrator.get("/api/backup")
    assert answer.headers["content-type"] == "application/zip" and "attachment" in answer.headers["content-disposition"]
    assert "programs/draw.ngc" in zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    (desk.place / "programs" / "draw.ngc").unlink()
    users.set_password("Otto", "another horse")
    otto = Browser(routed)
    assert otto.post("/api/login", json={"name": "Otto", "password": "another horse"}).status_code == 200
    done = administrator.post("/api/restore", content=answer.content, headers={"content-type": "application/zip"})
    assert done.status_code == 200 and not done.json()["restart"] and Path(done.json()["kept"]).is_file()
    assert (desk.place / "programs" / "draw.ngc").read_text() == "M2\n"
    assert otto.get("/api/system").status_code == 401 and administrator.get("/api/system").status_code == 200
    assert "brings a back-up back" in desk.audit.newest(1)[0].what


def test_lines_that_were_typed_before_do_not_overwrite_what_is_restored(routed: FastAPI, administrator: Browser) -> None:
    def type_line(line: str) -> None:
        answer = administrator.post("/api/mdi", json={"language": "gcode", "line": line})
        assert answer.status_code == 200, answer.text

    file = store_place("cobot6").with_suffix(".var")
    assert administrator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    type_line("G21 G10 L2 P1 X10")
    data = administrator.get("/api/backup").content
    type_line("G10 L2 P1 X20")
    assert read_parameters(file).numbers[5221] == pytest.approx(20.0)
    assert administrator.post("/api/restore", content=data).status_code == 200
    assert read_parameters(file).numbers[5221] == pytest.approx(10.0)
    type_line("G21 G10 L2 P2 X5")
    numbers = read_parameters(file).numbers
    assert numbers[5221] == pytest.approx(10.0) and numbers[5241] == pytest.approx(5.0)


def test_nobody_changes_programs_or_the_cell_while_a_back_up_is_brought_back(
    routed: FastAPI, administrator: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("cobot6.urdf", "cell.toml"):
        shutil.copy(find_robot("cobot6").parent / name, folder / name)
    own = Keepsakes.of(str(folder / "cell.toml"), routed.state.desk.place, routed.state.users)
    monkeypatch.setattr(system, "_keepsakes", lambda request, desk: own)
    data, waited = administrator.get("/api/backup").content, list[bool]()

    def restored(keepsakes: Keepsakes, given: bytes) -> Restored:
        waited.extend((routed.state.programs.library._lock.locked(), own_cell_file._changing.locked()))
        return restore_backup(keepsakes, given)

    monkeypatch.setattr(system, "restore_backup", restored)
    assert administrator.post("/api/restore", content=data).status_code == 200 and waited == [True, True]
    assert not routed.state.programs.library._lock.locked() and not own_cell_file._changing.locked()
    assert administrator.post("/api/restore", content=b"no back-up").status_code == 409  # and they are let go then too
    assert not routed.state.programs.library._lock.locked() and not own_cell_file._changing.locked()


def test_what_is_no_back_up_is_refused_in_words(routed: FastAPI, administrator: Browser) -> None:
    refused = administrator.post("/api/restore", content=b"nothing of the kind")
    assert refused.status_code == 409 and "back-up of Armillary" in refused.json()["detail"]
    assert administrator.post("/api/restore").status_code == 409
    large = administrator.post("/api/restore", content=b"x", headers={"content-length": str(40 << 20)})
    assert large.status_code == 413


@pytest.mark.parametrize("role", [Role.NOBODY, Role.VIEWER, Role.OPERATOR, Role.PROGRAMMER])
def test_back_up_and_restore_are_an_administrators(routed: FastAPI, role: Role) -> None:
    browser = Browser(routed, "Eve", role)
    assert browser.get("/api/backup").status_code in (401, 403) and browser.post("/api/restore").status_code in (401, 403)


def on_the_command_line(monkeypatch: pytest.MonkeyPatch, *arguments: str, typed: str = "") -> int:
    top = argparse.ArgumentParser()
    command.add_parser(top.add_subparsers())
    options = top.parse_args(["users", "cobot6", *arguments])
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return int(options.run(options))


def test_users_can_be_kept_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert on_the_command_line(monkeypatch, "list") == 0 and "nobody can log in" in capsys.readouterr().out
    with pytest.raises(BadUser, match="first user"):
        on_the_command_line(monkeypatch, "add", "Otto", typed="correct horse\n")
    assert on_the_command_line(monkeypatch, "add", "Ada", "--role", "administrator", typed="correct horse\r\n") == 0
    users = UserStore(pendant_place("cobot6"))
    assert users.check("Ada", "correct horse").role == Role.ADMINISTRATOR
    assert on_the_command_line(monkeypatch, "password", "ada", typed="new horse\n") == 0
    assert users.check("Ada", "new horse").name == "Ada"
    assert on_the_command_line(monkeypatch, "list", "--json") == 0 and '"Ada"' in capsys.readouterr().out
    with pytest.raises(BadUser, match="last administrator"):
        on_the_command_line(monkeypatch, "remove", "Ada")
    with pytest.raises(command.BadPassword, match="no password"):
        on_the_command_line(monkeypatch, "password", "Ada")
