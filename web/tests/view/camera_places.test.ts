import { describe, expect, it } from "vitest";
import { type Box, distanceToSee, middle, SIDES, type Triple } from "../../src/view/camera_places";

const FOV = Math.PI / 6;
const cross = (a: Triple, b: Triple): Triple => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scaled = (a: Triple, by: number): Triple => [a[0] * by, a[1] * by, a[2] * by];

/** The largest share of the picture's half that a corner of the box is away from its middle. */
function share(box: Box, side: Triple, away: number, aspect: number): number {
  const wide = cross([0, 0, 1], side);
  const right = scaled(wide, 1 / Math.hypot(...wide)), up = cross(side, right), at = middle(box);
  let most = 0;
  for (let corner = 0; corner < 8; corner++) {
    const p: Triple = [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? box.max : box.min)[axis]! - at[axis]!) as unknown as Triple;
    const depth = away - dot(p, side), tall = depth * Math.tan(FOV / 2);
    expect(depth).toBeGreaterThan(0);
    most = Math.max(most, Math.abs(dot(p, up)) / tall, Math.abs(dot(p, right)) / (tall * aspect));
  }
  return most;
}

describe("the camera", () => {
  const boxes: Box[] = [
    { min: [-0.2, -0.2, 0], max: [0.6, 0.3, 1.6] },
    { min: [-3, -0.1, 0], max: [3, 0.1, 0.2] },
    { min: [4, 5, 6], max: [4.1, 5.1, 8] },
  ];

  it.each(["fit", "top", "front"] as const)("sees a box whole, and as big as can be, from %s", (name) => {
    for (const box of boxes)
      for (const aspect of [0.5, 1.15, 2.4]) {
        const away = distanceToSee(box, SIDES[name], FOV, aspect, 0.8);
        expect(share(box, SIDES[name], away, aspect)).toBeCloseTo(0.8, 3);
      }
  });

  it("has X to the right from the top and from the front", () => {
    for (const name of ["top", "front"] as const) {
      const right = cross([0, 0, 1], SIDES[name]);
      expect(right[0] / Math.hypot(...right)).toBeCloseTo(1, 6);
    }
  });
});
