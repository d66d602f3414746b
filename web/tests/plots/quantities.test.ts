import { jointLabel } from "../../src/joint_names";
import { describe, expect, it } from "vitest";
import { QUANTITIES, unitOf, unitsOf, written } from "../../src/plots/quantities";

describe("units", () => {
  it("are degrees for what turns and millimetres for what slides", () => {
    expect(unitOf("position", "rad").factor * Math.PI).toBeCloseTo(180);
    expect([unitOf("position", "m").factor, unitOf("position", "m").name]).toEqual([1000, "mm"]);
    expect(unitOf("torque", "m").name).toBe("N");
    expect(unitOf("late", "rad").factor * 21e-6).toBeCloseTo(21);
  });

  it("are those of the same kind for a velocity and an acceleration as for the position", () => {
    for (const unit of ["rad", "m"] as const)
      for (const quantity of ["velocity", "acceleration", "error"] as const) expect(unitOf(quantity, unit).factor).toBe(unitOf("position", unit).factor);
  });

  it("stand once in a head", () => {
    expect(unitsOf("velocity", ["rad", "rad", "m"])).toBe("°/s, mm/s");
    for (const quantity of QUANTITIES) expect(unitsOf(quantity, ["rad", "rad"])).not.toContain(",");
  });
});

describe("a number", () => {
  it("has a real minus sign, and zero has none", () => {
    expect([written(-1.25, 1), written(-0.001, 1), written(null, 2), written(NaN, 2)]).toEqual(["−1.3", "0.0", "—", "—"]);
  });
});

describe("a joint", () => {
  it("is called by its number where its name says no more, and by its name otherwise", () => {
    expect(["joint_2", "J3", "axis-10", "shoulder_pan_joint", "torso_lift_joint"].map(jointLabel)).toEqual(["J2", "J3", "J10", "shoulder pan", "torso lift"]);
    expect(jointLabel("a_very_long_name_of_a_finger").length).toBeLessThanOrEqual(16);
  });
});
