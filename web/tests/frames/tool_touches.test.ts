import { describe, expect, it } from "vitest";
import { beginOf, type ToolTouches, withoutTouch, withTouch } from "../../src/frames/tool_touches";
import type { Touch } from "../../src/frames/touch";

const touch = (name: number): Touch => ({ q: [name], xyz: [0, 0, 0], rpy: [0, 0, 0] });
const all = (names: number[], turned: number): ToolTouches => ({ touches: names.map(touch), turned });
const names = (of: ToolTouches): [number[], number] => [of.touches.map((each) => each.q[0]!), of.turned];

describe("how a tool is turned is told from the last touch of the point", () => {
  it("and a touch of the point that comes later stands before it", () => {
    expect(names(withTouch(all([1, 2, 3, 4, 11, 12], 2), touch(5), false))).toEqual([[1, 2, 3, 5, 4, 11, 12], 2]);
    expect(names(withTouch(all([1, 2], 0), touch(3), false))).toEqual([[1, 2, 3], 0]);
  });

  it("by two touches, no third", () => {
    const two = withTouch(withTouch(all([1, 2, 3, 4], 0), touch(11), true), touch(12), true);
    expect(names(two)).toEqual([[1, 2, 3, 4, 11, 12], 2]);
    expect(beginOf(two)).toBe(3);
    expect(withTouch(two, touch(13), true)).toBe(two);
  });

  it("and goes with it when that is left out", () => expect(names(withoutTouch(all([1, 2, 3, 4, 5, 11, 12], 2), 4))).toEqual([[1, 2, 3, 4], 0]));

  it("and stays when another of the point is left out", () => expect(names(withoutTouch(all([1, 2, 3, 4, 5, 11, 12], 2), 1))).toEqual([[1, 3, 4, 5, 11, 12], 2]));

  it("what is towards x goes with what is along z, and alone", () => {
    expect(names(withoutTouch(all([1, 2, 3, 4, 11, 12], 2), 4))).toEqual([[1, 2, 3, 4], 0]);
    expect(names(withoutTouch(all([1, 2, 3, 4, 11, 12], 2), 5))).toEqual([[1, 2, 3, 4, 11], 1]);
  });
});
