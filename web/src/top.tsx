/** The top of the frame: state and the way out of it, mode, feed, who has control, and STOP, which never moves. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "./api";
import { attempt, inControl, may, robot, status } from "./cell";
import { holderName, takeControl } from "./control";
import { Icon } from "./icons";
import { linked } from "./link";
import { Menu } from "./menu";
import { Alarms, LinkAge } from "./bottom";
import { Choice } from "./parts/choice";
import { GoOn, showsGoOn } from "./parts/go_on";
import { StopButton } from "./parts/stop_button";
import { spoken } from "./spoken";
import { type Key, t } from "./texts";

/** All but STOP shrinks where there is no room. */
export function Top(): JSX.Element {
  return (
    <header class="top">
      <div class="top-rest">
        <Menu />
        <span class="pill spare">{t("top.cell")} <b>{robot.value?.name ?? "…"}</b></span>
        <StatePill />
        <span class="phone-hidden"><Mode /></span>
        <span class="space" />
        <span class="phone-hidden"><Feed /></span>
        <ControlPill />
      </div>
      <StopButton />
    </header>
  );
}

/** On a phone, below the top: what else must always be seen there, the alarms first. */
export function SecondLine(): JSX.Element {
  return (
    <div class="second-line">
      <Alarms />
      <Mode />
      <Feed />
      <LinkAge />
      <span>{t("bottom.tool")} <b>{robot.value?.tool || status.value?.tool}</b></span>
      <span>{t("bottom.frame")} <b>{status.value?.frame}</b></span>
    </div>
  );
}

function Mode(): JSX.Element {
  return (
    <Choice label={t("mode.mode")} value={status.value?.mode ?? "manual"} onChoose={(mode) => void attempt(() => post("/mode", { mode }))}
      of={[
        { value: "manual", label: t("mode.manual"), disabled: !inControl.value },
        { value: "automatic", label: t("mode.automatic"), disabled: !inControl.value },
      ]} />
  );
}

const GOOD = new Set(["READY", "MOVING"]);

/** The state, and what leads out of it. */
function StatePill(): JSX.Element {
  const now = status.value;
  const state = now?.state ?? "OFF";
  if (!linked.value) return <span class="pill" data-state="unknown">○ {t("top.unknown")}</span>;
  const kind = state === "FAULTED" ? "bad" : GOOD.has(state) ? "good" : "";
  const out: { readonly text: Key; readonly path: string } | null =
    state === "FAULTED" ? { text: "top.reset", path: "/reset" }
    : state === "OFF" ? { text: "top.powerOn", path: "/power/on" }
    : state === "STOPPED" ? { text: "top.release", path: "/power/on" }
    : null;
  return (
    <>
      <span class={`pill ${kind}`} data-state={state} title={spoken(now?.fault ?? "")}>● {t(`state.${state}` as Key)}</span>
      {out && <button type="button" class="button do" data-way-out disabled={!inControl.value} onClick={() => void attempt(() => post(out.path))}>{t(out.text)}</button>}
      {showsGoOn() && <GoOn />}
      {state === "READY" && (
        <button type="button" class="button power" data-power-off aria-label={t("top.powerOff")} title={t("top.powerOff")}
          disabled={!inControl.value} onClick={() => void attempt(() => post("/power/off"))}>
          <Icon name="power" />
        </button>
      )}
    </>
  );
}

function Feed(): JSX.Element {
  const rate = status.value?.rate ?? 1;
  const [mine, setMine] = useState<number | null>(null);
  const shown = mine ?? rate;
  return (
    <label class="row quiet feed-row">
      <span class="spare">{t("top.feed")}</span>
      <input type="range" min="0" max="100" step="1" aria-label={t("top.feed")} value={Math.round(shown * 100)} disabled={!inControl.value} class="feed"
        onInput={(event) => {
          const value = Number(event.currentTarget.value) / 100;
          setMine(value);
          void attempt(() => post("/override", { rate: value })).then(() => setMine(null));
        }} />
      <b class="feed-rate">{Math.round(shown * 100)} %</b>
    </label>
  );
}

function ControlPill(): JSX.Element {
  const control = status.value?.control;
  const mine = inControl.value;
  if (mine && control?.asked_by) {
    const words = `${t("top.askedBy", { name: control.asked_by })}: ${t("top.give")}`;
    return <button type="button" class="pill bad control-pill" title={words} onClick={() => void attempt(() => post("/control/give"))}><span>{words}</span></button>;
  }
  const name = !linked.value ? t("top.unknown") : holderName() || t("top.nobody");
  return (
    <button type="button" class="pill control-pill" data-control disabled={!may("operator") || !control || !linked.value} title={`${name} · ${mine ? t("top.give") : t("top.take")}`}
      onClick={() => void (mine ? attempt(() => post("/control/give")) : takeControl())}>
      <span class="phone-hidden">{t("top.control")}</span> <b>{name}</b>
    </button>
  );
}
