"""The requests keep to their OpenAPI document, whatever is asked: answers as they are declared, and never a failure of ours."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from armillary.cell import Cell
from armillary.interfaces.http.app import make_app
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS
from armillary.interfaces.http.sessions import Sessions
from armillary.interfaces.http.users import UserStore
from armillary.runtime import State
from armillary.runtime.prepared import prepare
from tests.interfaces.http.conftest import ASIDE, HEADERS, HOME, SESSION, Browser
from tests.interfaces.http.test_permissions import TABLE

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
OPERATIONS = sorted(
    f"{method} /api{route.path}"
    for router in ROUTERS
    for route in iter_route_contexts(router.routes)
    for method in route.methods or ()
)
Q, ASIDE_Q = HOME.tolist(), ASIDE.tolist()
PASSWORD = "quite long enough"
PROGRAMS = {"a.ngc": "G21 G90\nG1 X400 Y100 Z300 F3000\n", "b.arm": "MOVJ here\n"}
NAMES = {
    "programs": list(PROGRAMS), "run": list(PROGRAMS), "points": ["here", "there"], "paths": ["along"], "users": ["Nina", "Ada"],
    "frames": ["base"], "login": ["Ada"],
}  # fmt: skip
KNOWN: dict[str, list[Any]] = {
    "point": ["here"], "names": [["here"], ["line:here", "there"]], "frame": ["", "base"], "password": [PASSWORD],
    "joints": [Q, ASIDE_Q], "by": [[0.01] * 6], "touches": [[Q, ASIDE_Q] * 2], "offsets": [[0.0] * 6], "marks": [Q],
    "xyz": [[0.4, 0.1, 0.3]], "rpy": [[3.0, 0.1, 0.0]], "text": [None, *PROGRAMS.values()], "version": [None],
    "old": [PASSWORD], "line": ["G4 P0", "#1=2", "G91 G0 Z-1", "MOVJ here"],
}  # fmt: skip
ALL = list(HealthCheck)  # of how long generation takes: a busy machine's matter
# What JSON, or Python's reading of it, has beyond any document: half a character, no number, more than a float, a deep well.
ODD = ('"\\ud800"', '"\\u0000"', "NaN", "1e999", "9" * 400, "[" * 3000 + "]" * 3000)
EXAMPLES = {GenerationMode.POSITIVE: 10, GenerationMode.NEGATIVE: 4}


@schemathesis.serializer("application/zip")
def as_it_is(_: Any, value: Any) -> bytes:
    """A back-up that is brought back: bytes of any kind."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


@pytest.fixture(scope="module")
def pendant(running: Cell, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """One for all that is asked here."""
    place = tmp_path_factory.mktemp("pendant")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(place / "state"))  # points that are taught here are no other test's
        desk = Desk(running.station.folder, prepare(running.station.settings), place)
        app = make_app(desk, Sessions(), UserStore(place), names=("testserver",))
        app.state.users.add("Ada", Role.ADMINISTRATOR, PASSWORD)
        app.state.users.add("Nina", Role.VIEWER, PASSWORD)
        yield app
        desk.end_program()
        desk.close()


@pytest.fixture(scope="module")
def document(pendant: FastAPI) -> BaseSchema:
    return schemathesis.openapi.from_asgi("/api/openapi.json", pendant)


@pytest.fixture
def ready(pendant: FastAPI) -> None:
    """The robot stands and is ready, with programs and points, whatever was asked before."""
    desk: Desk = pendant.state.desk
    desk.end_program()
    desk.cell.take_control("the test", force=True)
    desk.cell.stop()
    if desk.cell.state.state == State.FAULTED:
        desk.cell.reset()
    if desk.cell.state.state in (State.OFF, State.STOPPED):
        desk.cell.power_on()
    desk.cell.wait()
    desk.set_mode("automatic")
    somebody = Browser(pendant, "Ada", Role.ADMINISTRATOR)  # what is there already is there still: refused, then
    for name, text in PROGRAMS.items():
        somebody.put("/api/programs/file", json={"name": name, "text": text})
    for name in NAMES["points"]:
        somebody.post("/api/points", json={"name": name})


def administrator(pendant: FastAPI) -> str:
    """The secret of a new session that has control: the one before may have been logged out, or locked."""
    secret: str = pendant.state.sessions.begin("Ada", Role.ADMINISTRATOR)
    pendant.state.desk.lease.holder = pendant.state.sessions.of(secret)
    return secret


def sensible(asked: Any, known: dict[str, list[Any]], data: st.DataObject) -> Any:
    """A request with some of its values exchanged for such as exist: else most would end at the first name."""
    if not isinstance(asked, dict):
        return asked
    return {
        key: data.draw(st.sampled_from([value, *known[key]])) if key in known else sensible(value, known, data)
        for key, value in asked.items()
    }


def modes_of(operation: APIOperation[Any, Any, Any, Any]) -> list[GenerationMode]:
    """Sound requests, and such as break the document, where one can: not where nothing is said, nor with a file's bytes."""
    can = bool(operation.body or operation.query or operation.path_parameters) and operation.label != "POST /api/restore"
    return [GenerationMode.POSITIVE, GenerationMode.NEGATIVE] if can else [GenerationMode.POSITIVE]


def test_the_document_has_every_request(document: BaseSchema) -> None:
    assert sorted(f"{method.upper()} {path}" for path, methods in document.items() for method in methods) == OPERATIONS


def ask_all(operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode, pendant: FastAPI) -> None:
    """Some requests of a mode, each answer held to the document."""
    names = NAMES.get(operation.label.split("/")[2], [])
    known = {**KNOWN, "name": names, "to": names}

    @settings(max_examples=EXAMPLES[mode], deadline=None, database=None, derandomize=True, suppress_health_check=ALL)
    @given(case=operation.as_strategy(mode), data=st.data())
    def ask(case: schemathesis.Case[Any], data: st.DataObject) -> None:
        if mode == GenerationMode.POSITIVE:
            case.body, case.query = (sensible(part, known, data) for part in (case.body, case.query))
        case.call_and_validate(headers=HEADERS, cookies={SESSION: administrator(pendant)}, checks=CHECKS)

    ask()


@pytest.mark.slow  # half a minute all together
@pytest.mark.parametrize("label", OPERATIONS)
@pytest.mark.usefixtures("ready")
def test_an_answer_is_as_declared(label: str, pendant: FastAPI, document: BaseSchema) -> None:
    operation = document.find_operation_by_label(label)
    assert operation is not None
    for mode in modes_of(operation):
        ask_all(operation, mode, pendant)


@pytest.mark.slow
@pytest.mark.usefixtures("ready")
def test_what_no_document_speaks_of_is_refused_in_words(pendant: FastAPI) -> None:
    wrong, browser = [], Browser(pendant)
    for route, row in TABLE.items():
        method, path = route.split(" ")
        for key in row.json or ():
            for odd in ODD:
                text = json.dumps({**row.json, key: "HERE"}).replace('"HERE"', odd)
                headers = {"content-type": "application/json", "cookie": f"{SESSION}={administrator(pendant)}"}
                answer = browser.request(method, path, content=text, headers=headers)
                if answer.status_code >= 500:
                    wrong.append(f"{route}: {key} as {odd[:20]}: {answer.status_code}")
    assert wrong == []
