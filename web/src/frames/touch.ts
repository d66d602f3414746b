/** Touches: where the robot stood when its tool touched something; and what can be said of them at once. */

import { distance, turn } from "../teach/figures";

/** Joint positions in the model's order [rad or m], and where the tool was by what is known of it [m], [rad]. */
export interface Touch {
  readonly q: readonly number[];
  readonly xyz: readonly number[];
  readonly rpy: readonly number[];
}

const SAME = 1e-3; // rad or m: the robot has not moved since
export const TILTED = Math.PI / 6; // rad that touches of one point should be turned from each other

/** The touch, by number from 0, at which the robot still stands; null where it has moved since all of them. */
export function standsAt(q: readonly number[], touches: readonly Touch[]): number | null {
  const found = touches.findIndex((touch) => touch.q.length === q.length && touch.q.every((value, joint) => Math.abs(value - (q[joint] ?? 0)) < SAME));
  return found < 0 ? null : found;
}

/** How far the tool is turned from the touch that is nearest in orientation [rad]; null where there is none. */
export function leastTurn(rpy: readonly number[], touches: readonly Touch[]): number | null {
  return touches.length ? Math.min(...touches.map((touch) => turn(rpy, touch.rpy))) : null;
}

/** How far the tool is turned from a touch [rad]. */
export const turnedFrom = (rpy: readonly number[], touch: Touch): number => turn(rpy, touch.rpy);

/** How far the tool is from a touch [m]. */
export const awayFrom = (xyz: readonly number[], touch: Touch): number => distance(xyz, touch.xyz);

/** How many touches of one point tell the zeros of so many joints: three equations each, the point itself unknown. */
export const leastForZeros = (joints: number): number => 1 + Math.ceil(joints / 3);

/** A bar's share for a residual among others: the largest is full, or a millimetre where all are smaller. */
export function shares(residuals: readonly number[]): number[] {
  const most = Math.max(...residuals, 1e-3);
  return residuals.map((each) => each / most);
}
