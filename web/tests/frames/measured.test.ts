import { expect, it } from "vitest";
import { type Measured, readPose, readZeros } from "../../src/frames/measured";

const said = (change: Partial<Measured>): Measured => ({
  kind: "tool", value: {}, xyz: null, rpy: null, offsets: null, residuals: [], rms: null, spread: null, figures: {}, ...change,
});

it("a tool has its place, what is left over, and which touch does not belong", () => {
  const found = readPose(said({ xyz: [0, 0, 0.1], rpy: [0, 0, 0], residuals: [1e-4, 2e-3], rms: 1e-3, spread: 0.4,
    figures: { outliers: [1], uncertainty: [1e-4, 1e-4, 2e-4] } }));
  expect(found).toMatchObject({ xyz: [0, 0, 0.1], outliers: [1], spread: 0.4, uncertainty: [1e-4, 1e-4, 2e-4] });
});

it("a frame has no spread and no uncertainty", () => {
  const found = readPose(said({ kind: "frame", xyz: [1, 2, 3], rpy: [0, 0, 1], residuals: [0, 0, 0], rms: 0 }));
  expect(found.spread).toBeNull();
  expect(found.uncertainty).toEqual([]);
});

it("zeros by touching say before and after, and which joints they tell", () => {
  const found = readZeros(said({ kind: "zero", offsets: [0, 0.01], rms: 1e-4, residuals: [1e-4],
    value: { joints: ["a", "b"], determined: [false, true] }, figures: { rms_before: 2e-3, uncertainty: [null, 1e-5] } }));
  expect(found).toMatchObject({ joints: ["a", "b"], determined: [false, true], rmsBefore: 2e-3, uncertainty: [null, 1e-5] });
});

it("zeros by marks tell every joint, and nothing is left over", () => {
  const found = readZeros(said({ kind: "zero", offsets: [0.1, 0], value: { joints: ["a", "b"] } }));
  expect(found).toMatchObject({ determined: [true, true], rms: null, rmsBefore: null });
});
