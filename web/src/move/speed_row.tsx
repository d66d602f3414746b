/** How fast jogging is: a share of what it may be, told as a speed. */

import type { JSX } from "preact";
import { robot } from "../cell";
import { t } from "../texts";
import { pace, way } from "./jogging";
import { LINEAR, OF_JOINT } from "./speeds";
import { asText, sign } from "./units";

export function SpeedRow(): JSX.Element {
  const share = pace.value;
  const percent = Math.round(100 * share);
  const words = way.value === "joints" ? fastest(share) : `${asText(LINEAR * share, "m", 0)} mm/s`;
  return (
    <label class="move-speed">
      <span class="quiet">{t("move.speed")}</span>
      <input type="range" min="2" max="100" step="1" value={percent} aria-label={t("move.speed")} aria-valuetext={`${percent} %, ${words}`}
        onInput={(event) => (pace.value = Number(event.currentTarget.value) / 100)} />
      <b>{words}</b>
    </label>
  );
}

/** How fast the fastest joint would be. */
function fastest(share: number): string {
  const joints = robot.value?.joints ?? [];
  const unit = joints.some((joint) => joint.unit === "rad") ? "rad" : "m";
  const most = Math.max(0, ...joints.filter((joint) => joint.unit === unit).map((joint) => joint.velocity));
  return `${asText(OF_JOINT * share * most, unit, 0)}${sign(unit)}/s`;
}
