import { describe, expect, it } from "vitest";
import { amount } from "../src/system/amount";
import { bytes, clock, lasted, moment, place } from "../src/moment";

describe("amounts", () => {
  it("have the unit that needs few digits", () => {
    expect([0, 999, 1000, 99_960, 1_234_567, 5e12].map(bytes)).toEqual(["0 B", "999 B", "1.0 kB", "100 kB", "1.2 MB", "5.0 TB"]);
    expect([21e-6, 1.5e-3, 2, NaN].map(lasted)).toEqual(["21.0 µs", "1.50 ms", "2.00 s", "—"]);
    expect([0, 61, 3661.9, 360_000].map(clock)).toEqual(["00:00", "01:01", "1:01:01", "100:00:00"]);
  });

  it("of an alarm are in degrees, millimetres or the time that it took", () => {
    expect(amount("following", Math.PI / 180, "rad")).toBe("1.000 °");
    expect(amount("position", -0.25, "m")).toBe("−250.00 mm");
    expect(amount("late", 0.0021, "rad")).toBe("2.10 ms");
    expect(amount("motors", 123456, "rad")).toBe("123460");
    expect(amount("torque", null, "rad")).toBe("—");
  });
});

describe("a moment", () => {
  it("of today has no day, and one of another day has", () => {
    const now = new Date(2026, 2, 4, 12, 0, 0);
    expect(moment(new Date(2026, 2, 4, 9, 5, 7).toISOString(), now)).toBe("09:05:07");
    expect(moment(new Date(2025, 11, 31, 23, 59, 59).toISOString(), now)).toBe("2025-12-31 23:59:59");
    expect(moment("some time", now)).toBe("some time");
  });
});

describe("a place on the scale of times", () => {
  it("goes by powers of ten from 0.1 µs to 1 s", () => {
    expect([1e-7, 1e-3, 1].map((time) => Number(place(time).toFixed(6)))).toEqual([0, Number((4 / 7).toFixed(6)), 1]);
    expect([0, -1, 1e-9, 50].map(place)).toEqual([0, 0, 0, 1]);
  });
});
