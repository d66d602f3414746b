/** How fast a jog is: a share of what is allowed. */

import type { JointInfo } from "../cell";
import type { Six } from "./shares";

export const LINEAR = 0.25; // m/s of the tool, the most in manual mode
export const ANGULAR = Math.PI / 6; // rad/s of the tool
export const OF_JOINT = 0.25; // of what a joint can do

/** A twist [m/s, rad/s] from shares of -1 to 1. */
export function twist(shares: Six, speed: number): number[] {
  return shares.map((share, axis) => share * speed * (axis < 3 ? LINEAR : ANGULAR));
}

/** Velocities of all joints [rad/s or m/s] with one of them moving. */
export function oneJoint(joints: readonly JointInfo[], which: number, way: -1 | 1, speed: number): number[] {
  return joints.map((joint, index) => (index === which ? way * speed * OF_JOINT * joint.velocity : 0));
}

/** Six shares of which one is -1 or 1. */
export function oneAxis(which: number, way: -1 | 1): Six {
  const shares = [0, 0, 0, 0, 0, 0];
  shares[which] = way;
  return shares as unknown as Six;
}
