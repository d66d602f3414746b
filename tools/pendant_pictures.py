"""The six pictures of docs/pendant.md, taken anew in Chromium before a cell with its twin; and how often it draws the robot.

`python tools/pendant_pictures.py`, with `frames` for the second alone. Chromium draws in software here, as without a GPU.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from armillary.cell import Cell

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HOME = [0.4, 1.83, -2.18, -1.92, -1.57, 0.0]
AWAY = [1.3, 1.53, -1.78, -1.72, -1.27, 0.6]
POST = """async ([path, body]) => (await fetch('/api' + path, {method: 'POST', headers: {'x-armillary': '1',
    'content-type': 'application/json'}, body: JSON.stringify(body)})).status"""
RESTS = 4000  # ms: what stands is drawn as finely as the screen can show


class Camera:
    """A browser before a cell."""

    def __init__(self, browser: Any, cell: Cell) -> None:
        self.cell, self.browser = cell, browser
        self.page = browser.new_context(
            viewport={"width": 1280, "height": 800}, device_scale_factor=1.5, locale="en-US"
        ).new_page()  # fmt: skip
        self.page.add_init_script("localStorage.setItem('toured', '1')")
        self.page.goto(cell.station.pendant["link"])
        self.page.locator(".top").wait_for()
        self.ask("/control/take", {})
        self.ask("/mode", {"mode": "automatic"})

    def ask(self, path: str, body: object) -> None:
        status = self.page.evaluate(POST, [path, body])
        assert status in (200, 409), f"{path}: {status}"

    def go(self, q: list[float], *, wait: bool = True) -> None:
        self.ask("/move", {"goal": {"joints": q}})
        while wait and (self.cell.station.state["moves"] or self.cell.station.state["queued"]):
            self.page.wait_for_timeout(50)

    def open(self, name: str, **kept: str) -> None:
        """A page, after a start with these settings of the browser."""
        for key, value in kept.items():
            self.page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, value])
        if kept:
            self.page.reload()
        self.page.locator(f"[data-page={name}]").click()
        self.page.wait_for_timeout(1500)

    def shoot(self, name: str) -> None:
        self.page.wait_for_timeout(RESTS)
        self.page.screenshot(path=PICTURES / f"pendant_{name}.png")

    def frames(self, seconds: float) -> float:
        """Pictures a second while the robot moves."""
        self.open("move")
        self.go(HOME)
        self.ask("/override", {"rate": 0.1})
        self.go(AWAY, wait=False)
        self.page.wait_for_timeout(2000)
        before = self.page.evaluate("window.armillaryView.frames")
        self.page.wait_for_timeout(1000 * seconds)
        drawn = self.page.evaluate("window.armillaryView.frames") - before
        assert self.cell.station.state["moves"], "it came to rest too soon"
        self.ask("/stop", {})
        self.ask("/override", {"rate": 1.0})
        return float(drawn) / seconds


def take(camera: Camera) -> None:
    page = camera.page
    camera.go(HOME)
    camera.ask("/mode", {"mode": "manual"})
    camera.open("move")
    page.locator("[data-way='1']").click()
    page.mouse.move(600, 790)
    page.locator(".panel").evaluate("(panel) => (panel.scrollTop = 0)")
    camera.shoot("move")
    camera.ask("/mode", {"mode": "automatic"})
    camera.open("program")
    page.locator("[data-file]").click()
    page.locator('[data-entry="paper5.ngc"] button').first.click()
    page.wait_for_timeout(1000)
    page.locator("[data-do=run]").click()
    while int(bytes(camera.cell.station.state["origin"]).decode().rpartition(":")[2] or 0) < 7:
        page.wait_for_timeout(50)
    camera.ask("/run/pause", {})
    camera.shoot("program")
    camera.ask("/run/stop", {})
    page.wait_for_timeout(1000)
    camera.open("plots")
    for goal in (AWAY, HOME, AWAY):
        camera.go(goal)
    camera.page.screenshot(path=PICTURES / "pendant_plots.png")  # while the lines are still in it
    camera.open("system", theme="light")
    page.locator("[data-tab=latency]").click()
    camera.shoot("system_light")
    camera.open("frames", theme="dark", language="zh")
    camera.shoot("frames_chinese")
    camera.open("teach", language="en")
    for name, goal in (("pick", HOME), ("ready", AWAY), ("place", [0.9, *AWAY[1:]])):
        camera.go(goal)
        camera.ask("/points", {"name": name})
    page.set_viewport_size({"width": 390, "height": 844})
    camera.shoot("phone")


def main() -> None:
    from playwright.sync_api import sync_playwright

    with Cell.open("cobot6", patience=5.0, pendant={"port": 0}) as cell, sync_playwright() as playwright:
        cell.station.ask("give_control")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        camera = Camera(browser, cell)
        if sys.argv[1:] != ["frames"]:
            take(camera)
            camera.page.set_viewport_size({"width": 1280, "height": 800})
        print(f"{camera.frames(10.0):.1f} pictures a second while the robot moves, drawn in software")
        browser.close()


if __name__ == "__main__":
    main()
