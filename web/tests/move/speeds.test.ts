import { expect, it } from "vitest";
import { only, stepOf, stepsFor } from "../../src/move/increments";
import { ANGULAR, LINEAR, oneAxis, oneJoint, twist } from "../../src/move/speeds";

const JOINTS = [
  { name: "a", unit: "rad", lower: null, upper: null, velocity: 2 },
  { name: "b", unit: "m", lower: 0, upper: 1, velocity: 0.4 },
] as const;

it("moves one joint at a share of a quarter of its speed, and no other", () => {
  expect(oneJoint(JOINTS, 0, -1, 0.5)).toEqual([-0.25, 0]);
  expect(oneJoint(JOINTS, 1, 1, 1)).toEqual([0, 0.1]);
});

it("never asks the tool for more than 250 mm/s along an axis", () => {
  expect(twist(oneAxis(2, -1), 1)).toEqual([0, 0, -LINEAR, 0, 0, 0]);
  expect(LINEAR).toBe(0.25);
  expect(twist(oneAxis(4, 1), 0.5)[4]).toBeCloseTo(ANGULAR / 2);
});

it("offers steps in the units of what is moved", () => {
  expect(stepsFor(new Set(["rad"] as const)).map((each) => each.label)).toEqual(["5°", "1°"]);
  expect(stepsFor(new Set(["m"] as const)).map((each) => each.label)).toEqual(["10 mm", "1 mm", "0.1 mm"]);
  expect(stepsFor(new Set(["rad", "m"] as const))[0]?.label).toBe("10 mm · 5°");
  expect(stepOf("large", "m")).toBe(0.01);
  expect(stepOf("small", "rad")).toBeCloseTo(Math.PI / 180);
  expect(only(3, 1, -2)).toEqual([0, -2, 0]);
});
