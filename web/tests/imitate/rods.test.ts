import { describe, expect, it } from "vitest";
import { placed, rodsOf, standOf } from "../../src/imitate/rods";

// Pelvis, neck, head, left hand, right hand: arms stretched out, 1.5 m from the lowest to the highest bone.
const PARENTS = [-1, 0, 1, 1, 1], SIDES = ["", "", "", "left", "right"];
const PLACES = [0, 0, 0, 0, 0, 1.2, 0, 0, 1.5, 0, 0.8, 1.2, 0, -0.8, 1.2];
const ROBOT = { min: { x: -0.2, y: -0.2 }, max: { x: 0.4, y: 0.2 } };

describe("rods", () => {
  it("every bone hangs on its parent, on its side; the highest end of the trunk has a head", () => {
    const rods = rodsOf(PARENTS, SIDES, PLACES);
    expect(rods.map(({ from, to, side }) => [from, to, side])).toEqual([[0, 1, ""], [1, 2, ""], [1, 3, "left"], [1, 4, "right"], [1, 2, ""]]);
    expect(rods.map(({ head }) => head)).toEqual([false, false, false, false, true]);
  });

  it("a skeleton whose parents lead nowhere draws what it can", () => {
    expect(rodsOf([-1, 7, 1, 3], [], []).filter(({ head }) => !head).map(({ from, to }) => [from, to])).toEqual([[1, 2]]);
    expect(rodsOf([], [], [])).toEqual([]);
  });

  it("the person stands to the robot's left, beyond his arm's reach, on its ground, and does not dwarf it", () => {
    const stand = standOf(PLACES, ROBOT, 1, -0.1), ends = new Float64Array(7);
    expect(stand.height).toBeCloseTo(1.15);
    let least = Infinity, lowest = Infinity;
    for (const rod of rodsOf(PARENTS, SIDES, PLACES)) {
      expect(placed(rod, PLACES, stand, ends)).toBe(true);
      least = Math.min(least, ends[1]!, ends[4]!);
      lowest = Math.min(lowest, ends[2]!, ends[5]!);
      expect(ends[6]).toBeGreaterThan(0);
    }
    expect(least).toBeGreaterThan(ROBOT.max.y);
    expect(lowest).toBeCloseTo(-0.1);
    expect(standOf(PLACES, ROBOT, 3, 0).scale).toBe(1); // beside a large robot he is as tall as he is
  });

  it("a bone without length, or without a place, is not drawn, and one that is no person stands somewhere", () => {
    const stand = standOf([0, 0, 0], ROBOT, 1, 0), ends = new Float64Array(7);
    expect(Number.isFinite(stand.y) && stand.y > ROBOT.max.y).toBe(true);
    const rod = { from: 0, to: 1, side: "" as const, head: false };
    expect(placed(rod, [0, 0, 0, 0, 0, 0], stand, ends)).toBe(false);
    expect(placed(rod, [0, 0, 0], stand, ends)).toBe(false);
    expect(placed({ ...rod, head: true }, [0, 0, 0, 0, 0, 0], stand, ends)).toBe(false);
  });
});
