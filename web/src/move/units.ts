/** Numbers as people read them: millimetres and degrees, with a real minus. On the wire everything is in m and rad. */

export type Unit = "rad" | "m";

const DEGREES = 180 / Math.PI;
const MILLIMETRES = 1000;

export const perUnit = (unit: Unit): number => (unit === "m" ? MILLIMETRES : DEGREES);

/** A value in m or rad as text in mm or degrees, without its unit. */
export function asText(value: number, unit: Unit, digits = 1): string {
  const text = (value * perUnit(unit)).toFixed(digits);
  // What rounds to nothing has no sign: it would flicker while the robot stands at zero.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

export const sign = (unit: Unit): string => (unit === "m" ? " mm" : "°");

/** What somebody typed in mm or degrees, in m or rad; null where it is no number. */
export function fromText(text: string, unit: Unit): number | null {
  const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".").replace(/\s*(mm|°|deg)$/, "");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return null;
  return Number(plain) / perUnit(unit);
}
