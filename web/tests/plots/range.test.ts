import { describe, expect, it } from "vitest";
import { moved, spread, steadyRange, tidy, zoomed, type Range } from "../../src/plots/range";

describe("a range of values", () => {
  it("holds what is to be seen, with air around it", () => {
    for (const [low, high] of [[-3, 8], [0.001, 0.002], [-1e6, 2e6], [5, 5]] as const) {
      const range = steadyRange(null, low, high, 1e-3);
      expect(range[0]).toBeLessThan(low);
      expect(range[1]).toBeGreaterThan(high);
    }
  });

  it("stands still while the values stay inside and fill it", () => {
    const range = steadyRange(null, -10, 10, 1);
    expect(steadyRange(range, -9, 8, 1)).toBe(range);
    expect(steadyRange(range, -9, 30, 1)).not.toBe(range);
    expect(steadyRange(range, -0.5, 0.5, 1)[1]).toBeLessThan(range[1]);
  });

  it("does not make noise look like motion", () => {
    const [low, high] = steadyRange(null, 1e-9, 2e-9, 0.5);
    expect(high - low).toBeGreaterThanOrEqual(0.5);
  });

  it("is there before there are values", () => {
    expect(steadyRange(null, NaN, NaN, 2)).toEqual([-1, 1]);
    expect(steadyRange([3, 4], NaN, NaN, 2)).toEqual([3, 4]);
  });

  it("has tidy steps", () => {
    expect([0.9, 1, 1.1, 3, 7].map(tidy)).toEqual([1, 1, 2, 5, 10]);
  });
});

describe("a range of time", () => {
  const whole: Range = [0, 100];
  it("keeps what is under the finger while it is widened", () => {
    const range = zoomed([20, 40], 25, 0.5, whole, 0.1);
    expect(range).toEqual([22.5, 32.5]);
    expect((25 - range[0]) / (range[1] - range[0])).toBeCloseTo(0.25);
  });

  it("stays inside what there is, and does not become nothing", () => {
    expect(zoomed([0, 50], 10, 10, whole, 0.1)).toEqual([0, 100]);
    const narrow = zoomed([20, 20.2], 20.1, 0.01, whole, 0.1);
    expect(narrow[1] - narrow[0]).toBeCloseTo(0.1);
    expect(moved([20, 40], -50, whole)).toEqual([0, 20]);
    expect(moved([20, 40], 500, whole)).toEqual([80, 100]);
  });
});

describe("labels", () => {
  it("stand apart, in order, inside", () => {
    const places = spread([50, 51, 10, 99], 12, 0, 100);
    const sorted = [...places].sort((a, b) => a - b);
    for (let k = 1; k < sorted.length; k += 1) expect(sorted[k]! - sorted[k - 1]!).toBeGreaterThanOrEqual(12 - 1e-9);
    expect(places[0]!).toBeLessThan(places[1]!);
    expect(Math.max(...places)).toBeLessThanOrEqual(100);
    expect(places[2]).toBe(10);
  });
});
