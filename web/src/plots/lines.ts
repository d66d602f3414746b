/** The lines of a plot: what is drawn of a quantity for the chosen joints, with names, units and colours. */

import { type Key, t } from "../texts";
import { lineBreaks, lineColour, type Palette } from "./colours";
import type { NamedLine } from "./csv";
import { History } from "./history";
import type { PlotLine } from "./plot";
import { type JointUnit, type Quantity, tracesOf, unitOf } from "./quantities";
import { jointLabel } from "../joint_names";

export interface Joint {
  readonly name: string;
  readonly unit: JointUnit;
}

export interface Drawn extends NamedLine, PlotLine {
  readonly main: boolean;
  readonly joint: number; // -1 for none
  readonly digits: number;
}

export const TITLES: Record<Quantity, Key> = {
  position: "plots.position", velocity: "plots.velocity", acceleration: "plots.acceleration", torque: "plots.torque",
  error: "plots.error", late: "plots.late",
};

/** Those of a quantity; what nobody measured in all of `history` is left out. */
export function linesOf(quantity: Quantity, chosen: readonly number[], joints: readonly Joint[], history: History, palette: Palette): Drawn[] {
  if (quantity === "late") {
    const unit = unitOf("late", "rad");
    const name = t("plots.late");
    return [{ column: History.late, factor: unit.factor, name, unit: unit.name, label: "", colour: palette.text, breaks: [], main: true, joint: -1, digits: unit.digits }];
  }
  const there = chosen.filter((joint) => joint < joints.length);
  const traces = tracesOf(quantity).filter((trace) => there.some((joint) => isKnown(history, history.column(trace.source, joint))));
  return traces.flatMap((trace, row) => there.map((joint, place): Drawn => {
    const unit = unitOf(quantity, joints[joint]!.unit), label = jointLabel(joints[joint]!.name);
    return {
      column: history.column(trace.source, joint), factor: unit.factor, unit: unit.name, digits: unit.digits, joint, main: row === 0,
      name: `${label} ${t(TITLES[quantity])} ${t(trace.text)}`, label: row === 0 && there.length > 1 ? label : "",
      colour: lineColour(palette, trace.kind, place, there.length), breaks: lineBreaks(trace.kind, place),
    };
  }));
}

/** Whether a column has any value: the newest ones say, and the oldest. */
function isKnown(history: History, column: number): boolean {
  const { ring } = history, step = Math.max(1, Math.floor((ring.end - ring.first) / 100));
  for (let sample = ring.end - 1; sample >= ring.first; sample -= step) if (!Number.isNaN(ring.at(column, sample))) return true;
  return false;
}
