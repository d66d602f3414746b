import { describe, expect, it } from "vitest";
import { awayFrom, leastForZeros, leastTurn, shares, standsAt, type Touch } from "../../src/frames/touch";

const touch = (q: number[], rpy: number[] = [0, 0, 0], xyz: number[] = [0, 0, 0]): Touch => ({ q, xyz, rpy });

describe("where the robot stands", () => {
  const touches = [touch([0, 1]), touch([0.5, 1])];
  it("is a touch while it has not moved since", () => expect(standsAt([0.5002, 1], touches)).toBe(1));
  it("is none when one joint has moved", () => expect(standsAt([0.5, 1.01], touches)).toBeNull());
  it("is none where nothing was touched", () => expect(standsAt([0.5, 1], [])).toBeNull());
});

describe("the tilt", () => {
  it("is held against the nearest of all touches", () => {
    expect(leastTurn([0, 0, 0.5], [touch([0], [0, 0, 0]), touch([0], [0, 0, 0.7])])).toBeCloseTo(0.2, 9);
  });
  it("of a first touch is against nothing", () => expect(leastTurn([0, 0, 0], [])).toBeNull());
});

it("a distance is from tool to tool", () => expect(awayFrom([0.3, 0, 0], touch([0], [0, 0, 0], [0, 0.4, 0]))).toBeCloseTo(0.5, 12));

it("zeros need three equations a joint, and three for the point", () => {
  expect([1, 3, 4, 6, 7].map(leastForZeros)).toEqual([2, 2, 3, 3, 4]);
  for (let joints = 1; joints < 20; joints++) expect(3 * (leastForZeros(joints) - 1)).toBeGreaterThanOrEqual(joints);
});

it("the largest residual is a full bar, small ones stay small, and none divides by nothing", () => {
  expect(shares([2e-3, 1e-3])).toEqual([1, 0.5]);
  expect(shares([1e-4, 1e-4]).every((share) => share < 0.2)).toBe(true);
  expect(shares([0, 0])).toEqual([0, 0]);
  expect(shares([])).toEqual([]);
});
