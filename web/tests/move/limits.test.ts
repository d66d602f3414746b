import { describe, expect, it } from "vitest";
import { closedWay, isNear, nearShare, placeOf } from "../../src/move/limits";

const TURN = { unit: "rad", lower: -Math.PI, upper: Math.PI } as const;
const SLIDE = { unit: "m", lower: 0, upper: 0.4 } as const;
const ENDLESS = { unit: "rad", lower: null, upper: null } as const;

describe("where a joint is between its limits", () => {
  it("is at a half in the middle, and never outside the bar", () => {
    expect(placeOf(TURN, 0)).toBeCloseTo(0.5);
    expect(placeOf(TURN, -4)).toBe(0);
    expect(placeOf(SLIDE, 9)).toBe(1);
  });
  it("is near within a twentieth of the range", () => {
    expect(isNear(TURN, -Math.PI + 0.3)).toBe(true);
    expect(isNear(TURN, -Math.PI + 0.33)).toBe(false);
    expect(isNear(SLIDE, 0.385)).toBe(true);
    expect(isNear(SLIDE, 0.375)).toBe(false);
  });
  it("is near within 0.05 rad where the range is small, but half of it is always free", () => {
    expect(isNear({ unit: "rad", lower: 0, upper: 0.5 }, 0.045)).toBe(true);
    expect(isNear({ unit: "rad", lower: 0, upper: 0.5 }, 0.055)).toBe(false);
    expect(nearShare({ unit: "rad", lower: 0, upper: 0.01 })).toBe(0.25);
  });
  it("has a way out at a limit, and beyond it", () => {
    expect(closedWay(TURN, -Math.PI)).toBe(-1);
    expect(closedWay(TURN, -Math.PI - 0.1)).toBe(-1);
    expect(closedWay(TURN, Math.PI - 0.0005)).toBe(1);
    expect(closedWay(TURN, Math.PI - 0.01)).toBe(0);
  });
  it("has no bar and no limit where it turns without end", () => {
    expect(placeOf(ENDLESS, 700)).toBeNull();
    expect(isNear(ENDLESS, 700)).toBe(false);
    expect(closedWay(ENDLESS, 700)).toBe(0);
    expect(closedWay(TURN, Number.NaN)).toBe(0);
  });
});
