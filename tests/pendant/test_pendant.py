"""The pendant in Chromium, before the real station with its physics twin."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.runtime import State
from tests.pendant.conftest import MOVE, Pendant, enter
from tests.pendant.holding import MINUS, PLUS, centre, hold
from tests.pendant.relay import Relay
from tests.pendant.speed_watch import SpeedWatch

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.alone]
MAKE_USER = """async (user) => (await fetch('/api/users', {method: 'POST', headers: {'x-armillary': '1',
    'content-type': 'application/json'}, body: JSON.stringify(user)})).status"""


def test_the_link_lets_one_in_once(pendant: Pendant, browser: Any, cell: Cell, relay: Relay) -> None:
    context = browser.new_context()
    other = enter(context, cell, relay)  # the link has been used
    other.page.locator(".sheet").wait_for()
    assert "has been used" in other.page.locator("[role=alert]").inner_text()
    before = int(cell.station.state["stops"])
    other.page.locator("[data-stop]").click()  # even he can stop
    pendant.until(lambda: int(cell.station.state["stops"]) > before)
    context.close()


def test_the_robot_is_drawn(pendant: Pendant) -> None:
    pendant.until(lambda: pendant.page.evaluate("window.armillaryView?.ready && window.armillaryView.frames > 0"))
    assert pendant.page.evaluate("window.armillaryView.triangles") > 500
    picture = pendant.page.locator("main.view").screenshot()
    import io

    from matplotlib import image

    pixels = image.imread(io.BytesIO(picture))[..., :3]
    middle = pixels[pixels.shape[0] // 4 : 3 * pixels.shape[0] // 4, pixels.shape[1] // 4 : 3 * pixels.shape[1] // 4]
    assert (middle.mean(axis=2) > 0.5).mean() > 0.01, "a light robot stands before a dark ground"


def test_three_points_are_taught_gone_to_and_played(pendant: Pendant) -> None:
    taught = []
    for k in range(3):
        pendant.open("move")
        hold(pendant, PLUS)
        pendant.page.mouse.up()
        pendant.until(lambda: not pendant.moves() and State(int(pendant.cell.station.state["state"])) == State.READY)
        pendant.open("teach")
        pendant.page.locator("input[name=point]").fill(f"spot_{k}")
        pendant.page.locator("[data-teach]").click()
        pendant.page.locator(f"[data-point=spot_{k}]").wait_for()
        taught.append(pendant.q)
    assert abs(taught[2][0] - taught[0][0]) > 0.02
    point = pendant.page.locator("[data-point=spot_0]")
    if not point.locator("[data-preview]").count():
        point.locator("button").first.click()
    point.locator("[data-preview]").click()
    go = point.locator(".go .hold")
    pendant.until(go.is_enabled)
    box = go.bounding_box()
    pendant.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    pendant.page.mouse.down()
    pendant.until(lambda: np.abs(pendant.q - taught[0]).max() < 5e-3 and not pendant.moves())
    pendant.page.mouse.up()
    pendant.choose_mode("automatic")
    program(pendant, "spots.arm", "MOVEJ spot_1\nMOVEJ spot_2\nMOVEJ spot_0\nMOVEJ spot_2\n")
    pendant.run_to_the_end(60.0)
    assert pendant.ask("/runs")[0]["moves"] == 4
    assert np.abs(pendant.q - taught[2]).max() < 1e-3


def program(pendant: Pendant, name: str, text: str) -> None:
    """Write a program and open it, as the page does."""
    saved = pendant.page.evaluate(
        """async ([name, text]) => (await fetch('/api/programs/file', {method: 'PUT', headers: {'x-armillary': '1',
        'content-type': 'application/json'}, body: JSON.stringify({name, text, version: null})})).status""",
        [name, text],
    )
    assert saved in (200, 409)
    pendant.open_program(name)


def test_paper_fives_program_is_run_and_its_line_shown(pendant: Pendant) -> None:
    pendant.go_home()
    pendant.open_program("paper5.ngc")
    pendant.page.locator(".cm-content").click()
    pendant.page.keyboard.press("Control+End")
    pendant.page.keyboard.type("(edited here)")
    pendant.page.locator("[data-save]").click()
    pendant.until(lambda: pendant.page.locator("[data-saved]").count() == 1)
    assert pendant.ask("/programs/file?name=paper5.ngc")["text"].endswith("(edited here)")
    # A little slowly: a machine that also draws in software keeps the twin waiting.
    pendant.page.locator(".top input[type=range]").fill("80")
    pendant.until(lambda: float(pendant.cell.station.state["rate"]) == 0.8)
    lines = pendant.run_to_the_end(120.0)
    assert {str(line) for line in range(4, 12)} <= lines, "all eight moves were driven"
    pendant.page.locator(".top input[type=range]").fill("100")
    pendant.until(lambda: float(pendant.cell.station.state["rate"]) == 1.0)


def test_an_error_stands_at_its_line_and_nothing_moves(pendant: Pendant) -> None:
    program(pendant, "wrong.ngc", "G21 G90\nG1 X100 F600\nG1 X[1 Y2\nM2\n")
    pendant.page.locator("[data-do=check]").click()
    pendant.until(lambda: pendant.page.locator("[data-problems]:not([data-problems='0'])").count() == 1)
    shadows = "[...document.querySelectorAll('*')].filter(e => e.shadowRoot).map(e => e.shadowRoot.textContent).join(' ')"
    said = "'y' is no operator in an expression; expected ] or an operator"
    pendant.until(lambda: said in pendant.page.evaluate(shadows))
    assert pendant.page.locator("button:has([data-do=run])").is_disabled() and not pendant.moves()


def test_stop_latches_and_reset_leads_out_of_a_fault(pendant: Pendant, cell: Cell) -> None:
    pendant.choose_mode("automatic")
    program(pendant, "there_and_back.arm", "FOR i = 1 TO 100\nDMOVEJ 20 0 0 0 0 0\nDMOVEJ -20 0 0 0 0 0\nEND\n")
    pendant.page.locator("[data-do=run]").click()
    pendant.until(pendant.moves)
    pendant.page.keyboard.press("Escape")
    pendant.until(lambda: not pendant.moves())
    pendant.until(lambda: pendant.ask("/runs")[0]["ended"] == "stopped")
    pendant.until(lambda: pendant.page.locator("[data-state=STOPPED]").count() == 1)
    assert pendant.page.locator(".stop.latched").count() == 1
    pendant.open("move")
    here = cell.station.state["q"].copy()
    pendant.page.mouse.move(*centre(pendant, PLUS))
    pendant.page.mouse.down()
    pendant.page.wait_for_timeout(600)
    pendant.page.mouse.up()
    assert np.abs(cell.station.state["q"] - here).max() < 1e-9, "a latched stop is not left by the next press"
    pendant.page.locator("[data-way-out]").click()
    pendant.until(lambda: pendant.page.locator("[data-state=READY]").count() == 1)
    import os
    import signal

    os.kill(int(cell.station.processes["executor"]["pid"]), signal.SIGKILL)
    pendant.until(lambda: pendant.page.locator("[data-state=FAULTED]").count() == 1)
    pendant.page.locator("[data-way-out]").click()
    pendant.until(lambda: pendant.page.locator("[data-state=READY]").count() == 1)


def plotted(pendant: Pendant, line: str) -> np.ndarray:
    """What the plots show of a line, as their own CSV says it."""
    with pendant.page.expect_download() as got:
        pendant.page.locator("[data-csv]").click()
    head, *rows = Path(got.value.path()).read_text(encoding="utf-8").splitlines()
    column = next(number for number, name in enumerate(head.split(",")) if name.lower().startswith(line))
    return np.array([float(row.split(",")[column]) for row in rows if row and row.split(",")[column]])


def test_plots_have_what_the_robot_does(pendant: Pendant) -> None:
    pendant.open("move")
    begin = pendant.q[0]
    hold(pendant, MINUS)()
    pendant.until(lambda: not pendant.moves())
    pendant.open("plots")
    pendant.page.locator("[data-plot]").first.wait_for()
    for chip in ("position", "joint_1"):
        button = pendant.page.locator(f'[data-chip="{chip}"]')
        if button.get_attribute("aria-pressed") != "true":
            button.click()
    pendant.until(lambda: pendant.page.locator("[data-csv]").is_enabled())
    seen = plotted(pendant, "j1 position")
    assert len(seen) > 10
    assert np.degrees(begin) == pytest.approx(seen.max(), abs=0.5), "it was seen where it began"
    assert np.degrees(pendant.q[0]) == pytest.approx(seen[-1], abs=0.5), "and where it ended"


PICTURE = "() => document.querySelector('[data-plot=position] canvas').toDataURL()"


def test_plots_move_while_the_robot_does_and_are_handed_out_as_a_picture(pendant: Pendant) -> None:
    pendant.open("plots")
    pendant.page.locator("[data-plot=position] canvas").wait_for()
    pendant.choose_mode("automatic")
    goal = pendant.q
    goal[0] += 0.3 if goal[0] < 0.0 else -0.3
    assert pendant.page.evaluate(MOVE, goal.tolist()) == 200
    seen = set[str]()

    def differs() -> bool:
        seen.add(pendant.page.evaluate(PICTURE))
        return len(seen) >= 4

    pendant.until(differs)
    pendant.until(lambda: not pendant.cell.station.state["moves"])
    with pendant.page.expect_download() as got:
        pendant.page.locator("[data-png]").click()
    from matplotlib import image

    pixels = image.imread(Path(got.value.path()), format="png")
    assert got.value.suggested_filename.endswith(".png") and pixels.shape[0] > 200 and pixels.shape[1] > 300
    assert pixels[..., :3].std() > 0.01, "something is drawn in it"


def test_a_path_is_recorded_and_played_and_points_become_a_program(pendant: Pendant) -> None:
    page = pendant.page
    pendant.go_home()
    pendant.open("teach")
    page.locator(".teaching > .choice button").nth(1).click()
    page.locator("input[name=path]").fill("there")
    page.locator("[data-record]").click()
    page.locator("[data-finish]").wait_for()
    begin, goal = pendant.q, pendant.q
    goal[0] += 0.2
    assert page.evaluate(MOVE, goal.tolist()) == 200
    pendant.until(lambda: np.abs(pendant.q - goal).max() < 1e-3 and not pendant.cell.station.state["moves"])
    page.locator("[data-finish]").click()
    play = page.locator("[data-path=there] .go button").first
    play.wait_for()
    with SpeedWatch(pendant.cell) as watch:
        play.click()
        pendant.until(lambda: np.abs(pendant.q - begin).max() < 5e-3)  # it is played from where it began
        pendant.until(lambda: np.abs(pendant.q - goal).max() < 5e-3 and not pendant.moves())
    assert watch.stands_at_the_end()
    page.locator(".teaching > .choice button").nth(0).click()
    page.locator("input[name=point]").fill("shelf")
    page.locator("[data-teach]").click()
    page.locator("[data-point=shelf]").wait_for()
    page.locator(".teaching > .choice button").nth(2).click()
    page.locator("[data-add=shelf]").click()
    page.locator("[data-convert]").click()
    page.locator(".made input[name=file]").fill("shelf.arm")
    page.locator(".made [data-save]").click()
    page.locator("[data-to-program]").click()
    pendant.until(lambda: "shelf.arm" in page.locator("[data-file]").inner_text())
    assert "shelf" in pendant.ask("/programs/file?name=shelf.arm")["text"]
    assert "shelf" in page.locator(".cm-content").inner_text()


def test_two_browsers_and_one_lease(
    pendant: Pendant, browser: Any, cell: Cell, relay: Relay, state_of_administrator: Any
) -> None:
    for name, role in (("Ada", "administrator"), ("Olga", "operator"), ("Vera", "viewer")):
        assert pendant.page.evaluate(MAKE_USER, {"name": name, "role": role, "password": "correct horse"}) in (200, 409)
    context = browser.new_context(locale="en-US", viewport={"width": 1024, "height": 600})
    context.add_init_script("localStorage.setItem('toured', '1'); localStorage.setItem('language', 'en')")
    other = enter(context, cell, relay, link=False)
    other.page.locator("input[name=name]").fill("Olga")
    other.page.locator("input[name=password]").fill("wrong horse")
    other.page.locator("button[type=submit]").click()
    other.until(lambda: "do not go together" in other.page.locator("[role=alert]").inner_text())
    other.page.locator("input[name=password]").fill("correct horse")
    other.page.locator("button[type=submit]").click()
    other.page.locator(".top").wait_for()
    other.page.locator("[data-control]").click()
    other.until(lambda: "has been asked" in other.page.locator(".toast").inner_text())
    pendant.until(lambda: "Olga asks" in pendant.page.locator(".top").inner_text())
    pendant.page.locator(".top button.pill.bad").click()
    other.until(lambda: other.page.locator("[data-control] b").inner_text() == "you")  # it is given to who has asked
    pendant.until(lambda: pendant.page.locator("[data-control] b").inner_text() == "Olga")
    assert other.page.locator("[data-page=users]").count() == 1
    context.close()
    viewer = browser.new_context(locale="en-US")
    third = enter(viewer, cell, relay, link=False)
    third.page.locator("input[name=name]").fill("Vera")
    third.page.locator("input[name=password]").fill("correct horse")
    third.page.locator("button[type=submit]").click()
    third.page.locator(".top").wait_for()
    assert third.page.locator("[data-control]").is_disabled()
    viewer.close()


def test_chinese(pendant: Pendant) -> None:
    pendant.page.locator("[data-menu]").click()
    pendant.page.get_by_text("中文").click()
    pendant.until(lambda: "移动" in pendant.page.locator(".rail").inner_text())
    assert "停止" in pendant.page.locator("[data-stop]").inner_text()
    pendant.page.evaluate("localStorage.setItem('language', 'en')")


def test_the_tour_of_a_first_start_leads_through_jog_teach_and_run(pendant: Pendant) -> None:
    program(pendant, "first.arm", "DMOVEJ 3 0 0 0 0 0\nDMOVEJ -3 0 0 0 0 0\n")
    pendant.page.context.add_init_script("localStorage.removeItem('toured')")
    pendant.page.reload()
    card = pendant.page.locator("[data-tour-step]")

    def comes(step: str) -> None:
        pendant.until(lambda: card.get_attribute("data-tour-step") == step)

    comes("jog")
    assert pendant.page.locator("[data-stop]").is_visible()
    pendant.shot("tour")
    pendant.take_control()
    pendant.open("move")
    hold(pendant, PLUS)()
    comes("teach")
    pendant.until(lambda: not pendant.moves() and State(int(pendant.cell.station.state["state"])) == State.READY)
    pendant.open("teach")
    pendant.page.locator("input[name=point]").fill(f"tour_{time.time_ns()}")
    pendant.page.wait_for_timeout(2500)  # it counts the points before there is one more
    pendant.page.locator("[data-teach]").click()
    comes("run")
    pendant.choose_mode("automatic")
    pendant.open_program("first.arm")
    pendant.run_to_the_end(60.0)
    comes("done")
    pendant.page.locator("[data-tour-end]").click()
    pendant.until(lambda: card.count() == 0)
    assert pendant.page.evaluate("localStorage.getItem('toured')") == "1"


def test_the_tour_can_be_left(pendant: Pendant) -> None:
    pendant.page.context.add_init_script("localStorage.removeItem('toured')")
    pendant.page.reload()
    pendant.page.locator("[data-tour-skip]").click()
    pendant.until(lambda: pendant.page.locator("[data-tour-step]").count() == 0)


def test_a_programmer_writes_programs_and_manages_no_users(pendant: Pendant, browser: Any, cell: Cell, relay: Relay) -> None:
    for name, role in (("Ada", "administrator"), ("Petra", "programmer")):
        assert pendant.page.evaluate(MAKE_USER, {"name": name, "role": role, "password": "correct horse"}) in (200, 409)
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 800})
    context.add_init_script("localStorage.setItem('toured', '1'); localStorage.setItem('language', 'en')")
    petra = enter(context, cell, relay, link=False)
    petra.page.locator("input[name=name]").fill("Petra")
    petra.page.locator("input[name=password]").fill("correct horse")
    petra.page.locator("button[type=submit]").click()
    petra.page.locator(".top").wait_for()
    program(petra, "petras.arm", "DMOVEJ 1 0 0 0 0 0\n")
    petra.page.locator(".cm-content").click()
    petra.page.keyboard.press("Control+End")
    petra.page.keyboard.type("DMOVEJ -1 0 0 0 0 0")
    petra.page.locator("[data-save]").click()
    petra.until(lambda: petra.ask("/programs/file?name=petras.arm")["text"].endswith("DMOVEJ -1 0 0 0 0 0"))
    assert petra.page.evaluate(MAKE_USER, {"name": "Eve", "role": "viewer", "password": "correct horse"}) == 403
    petra.open("users")
    petra.page.wait_for_timeout(500)
    assert petra.page.locator("[data-person]").count() == 0 and petra.page.locator("[data-audit]").count() == 0
    petra.open("system")
    petra.page.locator("[data-tab=log]").wait_for()
    assert petra.page.locator("[data-tab=backup]").count() == 0 and petra.page.locator("[data-tab=workspace]").count() == 0
    context.close()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600), (390, 844)])
def test_every_page_at_three_sizes(pendant: Pendant, size: tuple[int, int]) -> None:
    page = pendant.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for name in ("move", "program", "teach", "plots", "io", "frames", "follow", "imitate", "users", "system"):
        pendant.open(name)
        page.wait_for_timeout(700)
        stop = page.locator("[data-stop]").bounding_box()
        assert stop["x"] >= 0 and stop["x"] + stop["width"] <= size[0] + 0.5 and stop["height"] >= 44, f"STOP is whole on {name}"
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{name} does not scroll sideways"
        pendant.shot(f"{name}_{size[0]}x{size[1]}")
