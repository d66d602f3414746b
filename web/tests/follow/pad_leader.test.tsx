import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { letGo, motion, robot, type RobotInfo, status, who } from "../../src/cell";
import { endPad, padEngaged, padLeads } from "../../src/follow/pad_leader";
import { DEAD_MAN } from "../../src/gamepad";
import { linked } from "../../src/link";
import type { Status } from "../../src/messages";
import { stream } from "../../src/move/jogging";
import { FollowPage } from "../../src/pages/follow";

const NOW = { state: "READY", mode: "manual", moves: false, control: { session: "1", name: "Ada", link: true, asked_by: "" } } as unknown as Status;
let place: HTMLElement, pressed: number[], plugged: boolean, asked: (readonly number[])[];
const button = (selector: string): HTMLButtonElement => place.querySelector<HTMLButtonElement>(selector)!;
const show = (): void => void act(() => render(<FollowPage />, place));
const wait = async (ms = 100): Promise<void> => void (await act(async () => void (await vi.advanceTimersByTimeAsync(ms))));

beforeEach(async () => {
  vi.useFakeTimers();
  [pressed, plugged, asked] = [[], true, []];
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify({ leaders: [], following: { leader: "" } }))));
  vi.stubGlobal("isSecureContext", true);
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  vi.spyOn(stream, "ask").mockImplementation((_, wanted) => (asked.push(wanted.speeds), true));
  Object.defineProperty(navigator, "getGamepads", {
    configurable: true,
    value: () => (plugged ? [{ id: "Pad (Vendor: 1)", connected: true, axes: [0, -1, 0, 0], buttons: Array.from({ length: 17 }, (_, number) => ({ pressed: pressed.includes(number) })) }] : []),
  });
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  robot.value = { name: "r", tip: "tool", frames: [], joints: [] } as unknown as RobotInfo;
  [status.value, linked.value] = [NOW, true];
  place = document.body.appendChild(document.createElement("div"));
  show();
  await wait();
});
afterEach(() => {
  void act(() => render(null, place));
  endPad();
  place.remove();
  [status.value, robot.value, motion.value, linked.value] = [null, null, null, false];
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function lead(scale: string): Promise<void> {
  void act(() => button("[data-leader-pad]").click());
  void act(() => [...place.querySelectorAll<HTMLButtonElement>(".choice button")].find((each) => each.textContent === scale)!.click());
  void act(() => button("[data-follow]").click());
  await wait();
}

it("a gamepad is chosen beside other cells, and moves nothing until the clutch and its dead-man button are closed", async () => {
  await lead("0.5×");
  expect(padLeads.value).toBe(0.5);
  pressed = [DEAD_MAN];
  await wait();
  expect(asked).toEqual([]);
  void act(() => button("[data-clutch]").click());
  pressed = [];
  await wait();
  expect(asked).toEqual([]);
  pressed = [DEAD_MAN];
  await wait();
  expect(asked[0]).toEqual([0.125, 0, 0, 0, 0, 0]); // half of 250 mm/s, forward
});

it("the clutch opens with whatever lets go, and needs to be closed anew", async () => {
  await lead("1×");
  void act(() => button("[data-clutch]").click());
  expect(padEngaged.value).toBe(true);
  void act(() => letGo());
  expect(padEngaged.value).toBe(false);
  pressed = [DEAD_MAN];
  await wait();
  expect(asked).toEqual([]);
});

it("the clutch opens when the pad is gone and where nothing may be jogged", async () => {
  await lead("1×");
  void act(() => button("[data-clutch]").click());
  plugged = false;
  await wait();
  expect(padEngaged.value).toBe(false);
  plugged = true;
  await wait();
  void act(() => button("[data-clutch]").click());
  expect(padEngaged.value).toBe(true);
  void act(() => void (status.value = { ...NOW, mode: "automatic" }));
  expect(padEngaged.value).toBe(false);
});

it("without a pad, or without a tool to lead, it is said why none can be chosen", async () => {
  plugged = false;
  await wait();
  expect(button("[data-leader-pad]").disabled).toBe(true);
  expect(button("[data-leader-pad]").textContent).toContain("press a button");
  void act(() => void (robot.value = { ...robot.value!, tip: "" }));
  show();
  expect(button("[data-leader-pad]").textContent).toContain("no tool");
});
