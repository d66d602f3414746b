/** What can be plotted, from what, and in which unit it is shown: degrees and millimetres for people, SI inside. */

import type { Key } from "../texts";
import type { Source } from "./history";

export const QUANTITIES = ["position", "velocity", "acceleration", "torque", "error", "late"] as const;
export type Quantity = (typeof QUANTITIES)[number];
export type JointUnit = "rad" | "m";

/** A line of a quantity: which source, how it is called, and how it is drawn. */
export interface Trace {
  readonly source: Source;
  readonly text: Key;
  /** The main one is solid; what was wanted is dashed and blue, what was estimated dashed and red. */
  readonly kind: "main" | "wanted" | "estimated";
}

export interface Unit {
  readonly factor: number; // from SI
  readonly name: string;
  readonly digits: number; // behind the point
  readonly least: number; // the smallest range that a plot shows: noise is not made to look like motion
}

const DEGREES = 180 / Math.PI;
const UNITS: Record<Exclude<Quantity, "late">, Record<JointUnit, Unit>> = {
  position: { rad: { factor: DEGREES, name: "°", digits: 2, least: 0.5 }, m: { factor: 1000, name: "mm", digits: 2, least: 0.5 } },
  velocity: { rad: { factor: DEGREES, name: "°/s", digits: 1, least: 2 }, m: { factor: 1000, name: "mm/s", digits: 1, least: 2 } },
  acceleration: { rad: { factor: DEGREES, name: "°/s²", digits: 0, least: 10 }, m: { factor: 1000, name: "mm/s²", digits: 0, least: 10 } },
  torque: { rad: { factor: 1, name: "N·m", digits: 2, least: 1 }, m: { factor: 1, name: "N", digits: 1, least: 2 } },
  error: { rad: { factor: DEGREES, name: "°", digits: 3, least: 0.02 }, m: { factor: 1000, name: "mm", digits: 3, least: 0.02 } },
};
const LATE: Unit = { factor: 1e6, name: "µs", digits: 0, least: 50 };

const TRACES: Record<Exclude<Quantity, "late">, readonly Trace[]> = {
  position: [
    { source: "measured_q", text: "plots.measured", kind: "main" },
    { source: "q", text: "plots.commanded", kind: "wanted" },
  ],
  velocity: [{ source: "v", text: "plots.commanded", kind: "main" }],
  acceleration: [{ source: "a", text: "plots.commanded", kind: "main" }],
  torque: [
    { source: "measured_torque", text: "plots.measured", kind: "main" },
    { source: "torque", text: "plots.estimated", kind: "estimated" },
  ],
  error: [{ source: "error", text: "plots.errorHow", kind: "main" }],
};

export function unitOf(quantity: Quantity, joint: JointUnit): Unit {
  return quantity === "late" ? LATE : UNITS[quantity][joint];
}

export function tracesOf(quantity: Quantity): readonly Trace[] {
  return quantity === "late" ? [] : TRACES[quantity];
}

/** The units of a plot, each once, as they stand in its head. */
export function unitsOf(quantity: Quantity, joints: readonly JointUnit[]): string {
  return [...new Set(joints.map((joint) => unitOf(quantity, joint).name))].join(", ");
}

/** A value as it is shown, with a real minus sign: columns of numbers stay in line. */
export function written(value: number | null, digits: number): string {
  if (value === null || Number.isNaN(value)) return "—";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
