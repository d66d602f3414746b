"""Something on the page is pressed and held: by the mouse, a finger or a key."""

import time
from collections.abc import Callable

import numpy as np

from tests.pendant.conftest import Pendant

__all__ = ["MINUS", "PLUS", "centre", "hold"]
PLUS, MINUS = ('[data-joint="joint_1"] [aria-label$="' + sign + '"]' for sign in "+\N{MINUS SIGN}")


def centre(pendant: Pendant, selector: str) -> tuple[float, float]:
    box = pendant.page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def press_until(pendant: Pendant, press: Callable[[], object], let_go: Callable[[], object], done: Callable[[], bool]) -> None:
    """Press, and again where a slow browser has cut a press: it moves nothing more then until it is let go."""
    for _ in range(8):
        press()
        end = time.monotonic() + 5.0
        while time.monotonic() < end:
            if done():
                return
            pendant.page.wait_for_timeout(20)
        let_go()
        pendant.page.wait_for_timeout(300)
    raise AssertionError("it does not come")


def hold(pendant: Pendant, selector: str, by: str = "mouse") -> Callable[[], object]:
    """Press with the mouse, a finger or a key, and wait until the robot moves steadily; what lets go."""
    (x, y), page = centre(pendant, selector), pendant.page
    if by == "touch":
        link = page.context.new_cdp_session(page)

        def touch(kind: str, *points: dict[str, float]) -> None:
            link.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        press, release = (lambda: touch("touchStart", {"x": x, "y": y})), (lambda: touch("touchEnd"))
    elif by == "key":

        def press_key() -> None:
            page.locator(selector).first.focus()  # anew: a button that was off for a moment has lost it
            page.keyboard.down("Space")

        press, release = press_key, (lambda: page.keyboard.up("Space"))
    else:
        page.mouse.move(x, y)
        press, release = page.mouse.down, page.mouse.up
    press_until(pendant, press, release, lambda: bool(np.abs(pendant.cell.station.state["v"]).max() > 0.03))
    page.wait_for_timeout(400)
    return release
