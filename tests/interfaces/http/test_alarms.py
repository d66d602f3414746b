"""Alarms: with joint, value, limit and remedy; each heard once, and kept however the disk is."""

import ast
import time
from pathlib import Path

from fastapi import FastAPI

import armillary.runtime
from armillary.interfaces.http.alarms import AlarmBook, remedy_of
from armillary.interfaces.http.audit import Audit
from armillary.interfaces.http.roles import Role
from tests.interfaces.http.conftest import Browser


def fault(kind: str) -> dict[str, object]:
    return {
        "time": 1.0, "event": "FAULT", "state": "FAULTED", "text": "joint_2: too far",
        "fault": {"kind": kind, "joint": "joint_2", "value": 0.1, "limit": 0.02},
    }  # fmt: skip


def test_alarms_are_told_with_joint_value_limit_and_remedy(app: FastAPI) -> None:
    app.state.desk.alarms.heard([fault("following")])
    viewer, operator = Browser(app, "Vera", Role.VIEWER), Browser(app, "Otto", Role.OPERATOR)
    (alarm,) = viewer.get("/api/alarms").json()
    assert (alarm["key"], alarm["joint"], alarm["value"], alarm["limit"]) == ("alarm", "joint_2", 0.1, 0.02)
    assert "brake" in alarm["remedy"] and app.state.desk.alarms.unseen == 1
    assert viewer.post("/api/alarms/seen").status_code == 403 and operator.post("/api/alarms/seen").status_code == 200
    assert app.state.desk.alarms.unseen == 0 and Browser(app).get("/api/alarms").status_code == 401


def test_every_kind_of_fault_has_its_own_remedy() -> None:
    kinds = set[str]()
    for path in Path(armillary.runtime.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if name in ("Fault", "_fault") and isinstance(node, ast.Call) and isinstance(node.args[0], ast.Constant):
                kinds.add(str(node.args[0].value))
    assert {"following", "driver", "late", "executor"} <= kinds
    assert len({remedy_of(kind) for kind in kinds} - {remedy_of("")}) == len(kinds)


def test_each_fault_is_heard_once_and_kept(tmp_path: Path) -> None:
    book, happened = AlarmBook(tmp_path), [fault("late")]
    assert [alarm.number for alarm in book.heard(happened)] == [1] and book.heard(happened) == []
    happened += [{"time": 1.0, "event": "RESET", "state": "STOPPED", "text": ""}, fault("late"), fault("torque")]
    assert [alarm.cause for alarm in book.heard(happened)] == ["late", "torque"]
    assert book.unseen == 3 and book.flush()
    again = AlarmBook(tmp_path)
    assert [alarm.number for alarm in again.history()] == [3, 2, 1] and again.unseen == 3
    again.acknowledge()
    assert again.flush() and AlarmBook(tmp_path).unseen == 0


def test_a_disk_that_takes_nothing_holds_up_nothing_and_loses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "pendant"
    place.write_text("a file where the folder should be: nothing can be written")
    audit, book = Audit(place), AlarmBook(place)
    audit.note("Ada", "stops the robot")
    book.heard([fault("late")])
    assert [entry.what for entry in audit.newest()] == ["stops the robot"] and book.unseen == 1 and len(book.history()) == 1
    deadline = time.monotonic() + 10.0
    while not audit.trouble:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert "cannot be written" in audit.trouble
    place.unlink()  # there is room again
    assert audit.flush() and book.flush() and audit.trouble == ""
    assert [entry.what for entry in Audit(place).newest()] == ["stops the robot"] and len(AlarmBook(place).history()) == 1
