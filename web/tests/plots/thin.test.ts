import { describe, expect, it } from "vitest";
import { History } from "../../src/plots/history";
import { emptyPicture, stride, thin } from "../../src/plots/thin";

/** A history whose first joint's positions are given. */
function of(values: readonly number[]): { history: History; column: number } {
  const history = History.ofSize(1, values.length), column = history.column("q", 0);
  values.forEach((value, sample) => {
    const slot = history.ring.next();
    history.ring.columns[History.time]![slot] = sample / 10;
    history.ring.columns[column]![slot] = value;
  });
  return { history, column };
}

const noise = (count: number): number[] => Array.from({ length: count }, (_, k) => Math.sin(k * 12.9898) * 43758.5453 - Math.floor(Math.sin(k * 12.9898) * 43758.5453));

describe("thinning", () => {
  it("draws every sample where there are few, in the unit that is shown", () => {
    const { history, column } = of([1, 2, NaN, 4]), out = emptyPicture(1);
    thin(history.ring, [{ column, factor: 10 }], 0, 4, 100, 0.3, out);
    expect(out.values[0]).toEqual([10, 20, null, 40]);
    expect(out.times.map((time) => Number(time.toFixed(6)))).toEqual([-0.3, -0.2, -0.1, 0]);
  });

  it.each([500, 1000, 3661])("keeps the lowest and the highest of %i samples", (count) => {
    const values = noise(count), { history, column } = of(values), out = emptyPicture(1);
    thin(history.ring, [{ column, factor: 1 }], 0, count, 300, 0, out);
    expect(out.times.length).toBeLessThanOrEqual(302);
    expect(Math.min(...(out.values[0] as number[]))).toBe(Math.min(...values));
    expect(Math.max(...(out.values[0] as number[]))).toBe(Math.max(...values));
  });

  it("goes forward in time only", () => {
    const { history, column } = of(noise(1003)), out = emptyPicture(1);
    thin(history.ring, [{ column, factor: 1 }], 3, 1003, 100, 0, out);
    for (let k = 1; k < out.times.length; k += 1) expect(out.times[k]!).toBeGreaterThanOrEqual(out.times[k - 1]!);
  });

  it("draws the same picture of the same samples when it has moved on", () => {
    const { history, column } = of(noise(2000)), one = emptyPicture(1), next = emptyPicture(1);
    thin(history.ring, [{ column, factor: 1 }], 0, 1600, 200, 0, one);
    thin(history.ring, [{ column, factor: 1 }], 1, 1601, 200, 0, next);
    expect(next.values[0]!.slice(2, 190)).toEqual(one.values[0]!.slice(2, 190));
  });

  it("leaves a gap where nothing was measured", () => {
    const { history, column } = of([...noise(100), ...Array<number>(100).fill(NaN), ...noise(100)]), out = emptyPicture(1);
    thin(history.ring, [{ column, factor: 1 }], 0, 300, 60, 0, out);
    expect(out.values[0]!.includes(null)).toBe(true);
    expect(out.values[0]![0]).not.toBeNull();
  });

  it("takes powers of two, and one where all fit", () => {
    expect([stride(100, 100), stride(101, 100), stride(400, 100), stride(0, 100)]).toEqual([1, 4, 8, 1]);
  });
});
