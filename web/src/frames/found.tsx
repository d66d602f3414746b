/** What the touches say, and how far it can be trusted. */

import type { JSX } from "preact";
import { robot } from "../cell";
import { degrees, jointFigure, mm } from "../teach/figures";
import { t } from "../texts";
import { kind, pose, problem, turned, zeros } from "./calibration";
import { OF_TURN } from "./tool_touches";
import type { PoseFound, ZerosFound } from "./measured";

const ENOUGH = 0.2; // of the most that a tool's orientations can differ: below it an error in touching comes back five times as large

export function Found(): JSX.Element | null {
  if (problem.value) return <div class="card refused" role="alert"><b>{t("frames.noResult")}</b><p class="note">{problem.value}</p></div>;
  if (pose.value) return <PoseCard found={pose.value} />;
  if (zeros.value) return <ZerosCard found={zeros.value} />;
  return null;
}

function PoseCard({ found }: { readonly found: PoseFound }): JSX.Element {
  const sure = found.uncertainty, told = kind.value === "frame" || turned.value === OF_TURN; // how it is turned
  return (
    <div class="card" data-found>
      <h2>{t("frames.result")}</h2>
      <div class="grid3">
        {found.xyz.map((value, axis) => (
          <div key={axis} class="field"><span>{"XYZ"[axis]} mm</span>{mm(value, 2)}{sure[axis] != null && <span>± {mm(sure[axis] ?? 0, 2)}</span>}</div>
        ))}
        {told && found.rpy.map((value, axis) => <div key={`t${axis}`} class="field"><span>{"ABC"[axis]} °</span>{degrees(value)}</div>)}
      </div>
      <p class="note"><span class="quiet">{t("frames.rms")}</span> <b>{mm(found.rms, 2)} mm</b> · <span class="quiet">{t("frames.worst")}</span> <b>{mm(Math.max(...found.residuals), 2)} mm</b></p>
      {found.spread !== null && (
        <div class="spread">
          <span class="quiet note">{t("frames.spread")}</span>
          <span class="bar"><u style={{ left: `${100 * ENOUGH}%` }} /><i class={found.spread < ENOUGH ? "bad" : ""} style={{ left: `${100 * Math.min(1, found.spread)}%` }} /></span>
          <b data-spread>{Math.round(100 * found.spread)} %</b>
        </div>
      )}
      {found.spread !== null && found.spread < ENOUGH && <p class="note badly">{t("frames.tiltMore")}</p>}
    </div>
  );
}

function ZerosCard({ found }: { readonly found: ZerosFound }): JSX.Element {
  return (
    <div class="card" data-found>
      <h2>{t("frames.offsets")}</h2>
      <table class="plain">
        <tbody>
          {found.joints.map((joint, number) => {
            const unit = robot.value?.joints.find((each) => each.name === joint)?.unit ?? "rad", sure = found.uncertainty[number];
            return (
              <tr key={joint}>
                <th>{joint}</th>
                {found.determined[number] ? (
                  <><td class="figure">{jointFigure(found.offsets[number] ?? 0, unit, 3)} {unit === "m" ? "mm" : "°"}</td><td class="quiet">{sure == null ? "" : `± ${jointFigure(sure, unit, 3)}`}</td></>
                ) : <td class="quiet" colSpan={2}>{t("frames.notTold")}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {found.rms !== null && <p class="note"><span class="quiet">{t("frames.before")}</span> <b>{mm(found.rmsBefore ?? 0, 2)} mm</b> · <span class="quiet">{t("frames.after")}</span> <b>{mm(found.rms, 2)} mm</b></p>}
    </div>
  );
}
