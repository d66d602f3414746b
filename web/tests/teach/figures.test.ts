import { describe, expect, it } from "vitest";
import { degrees, distance, figure, jointFigure, mm, poseLine, turn } from "../../src/teach/figures";

describe("figures", () => {
  it("have a true minus, and none before nothing", () => {
    expect(mm(-0.45)).toBe("\u2212450.0");
    expect(figure(-0.0004, 2)).toBe("0.00");
    expect(degrees(Math.PI)).toBe("180.00");
  });

  it("of a sliding joint are mm, of a turning one degrees", () => {
    expect(jointFigure(0.1, "m")).toBe("100.00");
    expect(jointFigure(Math.PI / 2, "rad")).toBe("90.00");
  });

  it("of a pose are three lengths and three angles", () => {
    expect(poseLine({ xyz: [0.1, -0.2, 0], rpy: [0, Math.PI / 2, -Math.PI] })).toBe("100.0  \u2212200.0  0.0  ·  0.0  90.0  \u2212180.0");
  });
});

describe("how far poses are apart", () => {
  it("is the straight way", () => expect(distance([0, 0, 0], [0.03, 0, 0.04])).toBeCloseTo(0.05, 12));

  it("is the angle of one turn about one axis", () => {
    for (const axis of [0, 1, 2])
      for (const angle of [1e-6, 0.3, 1.5]) {
        const rpy = [0, 0, 0];
        rpy[axis] = angle;
        expect(turn([0, 0, 0], rpy)).toBeCloseTo(angle, 9);
      }
  });

  it("does not depend on which angles say the same orientation", () => {
    expect(turn([0.2, 0.4, -0.6], [0.2 + Math.PI, Math.PI - 0.4, -0.6 + Math.PI])).toBeCloseTo(0, 6);
    expect(turn([0, 0, Math.PI], [0, 0, -Math.PI])).toBeCloseTo(0, 9);
  });

  it("is the same there and back", () => expect(turn([0.1, 0.2, 0.3], [1, -0.5, 2])).toBeCloseTo(turn([1, -0.5, 2], [0.1, 0.2, 0.3]), 12));
});
