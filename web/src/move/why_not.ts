/** Why a pose cannot be gone to, in the page's words and units: millimetres and degrees. */

import type { JointInfo } from "../cell";
import { spoken } from "../spoken";
import { t } from "../texts";
import { jointLabel } from "../joint_names";
import { AXES, unitOf } from "./pose";
import type { Solution, Solutions } from "./other_ways";
import { asText, fromText, sign } from "./units";

/** Which of the typed boxes hold no number; "" where all do. */
export function noNumbers(texts: readonly string[]): string {
  const fields = AXES.filter((_, axis) => fromText(texts[axis] ?? "", unitOf(axis)) === null);
  return fields.length ? t("move.noNumberIn", { fields: fields.join(", ") }) : "";
}

/** Why a solution is none: its joints beyond their limits, or what would touch; "" where nothing is wrong. */
export function whyNot(solution: Solution, joints: readonly JointInfo[]): string {
  if (!solution.reachable) {
    const found = joints.flatMap((joint, index) => beyond(joint, solution.q[index] ?? 0));
    return found.length ? found.join("; ") : t("move.outOfReach");
  }
  if (!solution.collides) return "";
  const parts = /(?:^|; )([^;]+) and ([^;]+) collide/.exec(solution.why);
  return parts ? t("move.partsTouch", { a: parts[1]!, b: parts[2]! }) : t("move.collides");
}

function beyond(joint: JointInfo, q: number): string[] {
  const limit = joint.lower !== null && q < joint.lower ? joint.lower : joint.upper !== null && q > joint.upper ? joint.upper : null;
  if (limit === null) return [];
  const shown = (value: number): string => asText(value, joint.unit) + sign(joint.unit);
  return [t("move.jointBeyond", { joint: jointLabel(joint.name), value: shown(q), limit: shown(limit) })];
}

/** Why no way at all leads there. */
export function whyNoWay(found: Solutions): string {
  const held = found.hindrance;
  if (held?.kind === "reach") return t("move.beyondReach", { mm: asText(held.amount, "m", 0) });
  if (held?.kind === "orientation") return t("move.notTurned", { degrees: asText(held.amount, "rad") });
  if (held?.kind === "limit" && held.joints.length) return t("move.jointsBeyond", { joints: held.joints.map(jointLabel).join(", ") });
  return spoken(found.why) || t("move.noWay");
}
