import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, it } from "vitest";
import { who } from "../src/cell";
import { Menu } from "../src/menu";
import { speak } from "../src/texts";

afterEach(() => speak("en"));

it("the menu speaks the language of the page, to those too who do not see it", () => {
  speak("zh");
  who.value = { user: "Ada", role: "administrator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  const place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<Menu />, place));
  const open = place.querySelector<HTMLButtonElement>("[data-menu]")!;
  expect(open.getAttribute("aria-label")).toBe("菜单");
  void act(() => open.click());
  expect(place.querySelector("strong")?.textContent).toBe("Ada · 管理员");
  expect([...place.querySelectorAll(".choice")].map((each) => each.getAttribute("aria-label"))).toEqual(["语言", "主题"]);
  void act(() => render(null, place));
});
