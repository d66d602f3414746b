import { describe, expect, it } from "vitest";
import { Sparing } from "../../src/view/sparing";

/** How many pictures are drawn in a second, each of which takes so long [ms]. */
function inASecond(sparing: Sparing, takes: number, from: number): number {
  let drawn = 0;
  for (let now = from; now < from + 1000; now += 4) {
    if (!sparing.may(now)) continue;
    sparing.drew(now);
    sparing.took(takes);
    drawn += 1;
  }
  return drawn;
}

describe("sparing the processor", () => {
  it("draws ten pictures a second at most, and fewer where each takes long", () => {
    expect(inASecond(new Sparing(), 10, 0)).toBeLessThanOrEqual(11);
    expect(inASecond(new Sparing(), 10, 0)).toBeGreaterThan(8);
    expect(inASecond(new Sparing(), 90, 0)).toBeLessThanOrEqual(4);
  });

  it("draws three or four a second while something is held, however quick they are", () => {
    const sparing = new Sparing();
    sparing.press("pointer 1", 0);
    expect(inASecond(sparing, 5, 1000)).toBeLessThanOrEqual(4);
    expect(sparing.held).toBe(true);
    sparing.release("pointer 1");
    expect(inASecond(sparing, 5, 2400)).toBeGreaterThan(8);
  });

  it("draws nothing just after a touch, and what stays only when no hand is on anything", () => {
    const sparing = new Sparing();
    sparing.press("key  ", 1000);
    expect(sparing.may(1100)).toBe(false);
    expect(sparing.may(1200)).toBe(true);
    expect(sparing.mayRest(9000, 280)).toBe(false);
    sparing.press("pointer 2", 1000);
    sparing.release("key  ");
    expect(sparing.mayRest(9000, 280)).toBe(false);
    sparing.releaseAll();
    expect(sparing.mayRest(9000, 280)).toBe(true);
  });
});
