/** What can be said of a touch before it is taken: whether the robot moved since the last, is tilted enough, far enough. */

import type { JSX } from "preact";
import { status } from "../cell";
import { degrees, mm } from "../teach/figures";
import { shownMotion } from "../shown_motion";
import { t } from "../texts";
import { byMarks, type Kind, touches, turned, turning } from "./calibration";
import { beginOf, OF_TURN } from "./tool_touches";
import { awayFrom, leastTurn, standsAt, TILTED, turnedFrom } from "./touch";

const NEAR = 0.005; // m: the cell takes none that is nearer
const TURNED = Math.PI / 60; // rad that a tool which is not turned may seem to be

export function TouchHint({ of }: { readonly of: Kind }): JSX.Element {
  const [text, bad] = hint(of);
  return <p class={`note ${bad ? "badly" : "quiet"}`}>{text}</p>;
}

function hint(of: Kind): readonly [string, boolean] {
  const here = shownMotion.value, now = touches.value[of];
  if (status.value?.moves) return [t("frames.moves"), true];
  if (!here || !now.length || (of === "zeros" && byMarks.value)) return [t("frames.stays"), false];
  const same = standsAt(here.q, now);
  if (same !== null) return [t("frames.same", { number: same + 1 }), false];
  if (of === "tool" && turning.value) return turnHint(here);
  if (of === "frame") return [t("frames.away", { mm: mm(awayFrom(here.xyz, now[0]!)) }), awayFrom(here.xyz, now[0]!) < 0.01];
  const tilt = leastTurn(here.rpy, now) ?? 0;
  return [t(tilt < TILTED ? "frames.tiltNow" : "frames.tiltGood", { degrees: degrees(tilt, 0) }), false];
}

/** Of the orientation: how far the tool has been moved from where that begins, and whether it was turned on the way. */
function turnHint(here: { readonly xyz: readonly number[]; readonly rpy: readonly number[] }): readonly [string, boolean] {
  if (turned.value === OF_TURN) return [t("frames.turnDone"), false];
  const from = beginOf({ touches: touches.value.tool, turned: turned.value }), begin = touches.value.tool[from];
  if (!begin) return [t("frames.stays"), false];
  const away = awayFrom(here.xyz, begin), tilt = turnedFrom(here.rpy, begin);
  const values = { mm: mm(away), number: from + 1, degrees: degrees(tilt, 0) };
  return tilt > TURNED ? [t("frames.turnTurned", values), true] : [t("frames.turnAway", values), away < NEAR];
}
