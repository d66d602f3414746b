import { describe, expect, it } from "vitest";
import { percent, residual, residualShare } from "../../src/plots/residual";
import { Ring } from "../../src/plots/ring";

function ring(measured: readonly number[], estimated: readonly number[]): Ring {
  const made = new Ring(measured.length, 2);
  measured.forEach((value, index) => {
    const slot = made.next();
    made.columns[0]![slot] = value;
    made.columns[1]![slot] = estimated[index]!;
  });
  return made;
}

describe("a residual", () => {
  it("is nothing where the estimate is right, and what was measured where it is zero", () => {
    expect(residual(ring([1, -2, 3], [1, -2, 3]), 0, 1, 0, 3)).toBe(0);
    expect(residual(ring([3, -4, 0], [0, 0, 0]), 0, 1, 0, 3)).toBeCloseTo(5 / Math.sqrt(3));
  });

  it("is in the unit of what is compared", () => {
    const measured = [1, 4, -2, 0.5], estimated = [1.1, 3.8, -2.2, 0.4];
    const small = residual(ring(measured, estimated), 0, 1, 0, 4)!;
    const large = residual(ring(measured.map((v) => 1000 * v), estimated.map((v) => 1000 * v)), 0, 1, 0, 4)!;
    expect(large).toBeCloseTo(1000 * small, 9);
  });

  it("passes over what was not measured, and says nothing of nothing", () => {
    expect(residual(ring([1, NaN, 2], [1, 5, 2]), 0, 1, 0, 3)).toBe(0);
    expect(residual(ring([NaN, NaN], [1, 2]), 0, 1, 0, 2)).toBeNull();
    expect(residualShare(ring([NaN, NaN], [1, 2]), 0, 1, 0, 2)).toBeNull();
    expect(residualShare(ring([0, 0], [1, 2]), 0, 1, 0, 2)).toBeNull();
    expect(residualShare(ring([0.1, 0.1], [0.3, 0.3]), 0, 1, 0, 2, 1)).toBeNull();
  });

  it("is a share of what was measured, in percent", () => {
    expect(residualShare(ring([1, -2, 3], [0, 0, 0]), 0, 1, 0, 3)).toBeCloseTo(1);
    expect([percent(0.004), percent(0.123), percent(1.5), percent(null)]).toEqual(["0.4 %", "12.3 %", "150 %", "—"]);
  });
});
