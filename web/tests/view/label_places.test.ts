import { describe, expect, it } from "vitest";
import { overlaps, type PlacedLabel, placeLabels } from "../../src/view/label_places";

function label(x: number, y: number, shown = true): PlacedLabel {
  return { shown, x, y, width: 40, height: 16, side: 0, left: Number.NaN, top: Number.NaN };
}

describe("labels", () => {
  it("stand beside what they name, not on it", () => {
    const one = label(200, 200);
    placeLabels([one], 800, 600);
    expect(one.left).toBeGreaterThan(200);
    expect(one.top + one.height).toBeLessThanOrEqual(200);
  });

  it("do not cover each other, even at one place", () => {
    const all = [label(200, 200), label(200, 200), label(203, 199), label(201, 203)];
    placeLabels(all, 800, 600);
    for (const a of all) for (const b of all) if (a !== b) expect(overlaps(a, b)).toBe(false);
  });

  it("stay within the view where they can", () => {
    for (const [x, y] of [[2, 2], [798, 2], [2, 598], [798, 598]] as const) {
      const one = label(x, y);
      placeLabels([one], 800, 600);
      expect(one.left).toBeGreaterThanOrEqual(0);
      expect(one.top).toBeGreaterThanOrEqual(0);
      expect(one.left + one.width).toBeLessThanOrEqual(800);
      expect(one.top + one.height).toBeLessThanOrEqual(600);
    }
  });

  it("stay on their side while there is room", () => {
    const moving = label(798, 300);
    placeLabels([moving], 800, 600);
    const side = moving.side;
    expect(side).not.toBe(0);
    moving.x = 400;
    placeLabels([moving], 800, 600);
    expect(moving.side).toBe(side);
  });

  it("keep off the robot, as near to what they name as they can", () => {
    const covered: number[] = [];
    for (let x = 180; x <= 240; x += 10) for (let y = 100; y <= 300; y += 10) covered.push(x, y); // an arm that stands upright
    const one = label(200, 200);
    placeLabels([one], 800, 600, covered);
    expect(one.left >= 240 || one.left + one.width <= 180).toBe(true);
    expect(Math.abs(one.left - 200)).toBeLessThan(110);
  });

  it("lie on the robot where there is nothing else, and not on each other", () => {
    const covered: number[] = [];
    for (let x = 0; x <= 800; x += 10) for (let y = 0; y <= 600; y += 10) covered.push(x, y);
    const all = [label(200, 200), label(202, 201)];
    placeLabels(all, 800, 600, covered);
    expect(Math.abs(all[0]!.left - 200)).toBeLessThan(60);
    expect(overlaps(all[0]!, all[1]!)).toBe(false);
  });

  it("that are not shown take no room", () => {
    const hidden = label(200, 200, false), seen = label(200, 200);
    placeLabels([hidden, seen], 800, 600);
    expect(seen.side).toBe(0);
    expect(hidden.left).toBeNaN();
  });

  it("have a place, if a covered one, where it is too crowded", () => {
    const all = Array.from({ length: 9 }, () => label(20, 10));
    placeLabels(all, 60, 40);
    for (const each of all) expect(Number.isFinite(each.left + each.top)).toBe(true);
  });
});
