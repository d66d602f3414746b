import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { motion, toast } from "../../src/cell";
import type { Motion } from "../../src/messages";
import { Devices } from "../../src/move/devices";
import { activeFrame } from "../../src/move/active_frame";
import { chooseFrame, forgetTyped, PoseBoxes, wayKind } from "../../src/move/pose_boxes";
import { orderFor, target } from "../../src/move/target";

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
  activeFrame.value = "base";
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

it("a pose is typed in a frame, beginning with where the tool is in it, and gone to on a straight line", async () => {
  const asked: [string, unknown][] = [];
  const solution = { q: [1, 2], branch: "front · up · plain", reachable: true, why: "", collides: false };
  vi.stubGlobal("fetch", (path: string, said?: { body?: string }) => {
    asked.push([path, said?.body ? JSON.parse(said.body) : null]);
    const answer = path.startsWith("/api/pose") ? { xyz: [0.1, 0.2, 0.3], rpy: [0, 0, 0] }
      : path === "/api/ik" ? { solutions: [solution], chosen: 0, why: "" } : { q: [1, 2], points: [], duration: 1, notes: [] };
    return Promise.resolve(new Response(JSON.stringify(answer)));
  });
  void act(() => render(<PoseBoxes beside={null} />, place));
  await act(async () => void (await chooseFrame("table")));
  expect(place.querySelector<HTMLInputElement>("[data-pose=Y]")!.value).toBe("200.0");
  expect(place.querySelector("h2")!.textContent).toBe("Tool in table");
  wayKind.value = "line";
  await type("X", "150");
  expect(place.querySelector("h2")!.textContent).toBe("Go to, in table");
  const goal = { xyz: [0.15, 0.2, 0.3], rpy: [0, 0, 0] };
  expect(asked.find(([path]) => path === "/api/ik")![1]).toEqual({ ...goal, frame: "table" });
  expect(asked.find(([path]) => path === "/api/preview")![1]).toEqual({ goal, kind: "line", frame: "table" });
  expect(orderFor(target.value!)).toEqual({ goal, kind: "line", frame: "table" });
  wayKind.value = "joints";
  await type("X", "160");
  expect(orderFor(target.value!)).toEqual({ goal: { joints: [1, 2] }, kind: "joints", frame: "" });
});
