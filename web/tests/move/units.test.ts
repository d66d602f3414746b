import { describe, expect, it } from "vitest";
import { asText, fromText } from "../../src/move/units";

describe("numbers as people read them", () => {
  it("shows m as mm and rad as degrees, with a real minus", () => {
    expect(asText(-0.45, "m")).toBe("−450.0");
    expect(asText(Math.PI / 2, "rad", 2)).toBe("90.00");
  });
  it("gives no sign to what rounds to zero", () => {
    expect(asText(-1e-7, "rad")).toBe("0.0");
  });
  it("reads what it has shown", () => {
    for (const value of [-3.1, -0.0123, 0, 0.5, 2.25]) {
      expect(fromText(asText(value, "rad", 4), "rad")).toBeCloseTo(value, 5);
      expect(fromText(asText(value, "m", 4), "m")).toBeCloseTo(value, 5);
    }
  });
  it("takes a comma, a minus of either kind, and a unit", () => {
    expect(fromText(" −12,5 mm", "m")).toBeCloseTo(-0.0125, 12);
    expect(fromText("-90°", "rad")).toBeCloseTo(-Math.PI / 2, 12);
    expect(fromText(".5", "m")).toBeCloseTo(0.0005, 12);
  });
  it("says no to what is no number", () => {
    for (const text of ["", "abc", "1e3", "1.2.3", "--1", "NaN", "Infinity", "0x10", "1 2"]) expect(fromText(text, "m"), text).toBeNull();
  });
});
