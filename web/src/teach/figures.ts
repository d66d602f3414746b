/** Lengths, angles and poses as people read them: mm, degrees, a true minus, and no minus before nothing. */

export type Three = readonly [number, number, number];

/** A pose: where [m], and how it is turned, R = Rz(yaw) Ry(pitch) Rx(roll) [rad]. */
export interface Pose {
  readonly xyz: readonly number[];
  readonly rpy: readonly number[];
}

export function figure(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `\u2212${text}` : text;
}

export const mm = (metres: number, digits = 1): string => figure(1e3 * metres, digits);
export const degrees = (radians: number, digits = 2): string => figure((180 / Math.PI) * radians, digits);

/** A joint's value in what is shown of its unit: mm of a sliding one, degrees of a turning one. */
export const jointFigure = (value: number, unit: "rad" | "m", digits = 2): string => (unit === "m" ? mm(value, digits) : degrees(value, digits));

/** "X Y Z · A B C", in mm and degrees. */
export function poseLine(pose: Pose): string {
  return `${pose.xyz.map((value) => mm(value)).join("  ")}  ·  ${pose.rpy.map((value) => degrees(value, 1)).join("  ")}`;
}

/** How far two places are apart [m]. */
export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, axis) => value - (b[axis] ?? 0)));
}

/** The quaternion (w, x, y, z) of roll, pitch and yaw. */
function quaternion(rpy: readonly number[]): readonly [number, number, number, number] {
  const [r = 0, p = 0, y = 0] = rpy.map((value) => value / 2);
  const [cr, sr, cp, sp, cy, sy] = [Math.cos(r), Math.sin(r), Math.cos(p), Math.sin(p), Math.cos(y), Math.sin(y)];
  return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy];
}

/** How far two orientations are turned from each other, 0 to pi [rad]. */
export function turn(a: readonly number[], b: readonly number[]): number {
  const [p, q] = [quaternion(a), quaternion(b)];
  const along = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  // By the sine of half the angle too: the cosine alone says little about small angles.
  const off = Math.hypot(...p.map((value, place) => value - Math.sign(along || 1) * (q[place] ?? 0)));
  return 4 * Math.asin(Math.min(1, off / 2));
}
