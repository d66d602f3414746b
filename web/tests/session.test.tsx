import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Who, who } from "../src/cell";
import { end, kept, kind, touches } from "../src/frames/calibration";
import { made } from "../src/frames/frames_of_cell";
import { Mdi } from "../src/program/mdi";

const ADA: Who = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
const NOBODY: Who = { ...ADA, user: "", role: "", session: "" };
const TOUCH = { q: [1], xyz: [0, 0, 0], rpy: [0, 0, 0] };
let place: HTMLElement;
const box = (): HTMLInputElement => place.querySelector<HTMLInputElement>("[data-mdi]")!;
const isNow = (person: Who): void => void act(() => void (who.value = person));

beforeEach(() => {
  who.value = ADA;
  place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<Mdi />, place));
  box().value = "G0 X1";
  void act(() => void box().dispatchEvent(new Event("input", { bubbles: true })));
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  end();
  touches.value = { tool: [], frame: [], zeros: [] };
  vi.unstubAllGlobals();
});

it("a typed line stays while the session does, and is gone with it", () => {
  isNow({ ...ADA, locked: true });
  isNow({ ...ADA, has_password: false });
  expect(box().value).toBe("G0 X1");
  isNow(NOBODY);
  isNow({ ...ADA, session: "2" });
  expect(box().value).toBe("");
});

it("that something was kept is not told to the next session; touches that are under way stay", () => {
  [kind.value, kept.value, made.value] = ["tool", { lines: "[tool]", file: "cell.toml", restart: true }, "cell.toml"];
  touches.value = { tool: [TOUCH], frame: [TOUCH], zeros: [] };
  isNow({ ...ADA, session: "2" });
  expect([kind.value, kept.value, made.value]).toEqual([null, null, ""]);
  expect([touches.value.tool.length, touches.value.frame.length]).toEqual([0, 1]); // the tool's are done with
  kind.value = "frame";
  isNow(NOBODY);
  expect([kind.value, touches.value.frame.length]).toEqual(["frame", 1]);
});
