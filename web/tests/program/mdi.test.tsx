import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, it, vi } from "vitest";
import { status, who } from "../../src/cell";
import { linked } from "../../src/link";
import type { Status } from "../../src/messages";
import { Mdi } from "../../src/program/mdi";

afterEach(() => vi.unstubAllGlobals());

it("a long line is waited for as long as it takes, and letting go of it stops the robot", async () => {
  const calls: { path: string; init: RequestInit }[] = [];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    calls.push({ path, init });
    return path.endsWith("/mdi") ? new Promise(() => undefined) : Promise.resolve(new Response("null"));
  });
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  status.value = { mode: "manual", state: "READY", control: { session: "1", name: "Ada", linked: true, asked_by: "" } } as unknown as Status;
  linked.value = true;
  const place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<Mdi />, place));
  const box = place.querySelector<HTMLInputElement>("[data-mdi]")!;
  box.value = "G4 P300";
  void act(() => void box.dispatchEvent(new Event("input", { bubbles: true })));
  void act(() => void box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
  expect(calls.map((each) => each.path)).toEqual(["/api/mdi"]);
  expect(calls[0]?.init).not.toHaveProperty("signal");
  void act(() => void box.dispatchEvent(new KeyboardEvent("keyup", { key: "Enter", bubbles: true })));
  expect(calls.map((each) => each.path)).toEqual(["/api/mdi", "/api/stop"]);
  void act(() => render(null, place));
});
