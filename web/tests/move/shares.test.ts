import { describe, expect, it } from "vitest";
import { moved, turned } from "../../src/move/sticks";
import { kept, softened, softenedPair } from "../../src/move/shares";

describe("a stick", () => {
  it("does nothing in its dead zone, nor for what is no number", () => {
    expect(softened(0.11)).toBe(0);
    expect(softened(-0.11)).toBe(0);
    expect(softened(Number.NaN)).toBe(0);
    expect(softenedPair(0.08, -0.08)).toEqual([0, 0]);
  });
  it("begins at zero behind the dead zone and ends at one", () => {
    expect(softened(0.1201)).toBeLessThan(0.001);
    expect(softened(1)).toBeCloseTo(1);
    expect(softened(-5)).toBeCloseTo(-1);
  });
  it("always asks for more where it is pushed further, and for little at first", () => {
    let before = -1;
    for (let push = -1; push <= 1; push += 0.01) {
      expect(softened(push)).toBeGreaterThanOrEqual(before);
      before = softened(push);
    }
    expect(softened(0.5)).toBeLessThan(0.25);
  });
  it("keeps its direction", () => {
    const [x, y] = softenedPair(0.3, 0.6);
    expect(y / x).toBeCloseTo(2);
    expect(Math.hypot(...softenedPair(0.9, 0.9))).toBeCloseTo(1);
  });
  it("keeps its knob in its ring", () => {
    expect(kept(3, 4, 10)).toEqual([3, 4]);
    expect(Math.hypot(...kept(300, -400, 10))).toBeCloseTo(10);
  });
  it("moves along +X when pushed up and along +Y when pushed left", () => {
    expect(moved(0, 1)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(moved(-1, 0)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(turned(1, 0)).toEqual([0, 0, 0, 1, 0, 0]);
    expect(turned(0, -1)).toEqual([0, 0, 0, 0, -1, 0]);
  });
});
