import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { leftBecause, toast, who, type Who } from "../src/cell";
import { Login } from "../src/login";
import { speak } from "../src/texts";

const NOBODY: Who = { user: "", role: "", session: "", local: false, locked: false, passwords: true, has_password: false };
let place: HTMLElement, right: boolean, asked: string[];
const soon = (): Promise<void> => act(() => new Promise<void>((done) => setTimeout(done, 5)));

beforeEach(() => {
  [right, asked, toast.value, leftBecause.value, who.value] = [false, [], null, null, NOBODY];
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    if (path.endsWith("/login")) return Promise.resolve(right ? new Response("null") : new Response(JSON.stringify({ detail: "wrong name or password", kind: "BadLogin" }), { status: 401 }));
    return Promise.resolve(new Response(path.endsWith("/session") ? JSON.stringify(NOBODY) : path.endsWith("/alarms") ? "[]" : "{}"));
  });
  vi.stubGlobal("WebSocket", class { close(): void {} });
  localStorage.setItem("cell", "cobot6");
  place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<Login />, place));
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  speak("en");
  vi.unstubAllGlobals();
});

it("the cell's name, the language and STOP are there before anybody is in", () => {
  expect(place.querySelector("[data-cell]")?.textContent).toBe(`cell cobot6 · ${location.host}`);
  expect(place.querySelector("header.login-top > [data-stop]")).not.toBeNull();
  void act(() => [...place.querySelectorAll<HTMLButtonElement>(".choice button")].find((each) => each.textContent === "中文")!.click());
  expect(place.querySelector("form strong")?.textContent).toBe("登录");
});

it("why somebody was sent here is said", () => {
  void act(() => void (leftBecause.value = "login.ended"));
  expect(place.querySelector("[data-left]")?.textContent).toContain("You are logged out");
});

it("a wrong password is said until the right one is given", async () => {
  const send = (): void => void act(() => void place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true })));
  send();
  await soon();
  expect(place.querySelector("[role=alert]")?.textContent).toContain("wrong name or password");
  expect(leftBecause.value).toBeNull(); // he was never in
  right = true;
  send();
  await soon();
  expect(place.querySelector("[role=alert]")).toBeNull();
});
