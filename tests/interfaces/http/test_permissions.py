"""Who may do what: every request and every message of the link, by every role and by nobody."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.websockets import WebSocketDisconnect

from armillary.cell import Cell
from armillary.interfaces.http.app import PAGE, make_app
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.messages import (
    FROM_BROWSER,
    Focus,
    Jog,
    PersonFrame,
    Ping,
    Press,
    Release,
    StopNow,
)
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.sessions import Session, Sessions
from armillary.interfaces.http.users import UserStore
from armillary.interfaces.http.wire import Message, encode
from armillary.programs.teach import store_place
from armillary.runtime.prepared import prepare
from tests.interfaces.http.conftest import HOME, SESSION, Browser

NOBODY, VIEWER, OPERATOR, PROGRAMMER, ADMINISTRATOR = Role
CONTROL = True
PASSWORD = "quite long enough"
Q = HOME.tolist()
GOAL = {"goal": {"joints": Q}, "kind": "joints"}


@dataclass(frozen=True)
class Row:
    """What a request needs, and one that is sound and harmless.

    Attributes:
        least: The lowest role that may.
        control: Whether it needs control of the robot too.
        json: The request's body; a text "USER" in it is who asks, "LINK" a link that nobody has used.
        ask: What stands behind the address.
        content: A body that is no JSON.
        locked: A locked screen may, too.
    """

    least: Role
    control: bool = False
    json: Any = None
    ask: str = ""
    content: bytes | None = None
    locked: bool = False


TABLE = {
    "GET /api/session": Row(NOBODY, locked=True),
    "POST /api/enter": Row(NOBODY, json={"link": "LINK"}, locked=True),
    "POST /api/login": Row(NOBODY, json={"name": "viewer", "password": PASSWORD}, locked=True),
    "POST /api/logout": Row(NOBODY, locked=True),
    "POST /api/lock": Row(VIEWER),
    "POST /api/unlock": Row(VIEWER, json={"password": PASSWORD}, locked=True),
    "POST /api/stop": Row(NOBODY, json={}, locked=True),
    "POST /api/control/take": Row(OPERATOR, json={}),
    "POST /api/control/give": Row(OPERATOR),
    "POST /api/power/off": Row(OPERATOR, CONTROL),
    "POST /api/power/on": Row(OPERATOR, CONTROL),
    "POST /api/reset": Row(OPERATOR, CONTROL),
    "POST /api/mode": Row(OPERATOR, CONTROL, {"mode": "manual"}),
    "POST /api/override": Row(OPERATOR, CONTROL, {"rate": 1.0}),
    "POST /api/hold": Row(OPERATOR),
    "POST /api/resume": Row(OPERATOR, CONTROL),
    "GET /api/robot": Row(VIEWER),
    "GET /api/robot/urdf": Row(VIEWER),
    "GET /api/robot/mesh/{number}.glb": Row(VIEWER),
    "GET /api/world": Row(VIEWER),
    "GET /api/world/mesh/{number}.glb": Row(VIEWER),
    "GET /api/pose": Row(VIEWER),
    "POST /api/ik": Row(VIEWER, json={"xyz": [0.4, 0.1, 0.3], "rpy": [3.0, 0.0, 0.0]}),
    "POST /api/preview": Row(VIEWER, json=GOAL),
    "POST /api/move": Row(OPERATOR, CONTROL, GOAL),
    "POST /api/jog/step": Row(OPERATOR, CONTROL, {"kind": "joints", "by": [0.0] * 6}),
    "GET /api/programs": Row(VIEWER),
    "GET /api/programs/file": Row(VIEWER, ask="name=a.ngc"),
    "PUT /api/programs/file": Row(PROGRAMMER, json={"name": "a.ngc", "text": "G4 P0\n"}),
    "POST /api/programs/rename": Row(PROGRAMMER, json={"name": "a.ngc", "to": "b.ngc"}),
    "DELETE /api/programs/file": Row(PROGRAMMER, ask="name=b.ngc"),
    "POST /api/programs/check": Row(OPERATOR, json={"name": "a.ngc", "text": "G4 P0\n"}),
    "POST /api/programs/preview": Row(OPERATOR, json={"name": "a.ngc", "text": "G4 P0\n"}),
    "GET /api/programs/words": Row(VIEWER, ask="language=gcode"),
    "POST /api/run": Row(OPERATOR, CONTROL, {"name": "none.ngc"}),
    "POST /api/run/pause": Row(OPERATOR),
    "POST /api/run/stop": Row(OPERATOR),
    "POST /api/run/resume": Row(OPERATOR, CONTROL),
    "POST /api/run/step": Row(OPERATOR, CONTROL),
    "GET /api/runs": Row(VIEWER),
    "POST /api/mdi": Row(OPERATOR, CONTROL, {"language": "gcode", "line": "G4 P0"}),
    "GET /api/points": Row(VIEWER),
    "POST /api/points": Row(PROGRAMMER, json={"name": "here"}),
    "POST /api/points/touch-up": Row(PROGRAMMER, json={"name": "here"}),
    "POST /api/points/rename": Row(PROGRAMMER, json={"name": "here", "to": "there"}),
    "DELETE /api/points": Row(PROGRAMMER, ask="name=there"),
    "GET /api/points/history": Row(VIEWER),
    "POST /api/points/convert": Row(VIEWER, json={"names": ["there"], "language": "script"}),
    "GET /api/paths": Row(VIEWER),
    "POST /api/paths/record": Row(PROGRAMMER, json={"name": "along"}),
    "POST /api/paths/finish": Row(PROGRAMMER, json={"keep": False}),
    "POST /api/paths/play": Row(OPERATOR, CONTROL, {"name": "along"}),
    "DELETE /api/paths": Row(PROGRAMMER, ask="name=along"),
    "POST /api/io/output": Row(OPERATOR, CONTROL, {"index": 0, "value": False}),
    "POST /api/io/input": Row(OPERATOR, CONTROL, {"index": 0, "value": None}),
    "GET /api/frames": Row(VIEWER),
    "POST /api/calibrate/tool": Row(PROGRAMMER, json={"touches": [Q]}),
    "POST /api/calibrate/frame": Row(PROGRAMMER, json={"touches": [Q]}),
    "POST /api/calibrate/zeros": Row(PROGRAMMER, json={"touches": [Q]}),
    "POST /api/frames/keep": Row(PROGRAMMER, json={"kind": "tool", "xyz": [0.0, 0.0, 0.1], "rpy": [0.0, 0.0, 0.0]}),
    "POST /api/frames/back": Row(PROGRAMMER, json={"number": 1}),
    "POST /api/frames/own_cell": Row(PROGRAMMER),
    "GET /api/workspace": Row(VIEWER),
    "PUT /api/workspace": Row(ADMINISTRATOR, json={"tool_speed": 1.0, "password": PASSWORD}),
    "GET /api/imitation": Row(VIEWER),
    "PUT /api/imitation/files": Row(PROGRAMMER, ask="name=a.bvh", content=b"no motion"),
    "DELETE /api/imitation/files": Row(PROGRAMMER, ask="name=a.bvh"),
    "POST /api/imitation/source": Row(OPERATOR, CONTROL, {"kind": "file", "name": "none.bvh"}),
    "POST /api/imitation/clutch": Row(OPERATOR, CONTROL, {"do": "release"}),
    "POST /api/imitation/calibrate": Row(OPERATOR, CONTROL),
    "POST /api/imitation/speed": Row(OPERATOR, CONTROL, {"speed": 0.5}),
    "POST /api/imitation/record": Row(OPERATOR, CONTROL),
    "GET /api/imitation/recorded": Row(OPERATOR, ask="what=person"),
    "POST /api/imitation/end": Row(OPERATOR, CONTROL),
    "GET /api/follow/leaders": Row(VIEWER),
    "POST /api/follow": Row(OPERATOR, CONTROL, {"leader": "nobody"}),
    "POST /api/follow/clutch": Row(OPERATOR, CONTROL, {"engaged": False}),
    "POST /api/follow/end": Row(OPERATOR, CONTROL),
    "GET /api/recordings": Row(VIEWER),
    "GET /api/recordings/file": Row(VIEWER, ask="name=none.mcap"),
    "GET /api/recordings/signals": Row(VIEWER, ask="name=none.mcap"),
    "DELETE /api/recordings": Row(PROGRAMMER, ask="name=none.mcap"),
    "GET /api/alarms": Row(VIEWER),
    "POST /api/alarms/seen": Row(OPERATOR),
    "GET /api/system": Row(VIEWER),
    "GET /api/statistics": Row(VIEWER),
    "GET /api/logs": Row(VIEWER),
    "GET /api/backup": Row(ADMINISTRATOR),
    "POST /api/restore": Row(ADMINISTRATOR, content=b"no zip file"),
    "GET /api/users": Row(ADMINISTRATOR),
    "POST /api/users": Row(ADMINISTRATOR, json={"name": "Nina", "role": "viewer", "password": PASSWORD}),
    "PATCH /api/users": Row(ADMINISTRATOR, json={"name": "Nina", "role": "operator"}),
    "DELETE /api/users": Row(ADMINISTRATOR, ask="name=Nina"),
    "POST /api/users/password": Row(VIEWER, json={"name": "USER", "password": PASSWORD, "old": PASSWORD}),
    "GET /api/audit": Row(ADMINISTRATOR),
}
MESSAGES: dict[type[Message], tuple[Message, Role, bool]] = {
    Ping: (Ping(1), VIEWER, False),
    Focus: (Focus(True), VIEWER, False),
    Release: (Release(), VIEWER, False),
    StopNow: (StopNow(2), VIEWER, False),
    PersonFrame: (PersonFrame((0.0,)), OPERATOR, CONTROL),
    Jog: (Jog("joints", (0.01, 0.0, 0.0, 0.0, 0.0, 0.0), ""), OPERATOR, CONTROL),
    Press: (Press(), OPERATOR, CONTROL),
}
OPEN_TO_ALL = {"/api/openapi.json"}  # what no table is needed for: it says how to ask, and nothing of the cell
REFUSALS = (401, 403, 423)


class Hall:
    """The application with people before it, and an eye on whether anything happens there."""

    def __init__(self, app: FastAPI, patch: pytest.MonkeyPatch) -> None:
        self.app, self.desk, self.told = app, app.state.desk, 0
        for role in reversed(Role):
            if role != NOBODY:
                app.state.users.add(role.name.lower(), role, PASSWORD)
        for name in ("ask", "tell"):
            patch.setattr(self.desk.cell.station, name, self._counted(getattr(self.desk.cell.station, name)))

    def _counted(self, method: Any) -> Any:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.told += 1
            return method(*arguments, **options)

        return counted

    def happened(self) -> tuple[Any, ...]:
        """Whatever changes when something is done: words to the station, the audit, people, who has control, files."""
        state, place = self.app.state, self.desk.place
        kept = [path for path in (*place.rglob("*"), store_place(self.desk.prepared.settings.source)) if path.is_file()]
        # A thread of the audit's writes its file when it likes: what it says is looked at instead.
        files = sorted((str(path), path.stat().st_mtime_ns) for path in kept if "audit" not in path.name)
        people = [(user.name, user.role, user.hash) for user in state.users.stored()]
        sessions = [(each.number, each.role, each.locked) for each in state.sessions.all()]
        return self.told, self.audited, people, sessions, self.desk.lease.holder, self.desk.mode, self.desk.alarms.unseen, files

    @property
    def audited(self) -> int:
        return len(self.desk.audit.newest(10_000))

    def browser(self, role: Role, *, control: bool = False, beside: bool = False, locked: bool = False) -> Browser:
        """Somebody with this role, and control or not; beside somebody else who has control, or nobody."""
        browser = Browser(self.app, role.name.lower(), role)
        self.desk.lease.holder = Session("0", "Hilda", OPERATOR) if beside else None
        if control:
            browser.post("/api/control/take", json={}).raise_for_status()
        if locked:
            self.app.state.sessions.of(browser.cookies[SESSION]).locked = True
        return browser

    def ask(self, browser: Browser, role: Role, route: str, **headers: str) -> Any:
        row, (method, path) = TABLE[route], route.split(" ")
        path = path.replace("{number}", "0") + (f"?{row.ask}" if row.ask else "")
        words = {"USER": role.name.lower(), "LINK": self.app.state.sessions.one_time_link() if "enter" in route else ""}
        body = {key: words.get(value, value) if isinstance(value, str) else value for key, value in (row.json or {}).items()}
        given: dict[str, Any] = {"json": body} if row.json is not None else {"content": row.content} if row.content else {}
        return browser.request(method, path, headers=headers, **given)


@pytest.fixture(scope="module")
def hall(running: Cell, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """One for all that is asked here: what it leaves behind is part of no expectation."""
    place = tmp_path_factory.mktemp("pendant")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(place / "state"))  # points that are taught here are no other test's
        desk = Desk(running.station.folder, prepare(running.station.settings), place)
        desk.cell.take_control("the test", force=True)
        yield Hall(make_app(desk, Sessions(), UserStore(place), names=("testserver",)), patch)
        desk.close()


def routes_of(app: FastAPI) -> Iterator[str]:
    """Everything that can be asked by a method, with it."""
    for route in iter_route_contexts(app.routes):
        for method in sorted(route.methods or ()):
            if route.path not in OPEN_TO_ALL:
                yield f"{method} {route.path}"


def test_the_table_has_every_request_and_every_message(hall: Hall) -> None:
    app = hall.app
    assert sorted(routes_of(app)) == sorted(TABLE)
    assert set(FROM_BROWSER) == set(MESSAGES)
    others = {route.path for route in iter_route_contexts(app.routes) if not route.methods}
    assert others <= {"/ws", ""}  # the link, and the page's own files


def test_a_request_is_refused_below_its_role_and_without_control_and_then_nothing_happens(hall: Hall) -> None:
    wrong = []
    for route, row in TABLE.items():
        lower = [role for role in Role if role < row.least]
        without = [role for role in Role if role >= row.least and row.control]
        browsers = {role: hall.browser(role, beside=row.control) for role in (*lower, *without)}
        before = hall.happened()
        for role, browser in browsers.items():
            answer = hall.ask(browser, role, route)
            if answer.status_code != (401 if role == NOBODY else 403):
                wrong.append(f"{route} by {role.name}: {answer.status_code}")
        if hall.happened() != before:
            wrong.append(f"{route}: something happened")
    assert wrong == []


@pytest.mark.slow
def test_a_request_is_heard_from_its_role_on_with_control_where_it_needs_it(hall: Hall) -> None:
    wrong = []
    for route, row in TABLE.items():
        for role in [role for role in Role if role >= row.least]:
            answer = hall.ask(hall.browser(role, control=row.control), role, route)
            if answer.status_code in REFUSALS or answer.status_code >= 500:
                wrong.append(f"{route} by {role.name}: {answer.status_code} {answer.text[:200]}")
    assert wrong == []


def test_a_locked_screen_can_stop_and_be_unlocked_and_nothing_else(hall: Hall) -> None:
    wrong = []
    for route, row in TABLE.items():
        browser = hall.browser(ADMINISTRATOR, control=row.control, locked=True)
        before = hall.happened()
        answer = hall.ask(browser, ADMINISTRATOR, route)
        if row.locked and (answer.status_code in REFUSALS or answer.status_code >= 500):
            wrong.append(f"{route}: {answer.status_code}")
        if not row.locked and (answer.status_code != 423 or hall.happened() != before):
            wrong.append(f"{route}: {answer.status_code}")
    assert wrong == []


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "http://127.0.0.1:81"])
def test_what_changes_something_comes_from_our_own_page(hall: Hall, origin: str | None) -> None:
    wrong = []
    for route, row in TABLE.items():
        if route.startswith("GET"):
            continue
        browser = hall.browser(ADMINISTRATOR, control=row.control)
        if origin is None:
            del browser.headers["x-armillary"]
        before = hall.happened()
        answer = hall.ask(browser, ADMINISTRATOR, route, **({"origin": origin} if origin is not None else {}))
        if answer.status_code != 403 or hall.happened() != before:
            wrong.append(f"{route}: {answer.status_code}")
    assert wrong == []


def said_to(browser: Browser, message: Message) -> list[Any]:
    """What a browser is told before it hears that the link lives."""
    with browser.websocket_connect("/ws") as link:
        link.send_text(encode(message))
        link.send_text(encode(Ping(99)))
        said = []
        while (told := link.receive_json()) != ["pong", 99]:
            said.append(told)
    return said


@pytest.mark.parametrize("kind", FROM_BROWSER, ids=lambda kind: kind.key)
def test_a_message_is_heard_from_its_role_on_with_control_where_it_needs_it(hall: Hall, kind: type[Message]) -> None:
    hall.desk.take_frame = lambda _: None  # as if a source were chosen that is given frames
    message, least, control = MESSAGES[kind]
    with pytest.raises(WebSocketDisconnect), hall.browser(NOBODY).websocket_connect("/ws"):
        pass
    for role in list(Role)[1:]:
        for has in {False, control and role >= OPERATOR}:
            browser = hall.browser(role, control=has, beside=control and not has)
            before = hall.told, hall.audited, hall.desk.alarms.unseen
            refused = [told for told in said_to(browser, message) if told[:2] == ["notice", "refused"]]
            if role < least or (control and not has):
                assert refused, f"{kind.key} by {role.name} was heard"
                assert (hall.told, hall.audited, hall.desk.alarms.unseen) == before
            else:
                assert not refused, f"{kind.key} by {role.name}: {refused}"


def test_the_link_of_a_locked_screen_stops_and_moves_nothing(hall: Hall) -> None:
    for kind, (message, least, control) in MESSAGES.items():
        browser = hall.browser(ADMINISTRATOR, control=control, locked=True)
        refused = [told for told in said_to(browser, message) if told[:2] == ["notice", "refused"]]
        assert bool(refused) == (least > VIEWER), kind.key


def test_the_link_is_for_our_own_page(hall: Hall) -> None:
    for origin in ("http://evil.example", "null"):
        with (
            pytest.raises(WebSocketDisconnect),
            hall.browser(ADMINISTRATOR).websocket_connect("/ws", headers={"origin": origin}),
        ):
            pass


def test_what_needs_no_log_in_says_nothing_of_the_cell(hall: Hall) -> None:
    nobody = hall.browser(NOBODY, beside=True)
    secrets = {"cobot6", "Hilda", str(hall.desk.place), str(hall.desk.folder)}
    secrets |= set(hall.desk.cell.model.joints)
    texts = {path: nobody.get(path) for path in ("/api/openapi.json", "/", "/api/session")}
    for path, answer in texts.items():
        if path == "/" and not PAGE.is_dir():
            continue
        assert answer.status_code == 200
        assert [secret for secret in secrets if secret in answer.text] == [], path
    assert nobody.get("/api/session").json() == {
        "user": "", "role": "", "session": "", "local": False, "locked": False, "passwords": True, "has_password": False,
    }  # fmt: skip


def test_who_is_not_logged_in_cannot_keep_the_pendant_busy_with_much_to_read(hall: Hall) -> None:
    much = "[" + "[]," * 100_000 + "[]]"
    headers = {"content-type": "application/json"}
    assert hall.browser(NOBODY).post("/api/stop", content=much, headers=headers).status_code == 413
    assert hall.browser(VIEWER).post("/api/stop", content=much, headers=headers).status_code == 422
    for length in (b"9" * 5000, "²".encode("latin-1"), b"-1"):  # no number, or none that can be read
        assert hall.browser(VIEWER).post("/api/stop", headers={b"content-length": length}).status_code == 413
