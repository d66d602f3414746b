import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { motion, toast } from "../../src/cell";
import type { Motion } from "../../src/messages";
import { Devices } from "../../src/move/devices";
import { forgetTyped, PoseBoxes } from "../../src/move/pose_boxes";

let place: HTMLElement;
const trouble = (): string => place.querySelector("[data-pose-trouble]")?.textContent ?? "";
const type = async (axis: string, text: string): Promise<void> => {
  const box = place.querySelector<HTMLInputElement>(`[data-pose=${axis}]`)!;
  box.value = text;
  void act(() => void box.dispatchEvent(new Event("input", { bubbles: true })));
  await act(async () => void (await vi.advanceTimersByTimeAsync(600)));
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify({ solutions: [], chosen: -1, why: "beyond reach by 2.017 m", hindrance: { kind: "reach", amount: 2.017, joints: [] } }))));
  motion.value = { xyz: [0, 0, 0.5], rpy: [0, 0, 0], q: [] } as unknown as Motion;
  place = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  forgetTyped();
  motion.value = toast.value = null;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("what is wrong with a typed pose stands by its fields; of what is typed next nothing old is said", async () => {
  void act(() => render(<PoseBoxes beside={null} />, place));
  expect(trouble()).toBe("");
  await type("X", "3000");
  expect(trouble()).toBe("cannot be reached: 2017 mm too far");
  await type("X", "abc");
  expect(trouble()).toBe("X: no number");
  expect(place.querySelector("[data-pose=X]")?.getAttribute("aria-invalid")).toBe("true");
});

it("who leaves the page while keys jog is told that they no longer do", () => {
  void act(() => render(<Devices />, place));
  void act(() => [...place.querySelectorAll<HTMLButtonElement>(".choice button")].find((each) => each.textContent === "On")!.click());
  void act(() => render(null, place));
  expect(toast.value?.text).toBe("Jogging by keys is off: the page was left.");
});
