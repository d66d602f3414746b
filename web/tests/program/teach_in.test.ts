import { describe, expect, it } from "vitest";
import { gcodePose, modesAbove, taughtLine, written } from "../../src/program/teach_in";

const PLACE = { xyz: [0.1, -0.45, -0.28], rpy: [Math.PI / 18, (75 * Math.PI) / 180, (-75 * Math.PI) / 180] };

describe("teaching in", () => {
  it("writes numbers without idle zeros, and no minus before nothing", () => {
    expect([100, 0.5, -1e-7, 1 / 3, -12.34, 1000].map(written)).toEqual(["100", "0.5", "0", "0.333", "-12.34", "1000"]);
  });

  it("writes robot commands by name", () => {
    expect(taughtLine("script", "p1", PLACE, "")).toBe("MOVEJ p1");
  });

  it("writes G-code as a pose in mm and degrees, with the name beside it", () => {
    expect(taughtLine("gcode", "p1", PLACE, "G90 G21")).toBe("G0 X100 Y-450 Z-280 A10 B75 C-75 (p1)");
  });

  it("writes inches where the text above asks for them", () => {
    expect(gcodePose({ xyz: [0.0254, 0, 0], rpy: [0, 0, 0] }, true)).toBe("G0 X1 Y0 Z0 A0 B0 C0");
    expect(taughtLine("gcode", "p1", { xyz: [0.0254, 0, 0], rpy: [0, 0, 0] }, "G20\nG0 X0")).toContain("X1 ");
  });

  it("writes no pose where distances are relative", () => {
    expect(taughtLine("gcode", "p1", PLACE, "G91 G1 X5")).toBeNull();
    expect(taughtLine("gcode", "p1", PLACE, "G91 G1 X5\nG90")).not.toBeNull();
  });

  it("takes no comment for a mode, nor G91.1, nor G200", () => {
    expect(modesAbove("(G91) G91.1 ; G20\nG200")).toEqual({ inches: false, relative: false });
  });
});
