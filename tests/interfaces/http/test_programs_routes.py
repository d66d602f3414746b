"""Programs over HTTP: files and who may change them, what is wrong with them, where they lead."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI

from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, programs
from armillary.motion import tool_pose
from armillary.programs.teach import store_place
from tests.interfaces.http.conftest import Browser

SQUARE = "G21 G91 F6000\nG1 Z20\nG1 Y20\n\nG1 Z-20\nG1 Y-20\nM2\n"


@pytest.fixture(autouse=True)
def _routes(app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    if programs.router not in ROUTERS:
        app.include_router(programs.router, prefix="/api")


def check(browser: Browser, name: str, text: str | None = None) -> Any:
    answer = browser.post("/api/programs/check", json={"name": name, "text": text})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_new_cell_has_samples_and_they_are_right(operator: Browser) -> None:
    names = {each["name"]: each["language"] for each in operator.get("/api/programs").json()}
    assert names == {"welcome.arm": "script", "square.ngc": "gcode", "paper5.ngc": "gcode"}
    found = check(operator, "welcome.arm")
    assert found["problems"] == [] and found["whole"] and found["moves"] == 4 and found["seconds"] > 1.0


def test_a_program_is_saved_read_renamed_and_deleted(app: FastAPI, programmer: Browser) -> None:
    saved = programmer.put("/api/programs/file", json={"name": "a/part.ngc", "text": SQUARE, "version": None})
    read = programmer.get("/api/programs/file", params={"name": "a/part.ngc"}).json()
    assert saved.json() == {"version": read["version"]} and read["text"] == SQUARE and read["language"] == "gcode"
    assert programmer.post("/api/programs/rename", json={"name": "a/part.ngc", "to": "part.ngc"}).status_code == 200
    assert programmer.delete("/api/programs/file", params={"name": "part.ngc"}).status_code == 200
    gone = programmer.get("/api/programs/file", params={"name": "part.ngc"})
    assert gone.status_code == 409 and "no program" in gone.json()["detail"]
    assert [each.what for each in app.state.desk.audit.newest(3)] == [
        "deletes the program part.ngc", "renames the program a/part.ngc to part.ngc", "saves the program a/part.ngc",
    ]  # fmt: skip


def test_two_who_save_the_same_are_told(app: FastAPI, programmer: Browser) -> None:
    other = Browser(app, "Paul", Role.PROGRAMMER)
    version = programmer.put("/api/programs/file", json={"name": "a.arm", "text": "DWELL 1\n", "version": None}).json()["version"]
    order = {"name": "a.arm", "version": version}
    assert other.put("/api/programs/file", json={**order, "text": "DWELL 2\n"}).status_code == 200
    late = programmer.put("/api/programs/file", json={**order, "text": "DWELL 3\n"})
    assert late.status_code == 409 and "somebody else" in late.json()["detail"]
    assert programmer.get("/api/programs/file", params={"name": "a.arm"}).json()["text"] == "DWELL 2\n"


def test_programs_are_a_programmers_to_change_and_anybodys_to_read(app: FastAPI) -> None:
    viewer, operator = Browser(app, "Vera", Role.VIEWER), Browser(app, "Otto", Role.OPERATOR)
    assert viewer.get("/api/programs/file", params={"name": "welcome.arm"}).status_code == 200
    assert viewer.post("/api/programs/check", json={"name": "welcome.arm"}).status_code == 403
    for browser in (viewer, operator):
        assert browser.put("/api/programs/file", json={"name": "a.arm", "text": "", "version": None}).status_code == 403
        assert browser.delete("/api/programs/file", params={"name": "welcome.arm"}).status_code == 403
        assert browser.post("/api/programs/rename", json={"name": "welcome.arm", "to": "b.arm"}).status_code == 403
    assert Browser(app).get("/api/programs").status_code == 401


@pytest.mark.parametrize("name", ["../users.db", "../a.ngc", "/etc/passwd.ngc", ".hidden.ngc"])
def test_nothing_outside_the_folder_can_be_had(programmer: Browser, name: str) -> None:
    assert programmer.get("/api/programs/file", params={"name": name}).status_code == 409
    assert programmer.put("/api/programs/file", json={"name": name, "text": "M2", "version": None}).status_code == 409
    assert programmer.post("/api/programs/check", json={"name": name, "text": "M2"}).status_code == 409


def test_what_is_wrong_is_found_at_its_line_with_a_better_one(operator: Browser) -> None:
    script = check(operator, "a.arm", "DWELL 1\nMOVJ 0 0 0 0 0 0\nDMOVE 0 0 1 0 0 0 [5 mms]\n")
    first = script["problems"][0]
    assert (first["line"], first["column"]) == (2, 1) and first["fix"] == "MOVEJ 0 0 0 0 0 0"
    assert [each["line"] for each in script["problems"]] == [2, 3] and not script["whole"]
    gcode = check(operator, "a.ngc", "G21\n  G21.5 X1 (here)\nM2\n")["problems"]
    assert [(each["line"], each["column"]) for each in gcode] == [(2, 3)] and "there is no G21.5" in gcode[0]["text"]
    assert gcode[0]["fix"] == "  G21 X1 (here)"
    compared = check(operator, "a.arm", "i = 1\nIF i = 2\nEND\n")["problems"]
    assert [(each["line"], each["fix"]) for each in compared] == [(2, "IF i == 2")]
    unknown = check(operator, "a.arm", "MOVEL nowhere\n")["problems"]
    assert [(each["line"], each["fix"]) for each in unknown] == [(1, None)]
    moves = check(operator, "a.toml", "[[move]]\ndwel = 1\n")["problems"]
    assert len(moves) == 1 and moves[0]["line"] in (1, 2) and "check-" not in moves[0]["text"]


def test_a_line_that_the_robot_cannot_drive_is_found_too(operator: Browser) -> None:
    found = check(operator, "far.ngc", "G21 G91 F6000\nG1 Z10\nG1 Z3000\nM2\n")
    assert [each["line"] for each in found["problems"]] == [3] and not found["whole"]
    assert "far.ngc" not in found["problems"][0]["text"] or ".check" not in found["problems"][0]["text"]
    assert found["seconds"] > 0.0


def test_an_endless_program_is_looked_at_for_a_while_and_that_is_said(operator: Browser) -> None:
    found = check(operator, "loop.arm", "WHILE 1 == 1\n  DWELL 1\nEND\n")
    assert found["problems"] == [] and not found["whole"]


def test_a_check_keeps_nothing_of_what_the_program_sets(app: FastAPI, operator: Browser) -> None:
    assert check(operator, "offset.ngc", "G10 L2 P1 X5\nG91 G1 Z5 F600\nM2\n")["whole"]
    assert not store_place("cobot6").with_suffix(".var").exists()
    folder = app.state.programs.library.folder
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_a_text_that_is_not_saved_finds_the_subroutines_beside_it(programmer: Browser) -> None:
    up = "o<up> sub\nG1 Z#1\no<up> endsub\n"
    assert programmer.put("/api/programs/file", json={"name": "jobs/up.ngc", "text": up, "version": None}).status_code == 200
    text = "G21 G91 F3000\no<up> call [10]\nG1 Z-10\nM2\n"
    assert check(programmer, "jobs/main.ngc", text)["moves"] == 2
    assert check(programmer, "main.ngc", text)["problems"][0]["line"] == 2


def test_a_preview_has_the_line_of_each_point_and_where_each_line_ends(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    before = desk.cell.state
    found = operator.post("/api/programs/preview", json={"name": "a.ngc", "text": SQUARE, "start_line": 0}).json()
    points, lines = np.array(found["points"]), found["lines"]
    assert found["problem"] is None and found["whole"] and len(points) == len(lines) and found["seconds"] > 0.0
    np.testing.assert_allclose(points[0], before.xyz, atol=1e-4)
    np.testing.assert_allclose(points[-1], before.xyz, atol=1e-4)
    assert sorted(set(lines)) == [2, 3, 5, 6] and [end["line"] for end in found["ends"]] == [2, 3, 5, 6]
    for end, way in zip(found["ends"], ([0, 0, 0.02], [0, 0.02, 0.02], [0, 0.02, 0], [0, 0, 0]), strict=True):
        place = tool_pose(desk.cell.model, np.array(end["q"]), base=desk.cell.model.reference)[:3, 3]
        assert np.abs(place - before.xyz - way).max() < 0.006  # G64 leaves a corner up to 5 mm before it
    assert (np.abs(points[np.array(lines) == 2] - before.xyz)[:, :2] < 1e-3).all()
    np.testing.assert_array_equal(desk.cell.state.q, before.q)


def test_a_preview_begins_at_a_line_and_shows_what_comes_before_a_problem(operator: Browser) -> None:
    later = operator.post("/api/programs/preview", json={"name": "a.ngc", "text": SQUARE, "start_line": 5}).json()
    assert sorted(set(later["lines"])) == [5, 6]
    text = "G21 G91 F6000 G61\nG1 Z10\nG1 Z3000\nM2\n"
    broken = operator.post("/api/programs/preview", json={"name": "a.ngc", "text": text}).json()
    assert broken["problem"]["line"] == 3 and set(broken["lines"]) == {2} and not broken["whole"]
    wrong = operator.post("/api/programs/preview", json={"name": "a.ngc", "text": "G1 Q\n"}).json()
    assert wrong["points"] == [] and wrong["problem"]["line"] == 1


def test_words_are_those_of_the_languages(programmer: Browser) -> None:
    gcode = programmer.get("/api/programs/words", params={"language": "gcode"}).json()
    assert {"G0", "G92.1", "M30", "SIN", "endwhile", "XOR"} <= set(gcode["words"])
    script = programmer.get("/api/programs/words", params={"language": "script"}).json()
    assert {"MOVEJ", "MOVEL_LSPB", "BLEND", "mm", "sin", "INPUT"} <= set(script["words"]) and "MM" not in script["words"]
    assert "base" in script["frames"] and "tool0" in script["tools"]
    assert programmer.get("/api/programs/words", params={"language": "basic"}).status_code == 422
