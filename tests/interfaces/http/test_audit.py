"""The audit trail: who moved what; nobody pushes out what others did, and what is set again and again is one entry."""

from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI

from armillary.interfaces.http.audit import Audit
from armillary.interfaces.http.messages import Jog
from armillary.interfaces.http.roles import Role
from tests.interfaces.http.conftest import Browser

SECRET = "correct horse"


def trail(app: FastAPI) -> list[tuple[str, str]]:
    """Who did what, the oldest first."""
    return [(each.who, each.what) for each in app.state.desk.audit.newest(500)][::-1]


def test_strangers_who_stop_again_and_again_leave_one_entry(app: FastAPI, operator: Browser) -> None:
    stranger = Browser(app)
    for _ in range(40):
        assert stranger.post("/api/stop", json={}).status_code == 200
    stops = [who for who, what in trail(app) if what.startswith("stops the robot")]
    assert stops == ["somebody who is not logged in"]
    operator.post("/api/stop", json={})
    operator.post("/api/stop", json={})
    assert [who for who, what in trail(app) if what.startswith("stops the robot")][1:] == ["Olga", "Olga"]


def test_a_jog_is_noted_once_with_what_it_moves_and_which_way(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    (session,) = (each for each in app.state.sessions.all() if each.user == "Olga")
    for _ in range(10):  # it is held
        desk.jog(session, Jog("joints", (0.0, 0.02, -0.02, 0.0, 0.0, 0.0), ""))
    desk.jog(session, Jog("joints", (0.0, 0.02, 0.0, 0.0, 0.01, 0.0), ""))  # a stick that is turned moves one more
    desk.release()
    desk.jog(session, Jog("joints", (0.0, 0.02, 0.0, 0.0, 0.0, 0.0), ""))  # and another jog is another
    desk.release()
    for kind, frame in (("base", ""), ("tool", ""), ("frame", "pedestal")):
        desk.jog(session, Jog(kind, (0.01, 0.0, 0.0, 0.0, 0.0, -0.01), frame))
        desk.release()
    desk.cell.wait()
    assert [what for _, what in trail(app) if what.startswith("jogs")] == [
        "jogs the joints joint_2+ joint_3-", "jogs the joints joint_5+", "jogs the joints joint_2+",
        "jogs the tool x+ rz- in the base", "jogs the tool x+ rz- in its own axes", "jogs the tool x+ rz- in pedestal",
    ]  # fmt: skip


def test_a_step_is_noted_with_how_far_it_goes(app: FastAPI, operator: Browser) -> None:
    steps = [
        {"kind": "joints", "by": [0, -np.radians(2.0), 0, 0, 0, np.radians(0.5)]},
        {"kind": "base", "by": [0, 0, 0.005, 0, 0, 0]},
        {"kind": "tool", "by": [0, 0, 0, np.radians(1.0), 0, 0]},
        {"kind": "frame", "frame": "pedestal", "by": [-0.001, 0, 0, 0, 0, 0]},
    ]
    for order in steps:
        answer = operator.post("/api/jog/step", json=order)
        assert answer.status_code == 200, answer.text
        app.state.desk.cell.wait()
    assert [what for _, what in trail(app) if what.startswith("jogs")] == [
        "jogs the joints by a step, joint_2 -2° joint_6 +0.5°", "jogs the tool by a step, z +5 mm in the base",
        "jogs the tool by a step, rx +1° in its own axes", "jogs the tool by a step, x -1 mm in pedestal",
    ]  # fmt: skip


def test_a_feed_that_is_drawn_along_is_noted_once_where_it_ends(app: FastAPI, operator: Browser) -> None:
    for rate in range(100, 39, -5):
        assert operator.post("/api/override", json={"rate": rate / 100}).status_code == 200
    assert float(app.state.desk.cell.station.state["rate"]) <= 1.0
    assert [what for _, what in trail(app) if "feed" in what] == ["sets the feed to 40 %"]
    operator.post("/api/override", json={"rate": 0.7})
    operator.post("/api/mode", json={"mode": "automatic"})  # what is done next is noted behind it
    assert [what for _, what in trail(app)][-2:] == ["sets the feed to 70 %", "switches to automatic mode"]


def test_the_feed_is_who_has_controls_to_set(app: FastAPI, operator: Browser) -> None:
    other = Browser(app, "Otto", Role.OPERATOR)
    assert other.post("/api/override", json={"rate": 0.1}).status_code == 403
    assert [what for _, what in trail(app) if "feed" in what] == []


def test_locking_and_unlocking_a_screen_is_noted(app: FastAPI) -> None:
    app.state.users.add("Ada", Role.ADMINISTRATOR, SECRET)
    browser = Browser(app)
    assert browser.post("/api/login", json={"name": "Ada", "password": SECRET}).status_code == 200
    assert browser.post("/api/lock").status_code == 200
    assert browser.post("/api/unlock", json={"password": "wrong horse"}).status_code == 401
    assert browser.post("/api/unlock", json={"password": SECRET}).status_code == 200
    assert [what for who, what in trail(app) if who == "Ada"] == [
        "logs in", "locks the screen", "does not unlock the screen: the password is another", "unlocks the screen",
    ]  # fmt: skip


def test_a_damaged_audit_is_put_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    (tmp_path / "audit.db").write_bytes(b"not a database, but long enough to be taken for one" * 20)
    audit = Audit(tmp_path)
    assert "put aside" in audit.trouble and len(list(tmp_path.glob("audit.db.damaged-*"))) == 1
    audit.note("Ada", "logs in")
    assert audit.flush() and [entry.who for entry in Audit(tmp_path).newest()] == ["Ada"]


def test_whatever_is_noted_can_be_read(tmp_path: Path) -> None:
    audit = Audit(tmp_path)
    for text in ("\ud800", "a" * 10_000, "<b>", "\x00", "关节"):
        audit.note(text, text)
    assert audit.flush()
    for entry in Audit(tmp_path).newest():
        assert (entry.who + entry.what).encode() and len(entry.what) <= 500


def test_a_stop_is_done_while_the_audit_cannot_be_written(
    app: FastAPI, operator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    def fails(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("armillary.interfaces.http.kept_list.sqlite3.connect", fails)
    assert Browser(app).post("/api/stop", json={}).status_code == 200
    assert app.state.desk.audit.newest(1)[0].what.startswith("stops the robot")


def test_who_is_not_let_in_stands_in_the_audit_trail_and_cannot_fill_it(app: FastAPI) -> None:
    stranger = Browser(app)
    for name in ("Mallory", "Eve"):  # within the same second
        assert stranger.post("/api/login", json={"name": name, "password": "guess"}).status_code == 401
    app.state.desk.audit.flush()
    said = [entry.who for entry in app.state.desk.audit.newest(20) if "not let in" in entry.what]
    assert said == ["Mallory"]
