"""The pendant as a person has it: Debian's Chromium before a cell with its physics twin."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.http.app import PAGE
from armillary.runtime import State
from tests.pendant.relay import Relay

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=en-US",
]  # fmt: skip
MOVE = """async (joints) => (await fetch('/api/move', {method: 'POST', headers: {'x-armillary': '1',
    'content-type': 'application/json'}, body: JSON.stringify({goal: {joints}})})).status"""
PATIENCE = 30_000  # ms: a busy machine draws in software
SHOTS = Path(os.environ.get("ARMILLARY_SHOTS") or Path(__file__).parents[2] / "build" / "screenshots")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium; make peers installs it")
    if not (PAGE / "index.html").is_file():
        pytest.skip("the pendant's page is not built; make page")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, ignore_default_args=["--hide-scrollbars"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def robot() -> str:
    """Which one stands in the cell of a file's tests."""
    return "cobot6"


@pytest.fixture(scope="module")
def punctual() -> bool:
    """Whether the executor of a file's tests takes a core for itself; it sleeps between ticks otherwise."""
    return True


@pytest.fixture(scope="module")
def cell(robot: str, punctual: bool) -> Iterator[Cell]:
    """A robot in its twin. It bears a busy machine's pauses: there are no motors."""
    with Cell.open(robot, patience=5.0, low_power=not punctual, record=False, pendant={"port": 0}) as opened:
        opened.station.ask("give_control")
        yield opened


class Pendant:
    """A browser's page before the cell."""

    def __init__(self, page: Any, cell: Cell, relay: Relay) -> None:
        self.page, self.cell, self.relay = page, cell, relay

    def take_control(self) -> None:
        """Who had it may have gone just now: it is free some seconds later."""
        pill, end = self.page.locator("[data-control]"), time.monotonic() + 40.0
        self.until(pill.is_enabled)  # who has it is known then
        while pill.locator("b").inner_text() != "you":
            assert time.monotonic() < end, "control does not come"
            pill.click()
            for _ in range(100):  # it is said with the next state: a second click would give it back
                self.page.wait_for_timeout(50)
                if pill.locator("b").inner_text() == "you":
                    return

    def ask(self, path: str) -> Any:
        """What the page would get from the server."""
        return self.page.evaluate("async (path) => (await fetch(path)).json()", f"/api{path}")

    def choose_mode(self, mode: str) -> None:
        button = self.page.locator(".top .choice button").nth(("manual", "automatic").index(mode))
        if button.get_attribute("aria-pressed") != "true":
            button.click()
        self.until(lambda: button.get_attribute("aria-pressed") == "true")

    def open(self, name: str) -> None:
        self.page.locator(f"[data-page={name}]").click()

    @property
    def q(self) -> np.ndarray:
        return np.array(self.cell.station.state["q"])

    def moves(self) -> bool:
        return bool(np.abs(self.cell.station.state["v"]).max() > 1e-6)

    def until(self, what: Callable[[], object], seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, "it does not come"
            self.page.wait_for_timeout(20)

    def go_home(self) -> None:
        """Drive there in automatic mode: where the tests before left it, a program may have no way to begin from."""
        self.choose_mode("automatic")
        home = self.ask("/robot")["home"]
        assert self.page.evaluate(MOVE, home) == 200
        self.until(lambda: np.abs(self.q - home).max() < 1e-3 and not self.cell.station.state["moves"])

    def open_program(self, name: str) -> None:
        """One of the library, on the program page."""
        self.open("program")
        self.page.locator("[data-file]").click()
        self.page.locator(f'[data-entry="{name}"] button').first.click()
        self.until(lambda: name in self.page.locator("[data-file]").inner_text())

    def run_to_the_end(self, seconds: float) -> set[str]:
        """Run the open program; the lines that were driven."""
        run, stands = self.page.locator("[data-do=run]"), self.page.locator("[data-stands]")
        end = time.monotonic() + 30.0
        while self.page.locator("[data-looks]").count() or not run.is_enabled():
            assert time.monotonic() < end, stands.inner_text()  # why it cannot be run
            self.page.wait_for_timeout(50)
        run.click()
        end = time.monotonic() + 60.0
        while not self.moves():
            assert time.monotonic() < end, f"{stands.inner_text()}; {self.ask('/runs')[:1]}"
            self.page.wait_for_timeout(20)
        lines, end = set[str](), time.monotonic() + seconds
        while self.ask("/runs")[0]["ended"] == "running" and time.monotonic() < end:
            lines.add(bytes(self.cell.station.state["origin"]).decode().rpartition(":")[2])
            self.page.wait_for_timeout(50)
        assert self.ask("/runs")[0]["ended"] == "ended", self.ask("/runs")[0]["error"]
        return lines

    def shot(self, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")


def enter(context: Any, cell: Cell, relay: Relay, *, link: bool = True) -> Pendant:
    """A page that has come in by a link. The station's own has been used by the first: more are made by its administrator."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: pytest.fail(f"the page fails: {error}"))
    said = cell.station.pendant["link"].partition("#")[2]
    page.goto(f"http://127.0.0.1:{relay.port}/" + (f"#{said}" if link else ""))
    return Pendant(page, cell, relay)


@pytest.fixture(scope="module")
def relay(cell: Cell) -> Iterator[Relay]:
    made = Relay(int(cell.station.pendant["port"]))
    yield made
    made.close()


@pytest.fixture(scope="module")
def state_of_administrator(browser: Any, cell: Cell, relay: Relay) -> Any:
    """The cookie of who came by the link, for all tests: it lets one in only once."""
    context = browser.new_context()
    pendant = enter(context, cell, relay)
    pendant.page.locator(".top").wait_for()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def pendant(browser: Any, cell: Cell, relay: Relay, state_of_administrator: Any) -> Iterator[Pendant]:
    """A page of the administrator, in control, the robot ready and still."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, storage_state=state_of_administrator, has_touch=True, locale="en-US"
    )
    context.add_init_script("localStorage.setItem('toured', '1'); localStorage.setItem('language', 'en')")
    made = enter(context, cell, relay, link=False)
    made.page.locator(".top").wait_for()
    made.until(lambda: made.page.locator("[data-state]").get_attribute("data-state") is not None)
    made.take_control()
    if State(int(cell.station.state["state"])) != State.READY:
        made.page.locator("[data-way-out]").click()
        made.until(lambda: State(int(cell.station.state["state"])) == State.READY)
    made.choose_mode("manual")
    yield made
    made.shot("last")  # what was seen when a test failed
    relay.mend()
    context.close()
    end = time.monotonic() + 20.0
    while cell.station.state["moves"] and time.monotonic() < end:
        time.sleep(0.02)


if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
