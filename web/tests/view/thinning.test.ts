import { describe, expect, it } from "vitest";
import { kept, pathSegments } from "../../src/view/thinning";

type Point = readonly [number, number, number];
const straight: Point[] = Array.from({ length: 50 }, (_, at) => [0.01 * at, 0, 0.2]);
const circle: Point[] = Array.from({ length: 361 }, (_, at) => [0.1 * Math.cos((at * Math.PI) / 180), 0.1 * Math.sin((at * Math.PI) / 180), 0]);

function toLine(p: Point, a: Point, b: Point): number {
  let best = Infinity;
  for (let share = 0; share <= 1; share += 0.002) best = Math.min(best, Math.hypot(...[0, 1, 2].map((axis) => p[axis]! - a[axis]! - share * (b[axis]! - a[axis]!))));
  return best;
}

describe("thinning", () => {
  it("leaves the two ends of a straight line", () => {
    expect(kept(straight, 0, 49, 0.0005)).toEqual([0, 49]);
  });

  it("keeps every point within its tolerance", () => {
    const numbers = kept(circle, 0, 360, 0.001);
    expect(numbers.length).toBeLessThan(60);
    expect(numbers[0]).toBe(0);
    expect(numbers.at(-1)).toBe(360);
    for (let run = 1; run < numbers.length; run++) {
      for (let at = numbers[run - 1]!; at <= numbers[run]!; at++) {
        expect(toLine(circle[at]!, circle[numbers[run - 1]!]!, circle[numbers[run]!]!)).toBeLessThan(0.0011);
      }
    }
  });

  it("keeps a corner", () => {
    expect(kept([[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1, 0.5, 0], [1, 1, 0]], 0, 4, 0.0005)).toEqual([0, 2, 4]);
  });
});

describe("a preview's segments", () => {
  it("are all of one kind where no line is chosen", () => {
    const { rest, chosen } = pathSegments({ points: circle });
    expect(rest.length % 6).toBe(0);
    expect(rest.length).toBeGreaterThan(60);
    expect(chosen.length).toBe(0);
  });

  it("belong to the line of the point they end at, and lines keep their ends", () => {
    const lines = straight.map((_, at) => (at <= 20 ? 1 : 2));
    const { rest, chosen } = pathSegments({ points: straight, lines, chosen: 2 });
    expect(Array.from(rest).map((value) => Number(value.toFixed(3)))).toEqual([0, 0, 0.2, 0.2, 0, 0.2]);
    expect(Array.from(chosen).map((value) => Number(value.toFixed(3)))).toEqual([0.2, 0, 0.2, 0.49, 0, 0.2]);
  });

  it("become coarser until they can be drawn", () => {
    const points: Point[] = Array.from({ length: 3000 }, (_, at) => [0.001 * at, 0.004 * (at % 2), 0]);
    const most = 500;
    expect(pathSegments({ points }, 0.0005, most).rest.length / 6).toBeLessThanOrEqual(most);
  });

  it("are none for fewer than two points", () => {
    expect(pathSegments({ points: [] }).rest.length).toBe(0);
    expect(pathSegments({ points: [[0, 0, 0]] }).rest.length).toBe(0);
  });
});
