/** A value that an alarm is about, in the unit that people use for it. */

import { type JointUnit, type Quantity, unitOf, written } from "../plots/quantities";
import { lasted } from "../moment";

const OF: Readonly<Record<string, Quantity>> = { following: "error", position: "position", velocity: "velocity", torque: "torque" };
const TIMES = new Set(["late", "station", "driver"]);

/** By the alarm's cause; SI units where the cause has no unit of its own. */
export function amount(cause: string, value: number | null, joint: JointUnit): string {
  if (value === null) return "—";
  if (TIMES.has(cause)) return lasted(value);
  const quantity = OF[cause];
  if (!quantity) return String(Number(value.toPrecision(5)));
  const unit = unitOf(quantity, joint);
  return `${written(value * unit.factor, unit.digits)} ${unit.name}`;
}
