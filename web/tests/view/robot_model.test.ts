import { BoxGeometry, CylinderGeometry } from "three";
import { expect, it } from "vitest";
import { gridIn } from "../../src/view/robot_model";

it("a part is stood for by points so close that no word fits between them, from end to end", () => {
  const points = gridIn(new CylinderGeometry(0.05, 0.05, 0.6, 12), 0.05);
  const heights = [...new Set(points.map((point) => Number(point.y.toFixed(6))))].sort((a, b) => a - b);
  expect([heights[0], heights.at(-1)]).toEqual([-0.3, 0.3]);
  for (let at = 1; at < heights.length; at++) expect(heights[at]! - heights[at - 1]!).toBeLessThanOrEqual(0.05 + 1e-6);
});

it("however large it is, there are not too many", () => expect(gridIn(new BoxGeometry(10, 10, 10), 0.01).length).toBeLessThan(10_000));
