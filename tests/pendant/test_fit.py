"""The pendant fits the finger, the screen and the language: on every page, measured in Chromium."""

import os
import re
import signal
from typing import Any

import pytest

from armillary.cell import Cell
from tests.pendant.conftest import MOVE, Pendant, enter
from tests.pendant.holding import PLUS
from tests.pendant.relay import Relay

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.alone]
PAGES = ("move", "program", "teach", "plots", "io", "frames", "follow", "imitate", "users", "system")
TABS = ("overview", "latency", "alarms", "log", "recordings", "backup", "workspace")
LEAST = 45.0  # px: 12 mm of a screen with 96 px an inch
LEAST_OF_TABLET = 62.0  # px: 12 mm of one with 132 px an inch
# What is touched by its label is as large as that; what reaches beyond what is seen of it is probed. Text in the code editor
# and what stands beside it lies in a shadow root, and is no target of its own.
SMALL = """(least) => {
  const found = [];
  for (const each of document.querySelectorAll('button, input, select, textarea, summary, a[href]')) {
    if (!each.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const target = each.type === 'range' ? each : each.closest('label') ?? each;
    target.scrollIntoView({block: 'nearest', inline: 'nearest'});
    const box = target.getBoundingClientRect(), half = least / 2 - 0.5;
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const hits = (right, down) => target.contains(document.elementFromPoint(x + right, y + down));
    const wide = box.width >= least || (hits(-half, 0) && hits(half, 0));
    const high = box.height >= least || (hits(0, -half) && hits(0, half));
    const name = [each.tagName, each.className, each.getAttribute('aria-label') ?? '', each.textContent.slice(0, 30)].join(' ');
    if (!wide || !high) found.push(`${name}: ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
  }
  return found;
}"""
TEXTS = """() => {
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) if (walk.currentNode.parentElement?.checkVisibility()) found.push(walk.currentNode.textContent);
  for (const name of ['title', 'aria-label', 'placeholder'])
    for (const each of document.querySelectorAll(`[${name}]`)) found.push(each.getAttribute(name));
  return found;
}"""
# Words that are typed as they are: commands of the shell, files, and what people and the machine are called.
NAMES = re.compile(r"armillary \w+( [\w./-]+)*|/[\w./-]+|Linux[\w .-]*|Python [\d.]+|SCHED_FIFO")
ENGLISH = re.compile(r"[A-Za-z]{2,}[ ,]+[A-Za-z]{2,}")


def see(pendant: Pendant, size: tuple[int, int]) -> None:
    pendant.page.set_viewport_size({"width": size[0], "height": size[1]})


def too_small(pendant: Pendant, least: float) -> list[str]:
    """What is smaller than a finger on any page [px]."""
    small = list[str]()
    for name in PAGES:
        pendant.open(name)
        pendant.page.wait_for_timeout(700)
        small += [f"{name}: {each}" for each in pendant.page.evaluate(SMALL, least)]
    for tab in TABS:  # of System, which is open
        pendant.page.locator(f"[data-tab={tab}]").click()
        pendant.page.wait_for_timeout(500)
        small += [f"system, {tab}: {each}" for each in pendant.page.evaluate(SMALL, least)]
    pendant.page.locator("[data-menu]").click()
    pendant.page.wait_for_timeout(300)
    small += [f"menu: {each}" for each in pendant.page.locator(".sheet").evaluate(SMALL.replace("(least)", "(_, least)"), least)]
    return small


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600), (390, 844)])
def test_whatever_is_touched_is_as_large_as_a_finger(pendant: Pendant, size: tuple[int, int]) -> None:
    see(pendant, size)
    assert too_small(pendant, LEAST) == []


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600)])
def test_on_a_tablet_it_is_as_large_as_a_finger_there(
    browser: Any, cell: Cell, relay: Relay, state_of_administrator: Any, size: tuple[int, int]
) -> None:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, storage_state=state_of_administrator, has_touch=True, is_mobile=True,
        locale="en-US",
    )  # fmt: skip
    context.add_init_script("localStorage.setItem('toured', '1'); localStorage.setItem('language', 'en')")
    tablet = enter(context, cell, relay, link=False)
    tablet.page.locator(".top").wait_for()
    tablet.take_control()
    assert tablet.page.evaluate("matchMedia('(pointer: coarse)').matches && innerWidth") == size[0]
    stop = tablet.page.locator("[data-stop]").bounding_box()
    assert stop["x"] + stop["width"] <= size[0] + 0.5 and "Esc" not in tablet.page.locator("[data-stop]").inner_text()
    small = too_small(tablet, LEAST_OF_TABLET)
    tablet.shot(f"tablet_{size[0]}x{size[1]}")
    context.close()
    assert small == []


def test_a_phone_shows_all_that_is_always_on_screen(pendant: Pendant) -> None:
    see(pendant, (390, 844))
    pendant.page.wait_for_timeout(500)
    line = pendant.page.locator(".second-line")
    parts = ("[data-power-off]", ".choice", "input.feed", ".feed-rate", "[data-alarms]", "[data-link-age]")
    shown = [pendant.page.locator(each).first for each in (".top [data-state]", ".top [data-control]", "[data-stop] span")]
    shown += [line.locator(each).first for each in parts]
    for each in [*shown, *line.locator("> span").all()]:
        box = each.bounding_box()
        assert box is not None and box["x"] >= 0.0 and box["x"] + box["width"] <= 390.5 and box["height"] > 8.0, each
    assert line.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    said = line.inner_text()
    assert "100 %" in said and "tool" in said and "frame" in said and "drives twin" in said and "cell cobot6" in said
    assert pendant.page.locator("[data-stop]").inner_text().split() == ["STOP", "not", "safety-rated"], "a phone has no Esc"
    buttons = pendant.page.locator(".view-buttons button:visible")
    assert buttons.count() == 1, "the picture is small"
    buttons.click()
    assert pendant.page.locator(".view-buttons button:visible").count() > 4
    pendant.page.locator("[data-fold]").click()


def test_a_large_screen_has_all_of_it_larger(pendant: Pendant) -> None:
    sizes = {}
    for size in ((1280, 800), (3840, 2160)):
        see(pendant, size)
        pendant.page.wait_for_timeout(500)
        read = "(each) => [parseFloat(getComputedStyle(each).fontSize), each.getBoundingClientRect().height]"
        sizes[size] = [
            pendant.page.locator(each).first.evaluate(read) for each in (PLUS, ".rail button", ".bottom", "[data-stop]")
        ]
    for (letter, height), (large, tall) in zip(sizes[(1280, 800)], sizes[(3840, 2160)], strict=True):
        assert large > 1.5 * letter and tall > 1.5 * height


def test_what_stays_is_drawn_finely_after_the_window_has_changed_too(pendant: Pendant) -> None:
    finely = "window.armillaryView.ready && window.armillaryView.ratio === 1.5"  # software draws no finer
    pendant.until(lambda: pendant.page.evaluate(finely))
    for size in ((1024, 600), (390, 844)):
        drawn = int(pendant.page.evaluate("window.armillaryView.frames"))
        see(pendant, size)
        anew = f"{finely} && window.armillaryView.frames > {drawn}"
        pendant.until(lambda anew=anew: pendant.page.evaluate(anew))  # type: ignore[misc]


PLACES = """() => ['[data-menu]', '[data-state]', '[data-power-off]', '.choice', 'input.feed', '[data-stop]'].map(
    (each) => document.querySelector('.top ' + each).getBoundingClientRect().left).concat(
    ['.rail', 'main.view', 'aside.panel', '.bottom', '.panel [data-joint]'].flatMap((each) => {
      const box = document.querySelector(each).getBoundingClientRect(); return [box.left, box.top, box.width];
    }))"""


def move(pendant: Pendant, by: float) -> None:
    """Drive the first joint somewhere [rad], in automatic mode: nothing has to be held by a browser that may be slow."""
    pendant.choose_mode("automatic")
    goal = pendant.q
    goal[0] += by
    assert pendant.page.evaluate(MOVE, goal.tolist()) == 200


def test_nothing_jumps_when_the_robot_moves_is_stopped_or_fails(pendant: Pendant) -> None:
    page = pendant.page
    pendant.open("move")
    page.locator(".top input[type=range]").fill("10")
    pendant.until(lambda: float(pendant.cell.station.state["rate"]) == 0.1)
    pendant.choose_mode("automatic")
    before = page.evaluate(PLACES)
    move(pendant, -0.5 if pendant.q[0] > 0.0 else 0.5)
    page.locator(".top [data-state=MOVING]").wait_for()
    assert page.evaluate(PLACES) == before
    power = page.locator(".top [data-power-off]")
    assert power.is_disabled() and "moves" in power.get_attribute("title")
    page.locator("[data-stop]").click()
    page.locator(".top [data-state=STOPPED]").wait_for()
    assert page.evaluate(PLACES) == before, "STOP and the way out of it push nothing away"
    page.locator("[data-way-out]").click()
    page.locator(".top [data-state=READY]").wait_for()
    assert (
        page.evaluate("async () => (await fetch('/api/nothing', {method: 'POST', headers: {'x-armillary': '1'}})).status") >= 400
    )
    page.locator(".top .choice button").nth(0).click()  # manual: nothing stands in the way of a jog any more
    pendant.until(lambda: page.locator(".top .choice button").nth(0).get_attribute("aria-pressed") == "true")
    page.locator('.panel [data-pose="X"]').fill("9000")
    page.locator("[data-pose-trouble]").wait_for()
    assert page.evaluate(PLACES) == before
    os.kill(int(pendant.cell.station.processes["executor"]["pid"]), signal.SIGKILL)
    page.locator(".top [data-state=FAULTED]").wait_for()
    assert page.evaluate(PLACES) == before, "a fault pushes nothing away"
    page.locator("[data-way-out]").click()
    page.locator(".top [data-state=READY]").wait_for()
    page.locator(".top input[type=range]").fill("100")
    pendant.until(lambda: float(pendant.cell.station.state["rate"]) == 1.0)


def test_a_word_about_something_covers_no_button_and_pushes_nothing(pendant: Pendant) -> None:
    page = pendant.page
    pendant.open("move")
    before = page.evaluate(PLACES)
    pendant.choose_mode("automatic")
    move(pendant, 0.3 if pendant.q[0] < 0.5 else -0.3)
    page.locator(".top .choice button").nth(0).click()  # refused: the robot moves
    toast = page.locator(".toast")
    toast.wait_for()
    assert page.evaluate(PLACES) == before
    said, view = toast.bounding_box(), page.locator("main.view").bounding_box()
    assert said["x"] >= view["x"] and said["x"] + said["width"] <= view["x"] + view["width"]
    pendant.until(lambda: not pendant.moves())


RING = """() => {
  const each = document.activeElement, places = [each.closest('.field') ?? each, each].map((place) => getComputedStyle(place));
  const ring = places.find((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
  return {what: each.outerHTML.slice(0, 80), focused: each.matches(':focus-visible'), colour: ring?.outlineColor ?? null};
}"""


@pytest.mark.parametrize("name", ["move", "program", "teach"])
def test_what_has_the_focus_of_the_keyboard_has_a_ring(pendant: Pendant, name: str) -> None:
    pendant.open(name)
    pendant.page.wait_for_timeout(500)
    pendant.page.locator(f"[data-page={name}]").focus()
    for _ in range(12):
        pendant.page.keyboard.press("Tab")
        found = pendant.page.evaluate(RING)
        assert not found["focused"] or found["colour"] not in (None, "rgba(0, 0, 0, 0)"), found["what"]


def test_every_page_is_whole_in_the_light_and_on_a_very_large_screen(pendant: Pendant) -> None:
    pendant.page.evaluate("localStorage.setItem('theme', 'light')")
    pendant.page.reload()
    pendant.page.locator(".top").wait_for()
    see(pendant, (3840, 2160))
    for name in PAGES:
        pendant.open(name)
        pendant.page.wait_for_timeout(400)
        assert pendant.page.evaluate("document.documentElement.dataset.theme") == "light"
        assert pendant.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
            f"{name} does not scroll sideways"
        )
        assert pendant.page.evaluate(SMALL, LEAST) == []
        if name in ("move", "plots"):
            pendant.shot(f"{name}_light_4k")
    pendant.page.evaluate("localStorage.setItem('theme', 'dark')")


def test_a_chinese_page_says_nothing_in_english(pendant: Pendant) -> None:
    move(pendant, 0.05)  # so that there is something in the trail and in the log
    pendant.until(lambda: not pendant.moves())
    pendant.page.locator("[data-menu]").click()
    pendant.page.get_by_text("中文").click()
    pendant.page.locator(".sheet .button.do").click()
    left = set[str]()

    def look(where: str) -> None:
        pendant.page.wait_for_timeout(900)
        left.update(f"{where}: {text}" for text in pendant.page.evaluate(TEXTS) if ENGLISH.search(NAMES.sub("", text)))

    for name in PAGES:
        pendant.open(name)
        look(name)
        if name == "users":
            pendant.page.locator(".users-page .choice button").nth(1).click()
            look("the audit trail")
    for tab in TABS:
        pendant.page.locator(f"[data-tab={tab}]").click()
        look(f"system, {tab}")
    pendant.page.evaluate("localStorage.setItem('language', 'en')")
    assert left == set()
