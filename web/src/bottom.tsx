/** The quiet line at the bottom: alarms, how old what is shown is, drives, how late the executor is, tool, frame, recording. */

import type { JSX } from "preact";
import { motion, robot, status, who } from "./cell";
import { linked, roundTrip } from "./link";
import { open } from "./pages";
import { spoken } from "./spoken";
import { t } from "./texts";

export function Bottom(): JSX.Element {
  const now = status.value, here = motion.value, me = who.value;
  return (
    <footer class="bottom">
      <Alarms />
      <LinkAge />
      <span>{t("top.drives")} <b>{driverName(now?.driver ?? "")}</b></span>
      <span>{t("bottom.executor")} · {t("bottom.late")} <b>{here ? `${(here.late * 1e6).toFixed(0)} µs` : "—"}</b></span>
      <span>{t("bottom.tool")} <b>{robot.value?.tool || now?.tool}</b></span>
      <span>{t("bottom.frame")} <b>{now?.frame}</b></span>
      <Hint />
      <span class="space" />
      <Recording />
      <span class="whole">{me?.role && t(`role.${me.role}`)} <b>{me?.user}</b></span>
    </footer>
  );
}

/** How old what is shown is: the way to the cell and back. */
export function LinkAge(): JSX.Element {
  return (
    <span class={linked.value ? "" : "badly"} data-link-age>
      {t("top.link")} <b>{!linked.value ? t("top.noLink") : roundTrip.value === null ? "—" : `${roundTrip.value.toFixed(0)} ms`}</b>
    </span>
  );
}

export function Alarms(): JSX.Element {
  const count = status.value?.alarms ?? 0;
  const words = !linked.value ? t("bottom.alarmsUnknown") : count ? t("bottom.alarms", { count }) : t("bottom.noAlarms");
  return (
    <button type="button" class="pill alarm-pill" data-alarms={linked.value ? count : "unknown"} onClick={() => open("system")}>
      <span class={!linked.value ? "quiet" : count ? "badly" : "goodly"}>{linked.value ? "●" : "○"} {words}</span>
    </button>
  );
}

/** What went wrong in the last minute without stopping anything: it leads to the page where it is explained. */
function Hint(): JSX.Element | null {
  const now = status.value;
  if (!linked.value || !now || (!now.lost && !now.late_ticks)) return null;
  const words = [now.late_ticks ? t("bottom.lateTicks") : "", now.lost ? t("bottom.lostRecords", { count: now.lost }) : ""].filter(Boolean).join(" · ");
  return <button type="button" class="pill alarm-pill warns" data-hint title={words} onClick={() => open("system")}>▲ {words}</button>;
}

function Recording(): JSX.Element {
  const now = status.value;
  if (now?.trouble) return <span class="badly" title={spoken(now.trouble)}>{spoken(now.trouble)}</span>;
  return <span>{now?.recording ? <>{t("bottom.recording")} <b>{(now.recorded / 1e6).toFixed(1)} MB</b></> : t("bottom.notRecording")}</span>;
}

/** What the motor side is, in words where it is no real one. */
export function driverName(name: string): string {
  return name === "physics" ? t("top.twin") : name === "ideal" ? t("top.ideal") : name || "…";
}
