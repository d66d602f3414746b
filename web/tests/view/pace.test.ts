import { describe, expect, it } from "vitest";
import { Pace } from "../../src/view/pace";

function run(pace: Pace, frames: number, time: (ratio: number) => number): void {
  for (let frame = 0; frame < frames; frame++) pace.took(time(pace.ratio));
}

describe("the pace", () => {
  it("begins as finely as the screen is, and never finer than 2", () => {
    expect(new Pace(1.25).ratio).toBe(1.25);
    expect(new Pace(3).ratio).toBe(2);
  });

  it("leaves a quick view alone", () => {
    const pace = new Pace(2);
    run(pace, 1000, () => 16.7);
    expect(pace.ratio).toBe(2);
  });

  it("draws coarser until frames are quick enough, and stays there", () => {
    const pace = new Pace(2);
    run(pace, 200, (ratio) => 30 * ratio * ratio);
    expect(30 * pace.ratio ** 2).toBeLessThanOrEqual(40);
    expect(pace.ratio).toBeGreaterThanOrEqual(1);
    const found = pace.ratio;
    run(pace, 500, (ratio) => 30 * ratio * ratio);
    expect(pace.ratio).toBe(found);
  });

  it("does not wait long where every frame takes most of a second", () => {
    const pace = new Pace(1);
    run(pace, 3, () => 700);
    expect(pace.ratio).toBeLessThan(1);
  });

  it("never goes below a half", () => {
    const pace = new Pace(2);
    run(pace, 500, () => 900);
    expect(pace.ratio).toBe(0.5);
  });

  it("tries finer again after a long quick while, and ever more seldom", () => {
    const pace = new Pace(1);
    let changes = 0;
    for (let frame = 0; frame < 6000; frame++) changes += pace.took(pace.ratio === 1 ? 60 : 16) ? 1 : 0;
    expect(changes).toBeGreaterThan(2);
    expect(changes).toBeLessThan(16);
  });

  it("takes no notice of frames that are pardoned", () => {
    const pace = new Pace(2);
    pace.pardon(3);
    run(pace, 3, () => 2000);
    run(pace, 100, () => 10);
    expect(pace.ratio).toBe(2);
  });
});
