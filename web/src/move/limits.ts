/** Where a joint is between its limits, and what that allows. */

export interface Limited {
  readonly unit: "rad" | "m";
  readonly lower: number | null;
  readonly upper: number | null;
}

const NEAR_SHARE = 0.05; // of the range
const NEAR = { rad: 0.05, m: 0.005 };
const AT = { rad: 0.001, m: 0.0002 }; // nearer than this, a jog would only push against the limit

const bounded = (joint: Limited): joint is Limited & { lower: number; upper: number } =>
  joint.lower !== null && joint.upper !== null && joint.upper > joint.lower;

/** The value's place between the limits, 0 to 1; null for a joint that turns without end. */
export function placeOf(joint: Limited, value: number): number | null {
  if (!bounded(joint)) return null;
  return Math.min(Math.max((value - joint.lower) / (joint.upper - joint.lower), 0), 1);
}

/** How much of the range counts as near a limit, 0 to a quarter. */
export function nearShare(joint: Limited): number {
  if (!bounded(joint)) return 0;
  return Math.min(Math.max(NEAR_SHARE, NEAR[joint.unit] / (joint.upper - joint.lower)), 0.25);
}

export function isNear(joint: Limited, value: number): boolean {
  const place = placeOf(joint, value);
  const near = nearShare(joint);
  return place !== null && (place < near || place > 1 - near);
}

/** Which way is closed: -1 at or below the lower limit, 1 at or above the upper, 0 for neither. */
export function closedWay(joint: Limited, value: number): -1 | 0 | 1 {
  if (joint.lower !== null && value <= joint.lower + AT[joint.unit]) return -1;
  if (joint.upper !== null && value >= joint.upper - AT[joint.unit]) return 1;
  return 0;
}
