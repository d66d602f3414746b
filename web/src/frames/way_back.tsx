/** What is under way on another page, over the robot: touch or finish from where one jogs, and the way back. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { open, page } from "../pages";
import { clock } from "../moment";
import { recording } from "../teach/taught";
import { type Key, t } from "../texts";
import { canTouch, type Kind, kept, kind, least, touch, touches } from "./calibration";
import "./way_back.css";

const TITLES: Record<Kind, Key> = { tool: "frames.toolTitle", frame: "frames.frameTitle", zeros: "frames.zerosTitle" };

export function WayBack(): JSX.Element | null {
  const touching = kind.value !== null && !kept.value && page.value === "move";
  const records = recording.value !== null && page.value === "move";
  if (!touching && !records) return null;
  return (
    <div class="way-back">
      {touching && kind.value && <Touching of={kind.value} />}
      {records && <Recording />}
    </div>
  );
}

function Touching({ of }: { readonly of: Kind }): JSX.Element {
  return (
    <div class="strip">
      <span>{t("frames.progress", { title: t(TITLES[of]), count: touches.value[of].length, least: least(of) })}</span>
      <button type="button" class="button do" data-touch-now disabled={!canTouch()} onClick={touch}>{t("frames.touch")}</button>
      <button type="button" class="button" data-back onClick={() => open("frames")}>{t("frames.back")}</button>
    </div>
  );
}

function Recording(): JSX.Element {
  const [, again] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => again((count) => count + 1), 500);
    return () => window.clearInterval(timer);
  }, []);
  const now = recording.value;
  return (
    <div class="strip">
      <span>● {t("teach.recording", { name: now?.name ?? "" })} <b>{clock((performance.now() - (now?.since ?? 0)) / 1000)}</b></span>
      <button type="button" class="button" data-back onClick={() => open("teach")}>{t("frames.back")}</button>
    </div>
  );
}
