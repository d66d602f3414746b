/** The top of the frame: state and the way out of it, mode, feed, who has control, and STOP, which never moves. */

import type { JSX } from "preact";
import { post } from "./api";
import { attempt, inControl, may, needsKey, robot, status } from "./cell";
import { holderName, takeControl } from "./control";
import { setFeed, wantedFeed } from "./feed";
import { Icon } from "./icons";
import { linked } from "./link";
import { Menu } from "./menu";
import { chooseMode, type Mode } from "./mode";
import { ActiveFrame, Alarms, CellName, Drives, LinkAge } from "./bottom";
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
        <span class="pill cell-pill"><CellName /></span>
        <StatePill />
        <span class="phone-hidden"><Power /></span>
        <span class="phone-hidden"><Mode /></span>
        <WayOut />
        <span class="space" />
        <span class="phone-hidden"><Feed /></span>
        <ControlPill />
      </div>
      <StopButton />
    </header>
  );
}

/** On a phone, below the top: what else must always be seen there, all of it. */
export function SecondLine(): JSX.Element {
  return (
    <div class="second-line">
      <Power />
      <Mode />
      <Alarms />
      <Feed />
      <span><CellName /></span>
      <LinkAge />
      <Drives />
      <span>{t("bottom.tool")} <b>{robot.value?.tool || status.value?.tool}</b></span>
      <ActiveFrame />
    </div>
  );
}

function Mode(): JSX.Element {
  return (
    <Choice<Mode> label={t("mode.mode")} value={status.value?.mode === "automatic" ? "automatic" : "manual"} onChoose={chooseMode}
      of={[
        { value: "manual", label: t("mode.manual"), disabled: !inControl.value },
        { value: "automatic", label: t("mode.automatic"), disabled: !inControl.value },
      ]} />
  );
}

const GOOD = new Set(["READY", "MOVING"]);

/** The state; beside it, whether what is driven is proven before it is driven. */
function StatePill(): JSX.Element {
  const now = status.value;
  const state = now?.state ?? "OFF";
  if (!linked.value) return <span class="pill state-pill" data-state="unknown">○ {t("top.unknown")}</span>;
  const proven = now?.certified !== false;
  const kind = state === "FAULTED" ? "bad" : !proven ? "warns" : GOOD.has(state) ? "good" : "";
  return (
    <span class={`pill state-pill ${kind}`} data-state={state} title={spoken(now?.fault ?? "") || (proven ? "" : t("top.notProven"))}>{proven ? "●" : "▲"} {t(`state.${state}` as Key)}</span>
  );
}

/** What leads out of a state that nothing can be moved in. It stands behind what is always there, which does not move for it. */
function WayOut(): JSX.Element | null {
  if (!linked.value) return null;
  const state = status.value?.state ?? "OFF";
  const out: { readonly text: Key; readonly path: string } | null =
    state === "FAULTED" ? { text: "top.reset", path: "/reset" }
    : state === "OFF" ? { text: "top.powerOn", path: "/power/on" }
    : state === "STOPPED" ? { text: "top.release", path: "/power/on" }
    : null;
  return (
    <>
      {out && <button type="button" class="button do" data-way-out disabled={!inControl.value} onClick={() => void attempt(() => post(out.path))}>{t(out.text)}</button>}
      {showsGoOn() && <GoOn />}
    </>
  );
}

/** Why the drives cannot be switched off now; null where they can. */
function whyNotOff(): Key | null {
  if (!linked.value) return "top.noLink";
  if (!inControl.value) return needsKey();
  const state = status.value?.state ?? "OFF";
  return state === "OFF" ? "top.isOff" : state === "MOVING" ? "top.offMoving" : state === "FAULTED" ? "top.offFaulted" : null;
}

function Power(): JSX.Element {
  const why = whyNotOff(), words = t("top.powerOff");
  return (
    <button type="button" class="button power" data-power-off aria-label={words} title={why ? `${words}: ${t(why)}` : words} disabled={why !== null}
      onClick={() => void attempt(() => post("/power/off"))}>
      <Icon name="power" />
    </button>
  );
}

/** What was set here is shown until the cell says it, too: a state that was on its way before is older. */
function Feed(): JSX.Element {
  const shown = wantedFeed.value ?? status.value?.rate ?? 1;
  return (
    <label class="row quiet feed-row">
      <span class="feed-word">{t("top.feed")}</span>
      <input type="range" min="0" max="100" step="1" aria-label={t("top.feed")} value={Math.round(shown * 100)} disabled={!inControl.value} class="feed"
        onInput={(event) => void setFeed(Number(event.currentTarget.value) / 100)} />
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
