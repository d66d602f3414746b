import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Bottom } from "../src/bottom";
import { program, status, who } from "../src/cell";
import { linked, roundTrip } from "../src/link";
import type { ProgramState, Status } from "../src/messages";
import { poseFrame } from "../src/move/active_frame";
import { alongChosen } from "../src/move/jogging";
import { chooseFrame } from "../src/move/pose_boxes";
import { moreOf } from "../src/rail";
import { speak } from "../src/texts";
import { Top } from "../src/top";

const NOW = { state: "READY", mode: "manual", rate: 1, driver: "physics", alarms: 0, lost: 0, late_ticks: false, trouble: "", recording: "", control: { session: "1", name: "Ada", link: true, asked_by: "" } } as unknown as Status;
let place: HTMLElement, asked: string[];
const show = (): void => void act(() => render(<><Top /><Bottom /></>, place));
const text = (selector: string): string => place.querySelector(selector)?.textContent ?? "";

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (path: string) => (asked.push(path), Promise.resolve(new Response("null"))));
  place = document.body.appendChild(document.createElement("div"));
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  [status.value, program.value, linked.value] = [NOW, null, true];
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  [linked.value, program.value] = [false, null];
  speak("en");
  vi.unstubAllGlobals();
});

it("what was told before the link was lost is not shown as if it held", () => {
  show();
  expect([text("[data-control] b"), text("[data-alarms]"), text("[data-state]")]).toEqual(["you", "● no alarms", "● READY"]);
  void act(() => void (linked.value = false));
  show();
  expect([text("[data-control] b"), text("[data-alarms]"), text("[data-state]")]).toEqual(["unknown", "○ alarms unknown", "○ unknown"]);
  expect(place.querySelector("[data-stop]")).not.toBeNull();
});

it("STOP is beside the rest of the bar, not in it: nothing there can push it away", () => {
  status.value = { ...NOW, state: "HOLDING", mode: "automatic" };
  show();
  expect(place.querySelector("header.top > [data-stop]")).not.toBeNull();
  expect(place.querySelector(".top-rest [data-way-out]")).not.toBeNull();
});

it("in automatic mode a touch lets it go on", () => {
  status.value = { ...NOW, state: "HOLDING", mode: "automatic" };
  show();
  void act(() => place.querySelector<HTMLButtonElement>("button[data-way-out]")!.click());
  expect(asked).toEqual(["/api/resume"]);
});

it("in manual mode it goes on while it is held, and the button stays while it moves", () => {
  status.value = { ...NOW, state: "HOLDING" };
  program.value = { state: "paused", step: true } as ProgramState;
  show();
  const button = place.querySelector<HTMLButtonElement>("[data-way-out] button")!;
  expect(button.textContent).toBe("Hold to go on");
  button.setPointerCapture = () => undefined;
  void act(() => void button.dispatchEvent(Object.assign(new Event("pointerdown", { bubbles: true }), { button: 0, pointerId: 1 })));
  expect(asked).toEqual(["/api/run/resume"]);
  status.value = { ...NOW, state: "MOVING" };
  show();
  expect(place.querySelector("[data-way-out]")).not.toBeNull();
  void act(() => void button.dispatchEvent(new Event("pointerup", { bubbles: true })));
  show();
  expect(place.querySelector("[data-way-out]")).toBeNull();
});

it("records that were lost and ticks that were late are said in the bottom line", () => {
  show();
  expect(place.querySelector("[data-hint]")).toBeNull();
  status.value = { ...NOW, lost: 12, late_ticks: true };
  show();
  expect(text("[data-hint]")).toBe("▲ ticks over 10 ms late in the last minute · records lost in the last minute: 12");
});

it("drives are named in the page's language", () => {
  speak("zh");
  show();
  expect(text(".bottom")).toContain("孪生");
});

it("there is more where what is seen is less than all", () => {
  expect(moreOf({ scrollLeft: 0, scrollWidth: 600, clientWidth: 390 })).toEqual({ before: false, after: true });
  expect(moreOf({ scrollLeft: 210, scrollWidth: 600, clientWidth: 390 })).toEqual({ before: true, after: false });
  expect(moreOf({ scrollLeft: 0, scrollWidth: 390, clientWidth: 390 })).toEqual({ before: false, after: false });
});

it("the power button is always there; what keeps it from being pressed is its title", () => {
  for (const [state, why] of [["READY", ""], ["MOVING", "moves"], ["HOLDING", ""], ["FAULTED", "fault"], ["OFF", "off"]] as const) {
    void act(() => void (status.value = { ...NOW, state }));
    show();
    const button = place.querySelector<HTMLButtonElement>("[data-power-off]")!;
    expect(button.disabled).toBe(why !== "");
    expect(button.title.startsWith("Power off")).toBe(true);
    expect(button.title.slice("Power off".length)).toContain(why);
  }
});

it("what leads out of a state stands behind what is always there", () => {
  status.value = { ...NOW, state: "FAULTED" };
  show();
  const order = [...place.querySelectorAll(".top [data-state], .top [data-power-off], .top .choice, .top [data-way-out]")];
  expect(order.map((each) => Object.keys((each as HTMLElement).dataset)[0] ?? each.className)).toEqual(["state", "powerOff", "choice", "wayOut"]);
});

it("a robot that follows another master is not shown as proven", () => {
  status.value = { ...NOW, state: "MOVING", certified: true };
  show();
  expect(text("[data-state]")).toBe("● MOVING");
  void act(() => void (status.value = { ...NOW, state: "MOVING", certified: false }));
  show();
  expect(text("[data-state]")).toBe("▲ MOVING");
  expect(place.querySelector("[data-state]")?.getAttribute("title")).toBe("not proven: follows another master’s set-points");
});

it("the age of the link is looked at again and again, and is seen to be old", () => {
  vi.useFakeTimers();
  roundTrip.value = 4;
  show();
  void act(() => void vi.advanceTimersByTime(2000));
  expect(Number.parseInt(text(".bottom [data-link-age] b"))).toBeGreaterThanOrEqual(1000);
  expect(place.querySelector(".bottom [data-link-age]")!.className).toBe("badly");
  roundTrip.value = null;
  vi.useRealTimers();
});

it("the frame that is said to be active is the one that is jogged along and typed in", async () => {
  status.value = { ...NOW, frame: "base_link" } as Status;
  show();
  expect(text(".bottom [data-frame] b")).toBe("base_link");
  await act(async () => void (await chooseFrame("table")));
  expect([text(".bottom [data-frame] b"), alongChosen([1, 0, 0, 0, 0, 0]).frame, poseFrame.value]).toEqual(["table", "table", "table"]);
  await act(async () => void (await chooseFrame("tool")));
  expect([text(".bottom [data-frame] b"), alongChosen([1, 0, 0, 0, 0, 0]).kind, poseFrame.value]).toEqual(["Tool", "tool", ""]);
  await act(async () => void (await chooseFrame("base")));
});
