import { describe, expect, it } from "vitest";
import type { Nearest } from "../../src/messages";
import { millimetres, NEAR, nearLook, type Palette, paletteOf, touching } from "../../src/view/colours";

const near = (...touching: Nearest["touching"]): Nearest => ({ key: "nearest", a: "forearm", b: "table", distance: 0, at_a: [0, 0, 0], at_b: [0, 0, 0], touching });

/** Relative luminance and contrast of two colours, as WCAG 2 defines them. */
function luminance(hex: number): number {
  const [r, g, b] = [16, 8, 0].map((shift) => {
    const value = ((hex >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
function contrast(a: number, b: number): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light! + 0.05) / (dark! + 0.05);
}

describe("colours", () => {
  it("are dark unless light is chosen", () => {
    expect(paletteOf(undefined)).toBe(paletteOf("dark"));
    expect(paletteOf("light")).not.toBe(paletteOf("dark"));
  });

  it("of lines stand out from both grounds", () => {
    const grounds: [Palette, number][] = [[paletteOf("dark"), 0x1d232b], [paletteOf("light"), 0xdfe4ec]];
    for (const [palette, ground] of grounds) {
      for (const line of ["trace", "path", "chosen", "near", "limit"] as const) expect(contrast(palette[line], ground), line).toBeGreaterThan(3);
      expect(contrast(palette.chosen, ground)).toBeGreaterThan(contrast(palette.path, ground));
    }
  });
});

describe("what is red", () => {
  it("are the parts that touch, and not the nearest ones", () => {
    expect(touching(near({ a: "hand", b: "shelf" }))).toEqual(["hand", "shelf"]);
  });
  it("are all of them, each once", () => {
    expect(touching(near({ a: "hand", b: "shelf" }, { a: "hand", b: "forearm" }))).toEqual(["hand", "shelf", "forearm"]);
  });
  it("is nothing while nothing touches, or nobody looks", () => {
    expect(touching(near())).toEqual([]);
    expect(touching(null)).toEqual([]);
  });
});

describe("the nearest distance", () => {
  it("is drawn only when it is near", () => {
    expect(nearLook(NEAR)).toBe("none");
    expect(nearLook(Number.NaN)).toBe("none");
    expect(nearLook(0.084)).toBe("near");
  });
  it("is red when it is too near", () => {
    expect(nearLook(0.01)).toBe("limit");
    expect(nearLook(-0.01)).toBe("limit");
  });
  it("reads in millimetres", () => {
    expect(millimetres(0.0842)).toBe("84 mm");
    expect(millimetres(0.0042)).toBe("4.2 mm");
    expect(millimetres(-0.0031)).toBe("-3.1 mm");
  });
});
