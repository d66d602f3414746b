/** One point: where it is, go-to, and what can be done to it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, remove } from "../api";
import { attempt, may, robot, say, status } from "../cell";
import { shownMotion } from "../shown_motion";
import { t } from "../texts";
import { Ask } from "./ask";
import { degrees, distance, jointFigure, mm, poseLine, turn } from "./figures";
import { GoTo } from "./go_to";
import { canBeName, isFree } from "./names";
import { PointHistory } from "./point_history";
import { PoseFields } from "./pose_fields";
import { points, readPoints, type TaughtPoint } from "./taught";

type Doing = "" | "touch" | "rename" | "delete" | "history";

export function PointDetail({ point, onName }: { readonly point: TaughtPoint; readonly onName: (name: string) => void }): JSX.Element {
  const [doing, setDoing] = useState<Doing>("");
  const change = async (work: () => Promise<unknown>, said: string, name: string): Promise<void> => {
    const done = await attempt(async () => {
      await work();
      await readPoints();
      return true;
    });
    setDoing("");
    if (!done) return;
    say("info", said);
    onName(name);
  };
  const mine = may("programmer");
  const toggle = (what: Doing): void => setDoing(doing === what ? "" : what);
  return (
    <div class="detail">
      <PoseFields pose={point} />
      <p class="note quiet">
        {t("teach.toolName")} <b>{point.tool || robot.value?.tool || status.value?.tool}</b> · {t("teach.frameName")} <b>{point.frame || status.value?.frame}</b>
      </p>
      <p class="note quiet joints">{t("teach.joints")} {point.q.map((value, number) => jointText(value, robot.value?.joints[number]?.unit ?? "rad")).join("  ")}</p>
      {point.fits ? <GoTo point={point} /> : <p class="note badly">{t("teach.doesNotFit")}</p>}
      <div class="row fill acts">
        <button type="button" class="button" data-touch-up disabled={!mine} onClick={() => toggle("touch")}>{t("teach.touchUp")}</button>
        <button type="button" class="button" data-rename disabled={!mine} onClick={() => toggle("rename")}>{t("common.rename")}</button>
        <button type="button" class="button" data-history onClick={() => toggle("history")}>{t("teach.history")}</button>
        <button type="button" class="button" data-delete disabled={!mine} onClick={() => toggle("delete")}>{t("common.delete")}</button>
      </div>
      {doing === "touch" && (
        <Ask yes={t("teach.touchUp")} disabled={status.value?.moves ?? false} onNo={() => setDoing("")}
          onYes={() => void change(() => post("/points/touch-up", { name: point.name }), t("teach.touchedUp", { name: point.name }), point.name)}>
          <TouchUpWords point={point} />
        </Ask>
      )}
      {doing === "rename" && <Rename point={point} onNo={() => setDoing("")}
        onYes={(to) => void change(() => post("/points/rename", { name: point.name, to }), t("teach.renamed", { name: point.name, to }), to)} />}
      {doing === "delete" && (
        <Ask yes={t("common.delete")} bad onNo={() => setDoing("")}
          onYes={() => void change(() => remove(`/points?name=${encodeURIComponent(point.name)}`), t("teach.deleted", { name: point.name }), "")}>
          {t("teach.askDelete", { name: point.name })}
        </Ask>
      )}
      {doing === "history" && <PointHistory name={point.name} />}
    </div>
  );
}

const jointText = (value: number, unit: "rad" | "m"): string => jointFigure(value, unit, 1) + (unit === "m" ? " mm" : "°");

/** What it was, and how far the robot is from there. */
function TouchUpWords({ point }: { readonly point: TaughtPoint }): JSX.Element {
  const here = shownMotion.value;
  return (
    <>
      <p>{t("teach.askTouchUp", { name: point.name })}</p>
      <p class="note"><span class="quiet">{t("teach.was")}</span> {poseLine(point)}</p>
      {here && <p class="note"><span class="quiet">{t("teach.becomes")}</span> {poseLine(here)}</p>}
      {here && <p class="note"><b>{t("teach.apart", { mm: mm(distance(here.xyz, point.xyz)), degrees: degrees(turn(here.rpy, point.rpy), 1) })}</b></p>}
    </>
  );
}

function Rename({ point, onYes, onNo }: { readonly point: TaughtPoint; readonly onYes: (to: string) => void; readonly onNo: () => void }): JSX.Element {
  const [to, setTo] = useState(point.name);
  const others = (points.value ?? []).map((each) => each.name).filter((name) => name !== point.name);
  const trouble = !canBeName(to) ? t("teach.badName") : !isFree(to, others) ? t("teach.taken", { name: to }) : "";
  return (
    <Ask yes={t("common.rename")} disabled={trouble !== "" || to === point.name} onNo={onNo} onYes={() => onYes(to)}>
      <label class="field">
        <span>{t("teach.newName")}</span>
        <input name="to" value={to} spellcheck={false} autocomplete="off" onInput={(event) => setTo(event.currentTarget.value)} />
      </label>
      <p class={`note ${trouble ? "badly" : "quiet"}`}>{trouble || t("teach.renameHint")}</p>
    </Ask>
  );
}
