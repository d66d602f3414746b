import { expect, it } from "vitest";
import { actual } from "../../src/view/actual";

it("the robot is drawn where it is measured, and where it is commanded as far as nothing measures it", () => {
  expect(actual({ q: [1, 2, 3], measured_q: [1.5, null, 0] })).toEqual([1.5, 2, 0]);
  expect(actual({ q: [1, 2], measured_q: [] })).toEqual([1, 2]);
});
