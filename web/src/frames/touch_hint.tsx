/** What can be said of a touch before it is taken: whether the robot moved since the last, is tilted enough, far enough. */

import type { JSX } from "preact";
import { motion, status } from "../cell";
import { degrees, mm } from "../teach/figures";
import { t } from "../texts";
import { byMarks, type Kind, touches } from "./calibration";
import { awayFrom, leastTurn, standsAt, TILTED } from "./touch";

export function TouchHint({ of }: { readonly of: Kind }): JSX.Element {
  const [text, bad] = hint(of);
  return <p class={`note ${bad ? "badly" : "quiet"}`}>{text}</p>;
}

function hint(of: Kind): readonly [string, boolean] {
  const here = motion.value, now = touches.value[of];
  if (status.value?.moves) return [t("frames.moves"), true];
  if (!here || !now.length || (of === "zeros" && byMarks.value)) return [t("frames.stays"), false];
  const same = standsAt(here.q, now);
  if (same !== null) return [t("frames.same", { number: same + 1 }), false];
  if (of === "frame") return [t("frames.away", { mm: mm(awayFrom(here.xyz, now[0]!)) }), awayFrom(here.xyz, now[0]!) < 0.01];
  const tilt = leastTurn(here.rpy, now) ?? 0;
  return [t(tilt < TILTED ? "frames.tiltNow" : "frames.tiltGood", { degrees: degrees(tilt, 0) }), false];
}
