import { expect, it } from "vitest";
import { paletteOf } from "../../src/view/colours";
import type { Lines } from "../../src/view/lines";
import { Surroundings } from "../../src/view/surroundings";
import { NOTHING_AROUND, type Workspace } from "../../src/view/world";

const box = (side: number): Workspace => ({ box_min: [0, 0, 0], box_max: [side, side, side], planes: [], tool_speed: null });
const palette = paletteOf("dark");

function drawn(around: Surroundings): { readonly count: number; readonly colour: number | undefined } {
  const edges = around.limits.children as Lines[];
  return { count: edges.length, colour: edges[0]?.material.color.getHex() };
}

it("limits that are typed are drawn in blue instead of those that hold, until they are let go", () => {
  const around = new Surroundings({ ...NOTHING_AROUND, workspace: box(1) }, 1, () => undefined);
  around.dress(palette);
  expect(drawn(around)).toEqual({ count: 1, colour: palette.limit });
  around.showLimits({ ...box(2), planes: [{ point: [0, 0, 0], normal: [0, 0, 1] }] }, palette);
  expect(drawn(around)).toEqual({ count: 2, colour: palette.path });
  around.showLimits(null, palette);
  expect(drawn(around)).toEqual({ count: 1, colour: palette.limit });
});
