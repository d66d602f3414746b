"""What is held moves the robot, and lets go of it at once: however it is let go, before the real station with its twin."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from tests.pendant.conftest import Pendant
from tests.pendant.holding import MINUS, PLUS, hold
from tests.pendant.speed_watch import SpeedWatch

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.alone]
STOPS = 0.1  # s after which what is held begins to stop, at the latest
STOPS_SURELY = 0.6  # s, however busy the machine is: no try may take longer


@pytest.fixture(scope="module")
def punctual() -> bool:
    """The pendant is measured here: a browser that draws in software needs the core that punctuality would take."""
    return False


NOTE = """(kind) => { window.noted = 0; window.addEventListener(kind, (event) => {
    window.noted = performance.timeOrigin + event.timeStamp }, {capture: true, once: true}) }"""


def happened(pendant: Pendant) -> float:
    """When the browser got the event that `NOTE` waited for, by our clock: how it got there is not the page's affair."""
    noted = float(pendant.page.evaluate("window.noted"))
    assert noted > 0.0, "the event did not come"
    return noted / 1e3 - time.time() + time.monotonic()


def lose_focus(pendant: Pendant) -> float:
    """Let another window come to the front, as a person does; when the page lost its focus [s, our clock]."""
    link = pendant.page.context.new_cdp_session(pendant.page)
    link.send("Emulation.setFocusEmulationEnabled", {"enabled": False})  # playwright lets every page believe that it has it
    pendant.page.bring_to_front()
    other = pendant.page.context.new_page()
    other.bring_to_front()
    pendant.until(lambda: float(pendant.page.evaluate("window.noted")) > 0.0)
    when = happened(pendant)
    other.close()
    pendant.page.bring_to_front()
    return when


def let_go(pendant: Pendant, way: str, release: Callable[[], object]) -> float:
    """Let go of a jog in some way; when [s, our clock]."""
    pendant.page.evaluate(
        NOTE, {"hidden": "visibilitychange", "blur": "blur", "focus": "blur", "key": "keyup"}.get(way, "pointerup")
    )
    now = time.monotonic()
    if way == "cut":
        pendant.relay.cut()
        return now
    if way in ("mouse", "touch", "key"):
        release()
    elif way == "focus":
        return lose_focus(pendant)
    elif way == "blur":
        pendant.page.evaluate("window.dispatchEvent(new Event('blur'))")
    else:
        pendant.page.evaluate(
            "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange')); delete document.visibilityState"
        )
    return happened(pendant)


@pytest.mark.parametrize("way", ["mouse", "touch", "key", "blur", "focus", "hidden", "cut"])
def test_a_jog_moves_and_stops_at_once(pendant: Pendant, way: str) -> None:
    pendant.open("move")
    took = list[float]()
    # The best of five: a busy machine that draws in software adds its pauses, and takes none away.
    for turn in range(12):
        begin = pendant.q[0]
        with SpeedWatch(pendant.cell) as watch:
            release = hold(pendant, PLUS if turn % 2 == 0 else MINUS, way)
            now = let_go(pendant, way, release)
            pendant.until(lambda: not pendant.moves())
        assert watch.stands_at_the_end()
        measured = watch.slows_after(now)
        if measured is not None:
            took.append(measured)
            assert (pendant.q[0] - begin) * (1 if turn % 2 == 0 else -1) > 0.01
        if way == "cut":
            pendant.until(lambda: pendant.page.locator(".banner").count() == 1)
            pendant.relay.mend()
            pendant.until(lambda: pendant.page.locator(".banner").count() == 0)
            place = pendant.q
            pendant.page.wait_for_timeout(500)
            assert np.array_equal(pendant.q, place), "nothing is sent again when the link is back"
        if way in ("blur", "focus", "hidden", "cut"):
            pendant.page.mouse.up()
        if len(took) == 5 or (took and min(took) < STOPS):
            break
    assert took, "it never went steadily until it was let go"
    assert min(took) < STOPS and max(took) < STOPS_SURELY, took
