/** The touches, each with how far it is off; one that does not belong to the others is said to be one. */

import type { JSX } from "preact";
import { degrees, mm } from "../teach/figures";
import { type Key, t } from "../texts";
import { forget, type Kind, pose, touches, turned, zeros } from "./calibration";
import { beginOf } from "./tool_touches";
import { awayFrom, leastTurn, shares } from "./touch";

const FRAME: readonly Key[] = ["frames.origin", "frames.onX", "frames.inPlane"];
const TURN: readonly Key[] = ["frames.alongZ", "frames.towardsX"];

export function TouchList({ of }: { readonly of: Kind }): JSX.Element | null {
  const now = touches.value[of];
  if (!now.length) return null;
  const found = (of === "zeros" ? zeros.value?.residuals : pose.value?.residuals) ?? [];
  const out = new Set(of === "zeros" ? [] : pose.value?.outliers ?? []);
  const bars = shares(found);
  const begin = of === "tool" ? beginOf({ touches: now, turned: turned.value }) : now.length, point = now.slice(0, begin + 1);
  return (
    <>
      <h2 class="head-row">{t("frames.touches")}{found.length > 0 && <span class="units">{t("frames.off")}</span>}</h2>
      <ol class="list touches">
        {now.map((touch, number) => {
          const off = found[number], tilt = number > begin ? null : leastTurn(touch.rpy, point.filter((_, each) => each !== number));
          return (
            <li key={number} class={`item ${out.has(number) ? "out" : ""}`} data-touch={number}>
              <b class="number">{number + 1}</b>
              <span class="name">
                {of === "frame" && <span>{t(FRAME[Math.min(number, 2)]!)} </span>}
                {number > begin && <span>{t(TURN[number - begin - 1]!)} <span class="quiet">{t("frames.away", { mm: mm(awayFrom(touch.xyz, now[begin]!)) })}</span></span>}
                {of === "tool" && number === begin && turned.value > 0 && <span>{t("frames.turnBegin")}</span>}
                {of === "tool" && tilt !== null && <span class="quiet">{t("frames.tilt", { degrees: degrees(tilt, 0) })}</span>}
                {of !== "tool" && <span class="quiet">{touch.xyz.map((value) => mm(value)).join("  ")}</span>}
                {off !== undefined && <span class="off"><i style={{ width: `${100 * (bars[number] ?? 0)}%` }} /></span>}
                {out.has(number) && <span class="badly">{t("frames.outlier")}</span>}
              </span>
              {off !== undefined && <span class="figure">{mm(off, 2)}</span>}
              <button type="button" class="button" aria-label={t("frames.leaveOut", { number: number + 1 })} onClick={() => forget(number)}>×</button>
            </li>
          );
        })}
      </ol>
    </>
  );
}
