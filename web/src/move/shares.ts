/** From how far a stick is pushed to how fast the robot is asked to be. */

export type Six = readonly [number, number, number, number, number, number];

const DEAD = 0.12; // of a stick's way, within which it counts as let go
const STRAIGHT = 0.25; // of the answer that is linear; the rest is cubic, so that little pushes are slow

/** A push of -1 to 1 without its dead zone, softened around the middle; still -1 to 1. */
export function softened(push: number, dead = DEAD): number {
  const size = Math.min(Math.abs(push), 1);
  if (!(size > dead)) return 0;
  const beyond = (size - dead) / (1 - dead);
  return Math.sign(push) * (STRAIGHT * beyond + (1 - STRAIGHT) * beyond ** 3);
}

/** Two axes of one stick: the dead zone is a disc and the direction is kept. */
export function softenedPair(x: number, y: number, dead = DEAD): readonly [number, number] {
  const size = Math.hypot(x, y);
  if (!(size > dead)) return [0, 0];
  const wanted = softened(Math.min(size, 1), dead);
  return [(x / size) * wanted, (y / size) * wanted];
}

/** Where a knob stands that is pulled by (dx, dy): it stays in its ring. The same unit as the radius. */
export function kept(dx: number, dy: number, radius: number): readonly [number, number] {
  const size = Math.hypot(dx, dy);
  const share = size > radius ? radius / size : 1;
  return [dx * share, dy * share];
}

export const isZero = (shares: readonly number[]): boolean => shares.every((each) => each === 0);
