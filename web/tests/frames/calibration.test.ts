import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { motion } from "../../src/cell";
import { begin, canTouch, end, forget, keep, kept, kind, least, oriented, pose, touch, touches, turned, turning, wantOrientation } from "../../src/frames/calibration";
import type { Motion } from "../../src/messages";

const at = (place: number): Motion => ({ q: [place], xyz: [place, 0, 0], rpy: [0, 0, 0] }) as unknown as Motion;
let asked: { path: string; body: Record<string, unknown> }[] = [];

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (path: string, how: { body: string }) => {
    asked.push({ path, body: JSON.parse(how.body) as Record<string, unknown> });
    const said = path.endsWith("/keep") ? { lines: "[tool]", file: "cell.toml", restart: true }
      : { kind: "tool", value: {}, xyz: [0, 0, 0.1], rpy: [0, 0, 1], offsets: null, residuals: [0, 0, 0, 0], rms: 0, spread: 0.5, figures: {} };
    return Promise.resolve(new Response(JSON.stringify(said)));
  });
});
afterEach(() => {
  end();
  wantOrientation(false);
  vi.unstubAllGlobals();
});

const touchAt = (...places: number[]): void => {
  for (const place of places) {
    motion.value = at(place);
    touch();
  }
};
const newest = (): Record<string, unknown> | undefined => asked.at(-1)?.body;

it("the tip is told before the orientation, and the orientation by the two touches that follow", async () => {
  begin("tool");
  wantOrientation(true);
  expect(least("tool")).toBe(6);
  touchAt(1, 2, 3);
  expect(asked).toEqual([]);
  touchAt(4);
  expect(newest()).toEqual({ touches: [[1], [2], [3], [4]], orientation: false });
  turning.value = true;
  touchAt(11);
  expect(newest()).toEqual({ touches: [[1], [2], [3], [4]], orientation: false });
  touchAt(12);
  expect(newest()).toEqual({ touches: [[1], [2], [3], [4], [11], [12]], orientation: true });
  expect(canTouch()).toBe(false); // a third says nothing
  await vi.waitFor(() => expect(pose.value?.rpy).toEqual([0, 0, 1]));
  await keep("a new gripper");
  expect(newest()).toEqual({ kind: "tool", name: "", xyz: [0, 0, 0.1], rpy: [0, 0, 1], reason: "a new gripper" });
  expect(kept.value?.file).toBe("cell.toml");
});

it("without enough of the point, the point is touched next, and the tip alone forgets what was of the orientation", () => {
  begin("tool");
  wantOrientation(true);
  touchAt(1, 2, 3, 4);
  turning.value = true;
  touchAt(11, 12);
  forget(0);
  expect([turning.value, turned.value]).toEqual([false, 2]);
  touchAt(5);
  expect(newest()).toEqual({ touches: [[2], [3], [5], [4], [11], [12]], orientation: true });
  wantOrientation(false);
  expect(newest()).toEqual({ touches: [[2], [3], [5], [4]], orientation: false });
  expect([oriented.value, turned.value, touches.value.tool.length, kind.value]).toEqual([false, 0, 4, "tool"]);
});

it("where the robot still stands at a touch, another one is not taken", () => {
  begin("tool");
  touchAt(1, 1, 1, 1);
  expect(touches.value.tool.length).toBe(1);
  expect(canTouch()).toBe(false);
  touchAt(2);
  expect(touches.value.tool.length).toBe(2);
});
