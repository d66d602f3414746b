/** A pose in six boxes: X Y Z in mm, A B C (roll, pitch, yaw) in degrees. */

import { asText, fromText } from "./units";

export const AXES = ["X", "Y", "Z", "A", "B", "C"] as const;

export interface Pose {
  readonly xyz: readonly number[]; // m
  readonly rpy: readonly number[]; // rad
}

export const unitOf = (axis: number): "m" | "rad" => (axis < 3 ? "m" : "rad");

/** One of the six as text: tenths of a millimetre, hundredths of a degree. */
export function boxText(pose: Pose, axis: number): string {
  const value = (axis < 3 ? pose.xyz[axis] : pose.rpy[axis - 3]) ?? 0;
  return asText(value, unitOf(axis), axis < 3 ? 1 : 2);
}

export const boxTexts = (pose: Pose): string[] => AXES.map((_, axis) => boxText(pose, axis));

/** The pose that six texts say; null where one of them is no number. */
export function poseFrom(texts: readonly string[]): Pose | null {
  const values = AXES.map((_, axis) => fromText(texts[axis] ?? "", unitOf(axis)));
  if (values.some((value) => value === null)) return null;
  const numbers = values as number[];
  return { xyz: numbers.slice(0, 3), rpy: numbers.slice(3) };
}
