/** Where the camera stands to see a box whole. World: z up, as in ROS. */

export type Triple = readonly [number, number, number];

export interface Box {
  readonly min: Triple;
  readonly max: Triple;
}

/** From which side: a unit vector from what is looked at to the camera, and what is up on the screen. */
export const SIDES: Readonly<Record<"fit" | "top" | "front", Triple>> = {
  fit: unit([0.62, -1, 0.42]),
  top: unit([0, -1e-4, 1]), // X to the right, Y up
  front: unit([0, -1, 0]), // X to the right, Z up
};

/** How far away the camera must be [m] from the box's middle, for all corners to be within `share` of the picture. */
export function distanceToSee(box: Box, side: Triple, fov: number, aspect: number, share = 0.84): number {
  const right = unit(cross([0, 0, 1], side));
  const up = cross(side, right);
  const tall = Math.tan(fov / 2) * share;
  const wide = tall * aspect;
  let far = 0;
  for (let corner = 0; corner < 8; corner++) {
    const from: Triple = [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? 0.5 : -0.5) * (box.max[axis]! - box.min[axis]!)) as unknown as Triple;
    far = Math.max(far, dot(from, side) + Math.max(Math.abs(dot(from, right)) / wide, Math.abs(dot(from, up)) / tall));
  }
  return far;
}

export function middle(box: Box): Triple {
  return [0, 1, 2].map((axis) => (box.min[axis]! + box.max[axis]!) / 2) as unknown as Triple;
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a: Triple): Triple {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
}
