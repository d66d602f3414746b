"""How soon a page of the pendant answers what is pressed, in Chromium."""

import shutil
from typing import Any

__all__ = ["CHROMIUM", "press_in_chromium"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--lang=en-US"]
_MODES = ".top .choice button"
# What is pressed, and when it is done; `was` is what the button said before.
_CASES = {
    "take control": ("[data-control]", "button.innerText !== was"),
    "automatic mode": (f"{_MODES}:nth-of-type(2)", "button.getAttribute('aria-pressed') === 'true'"),
    "manual mode": (f"{_MODES}:nth-of-type(1)", "button.getAttribute('aria-pressed') === 'true'"),
    "open Teach": ("[data-page=teach]", "button.getAttribute('aria-current') === 'page'"),
    "open Move": ("[data-page=move]", "document.querySelector('[data-joint], [data-axis]') !== null"),
    "give control": ("[data-control]", "button.innerText !== was"),
}
# When the button itself first shows something, and when what was asked for is shown [ms].
_PRESS = """async (selector) => {
  const button = document.querySelector(selector), was = button.innerText;
  let first = 0;
  const begin = performance.now();
  const seen = new MutationObserver(() => { first ||= performance.now() - begin; });
  seen.observe(button, { attributes: true, childList: true, characterData: true, subtree: true });
  button.click();
  const done = () => (DONE);
  while (!done() && performance.now() - begin < 10000) await new Promise((next) => setTimeout(next, 1));
  const shown = performance.now() - begin;
  seen.disconnect();
  return { first: first || shown, shown };
}"""


def press_in_chromium(link: str, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Every case so often: when the press is shown ("first") and when it is done ("shown") [ms]."""
    from playwright.sync_api import sync_playwright

    found: dict[str, dict[str, list[float]]] = {name: {"first": [], "shown": []} for name in _CASES}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        page: Any = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(60_000)
        page.goto(link)
        page.wait_for_selector("[data-control]:not([disabled])")
        for turn in range(rounds + 1):
            for name, (selector, done) in _CASES.items():
                page.wait_for_selector(f"{selector}:not([disabled])")
                page.wait_for_timeout(300)
                said = page.evaluate(_PRESS.replace("DONE", done), selector)
                if turn:  # the first of each loads what it needs
                    for key, values in found[name].items():
                        values.append(float(said[key]))
        browser.close()
    return found
