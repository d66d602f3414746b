"""Inputs and outputs over HTTP."""

import time
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI

from armillary.interfaces.http.broadcast import io_of
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, io
from tests.interfaces.http.conftest import Browser


@pytest.fixture(autouse=True)
def _routes(app: FastAPI) -> Iterator[None]:
    if io.router not in ROUTERS:
        app.include_router(io.router, prefix="/api")
    yield
    cell = app.state.desk.cell
    cell.take_control("the test", force=True)
    cell.set_output(1, False)
    cell.set_output(0, 0.0)
    cell.simulate_input(1, None)
    cell.simulate_input(0, None, analog=True)


def until(so: Callable[[], bool]) -> bool:
    """Whether something comes to be so, in a while."""
    end = time.monotonic() + 10.0
    while not so() and time.monotonic() < end:
        time.sleep(0.01)
    return so()


def test_outputs_are_set_and_it_is_known_by_whom(app: FastAPI, operator: Browser) -> None:
    cell = app.state.desk.cell
    assert operator.post("/api/io/output", json={"index": 1, "value": True}).status_code == 200
    assert operator.post("/api/io/output", json={"index": 0, "value": 2}).status_code == 200
    assert until(lambda: cell.state.outputs[1] and cell.state.analog_outputs[0] == 2.0)
    assert [(each.who, each.what) for each in app.state.desk.audit.newest(2)] == [
        ("Olga", "sets output 0 to 2"), ("Olga", "sets output 1 to on"),
    ]  # fmt: skip


def test_inputs_of_a_simulated_motor_side_are_held_and_let_go(app: FastAPI, operator: Browser) -> None:
    cell = app.state.desk.cell
    assert operator.post("/api/io/input", json={"index": 1, "value": True}).status_code == 200
    assert operator.post("/api/io/input", json={"index": 0, "value": 1.5}).status_code == 200
    assert until(lambda: cell.input(1) and cell.analog_input(0) == 1.5)
    said = io_of(cell.station.state)
    assert said.forced == (1,) and said.forced_analog == (0,), "every browser is told"
    assert operator.post("/api/io/input", json={"index": 1, "value": None}).status_code == 200
    assert operator.post("/api/io/input", json={"index": 0, "value": None, "analog": True}).status_code == 200
    assert until(lambda: not cell.input(1) and cell.analog_input(0) != 1.5)


def test_one_that_is_not_there_is_said_and_what_is_no_value_is_not_taken(operator: Browser) -> None:
    missing = operator.post("/api/io/output", json={"index": 500, "value": True})
    assert missing.status_code == 409 and "no digital output 500" in missing.json()["detail"]
    for value in ("on", None, [True]):
        assert operator.post("/api/io/output", json={"index": 0, "value": value}).status_code == 422
    assert operator.post("/api/io/output", json={"index": -1, "value": True}).status_code == 422
    assert operator.post("/api/io/input", json={"index": True, "value": True}).status_code == 422


def test_it_needs_control(app: FastAPI, operator: Browser) -> None:
    other = Browser(app, "Otto", Role.OPERATOR)
    for path in ("output", "input"):
        assert other.post(f"/api/io/{path}", json={"index": 0, "value": True}).status_code == 403
        assert Browser(app, "Vera", Role.VIEWER).post(f"/api/io/{path}", json={"index": 0, "value": True}).status_code == 403
