/** The quiet line at the bottom: alarms, how old what is shown is, drives, how late the executor is, tool, frame, recording. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { robot, status, who } from "./cell";
import { linkAge, linked } from "./link";
import { activeName } from "./move/active_frame";
import { open } from "./pages";
import { shownMotion } from "./shown_motion";
import { spoken } from "./spoken";
import { t } from "./texts";

export function Bottom(): JSX.Element {
  const now = status.value, me = who.value;
  return (
    <footer class="bottom">
      <Alarms />
      <span class="cell-name"><CellName /></span>
      <LinkAge />
      <Drives />
      <Late />
      <span>{t("bottom.tool")} <b>{robot.value?.tool || now?.tool}</b></span>
      <ActiveFrame />
      <Hint />
      <span class="space" />
      <Recording />
      <span class="whole">{me?.role && t(`role.${me.role}`)} <b>{me?.user}</b></span>
    </footer>
  );
}

const OLD = 500; // ms: what is shown is no longer what is
const LOOKS = 250; // ms between looks at how old it is

/** How old what is shown is. It is looked at again and again: a link that stands still says nothing by itself. */
export function LinkAge(): JSX.Element {
  const [age, setAge] = useState<number | null>(linkAge());
  useEffect(() => {
    const timer = window.setInterval(() => setAge(linkAge()), LOOKS);
    return () => window.clearInterval(timer);
  }, []);
  const old = !linked.value || (age ?? 0) > OLD;
  return (
    <span class={old ? "badly" : ""} data-link-age>
      {t("top.link")} <b>{!linked.value ? t("top.noLink") : age === null ? "—" : `${age.toFixed(0)} ms`}</b>
    </span>
  );
}

/** The frame that jogs go along and poses are in. */
export function ActiveFrame(): JSX.Element {
  return <span data-frame>{t("bottom.frame")} <b>{activeName.value === "tool" ? t("move.tool") : activeName.value}</b></span>;
}

/** How late the executor was. */
function Late(): JSX.Element {
  const here = shownMotion.value;
  return <span class="late">{t("bottom.executor")} · {t("bottom.late")} <b>{here ? `${(here.late * 1e6).toFixed(0)} µs` : "—"}</b></span>;
}

export function CellName(): JSX.Element {
  return <>{t("top.cell")} <b>{robot.value?.name ?? "…"}</b></>;
}

/** What the motor side is. */
export function Drives(): JSX.Element {
  return <span data-drives>{t("top.drives")} <b>{driverName(status.value?.driver ?? "")}</b></span>;
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
