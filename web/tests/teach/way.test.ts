import { expect, it } from "vitest";
import { onTheWay } from "../../src/teach/way";

const WAY = [[0, 0], [1, 0], [1, 1]];

it("a robot at a sample, or between two, is on the way", () => {
  for (const q of [[0, 0], [0.5, 0], [1, 0.25], [1, 1]]) expect(onTheWay(q, WAY)).toBe(true);
});

it("a robot that was jogged away is not", () => {
  for (const q of [[0, 0.5], [-0.05, 0], [1, 1.1], [0.5, 0.05]]) expect(onTheWay(q, WAY)).toBe(false);
});

it("a way of one place is that place", () => {
  expect(onTheWay([1, 2], [[1, 2]])).toBe(true);
  expect(onTheWay([1, 2.5], [[1, 2]])).toBe(false);
});

it("there is nothing on no way", () => expect(onTheWay([0], [])).toBe(false));
