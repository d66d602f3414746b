/** The frame around all pages: status and STOP on top, pages on the left, the robot in the middle, the page's panel on the right. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post } from "./api";
import { attempt, inControl, letGo, may, motion, robot, send, status, stopNow, toast, who } from "./cell";
import { takeControl } from "./control";
import { WayBack } from "./frames/way_back";
import { Icon } from "./icons";
import { linked, roundTrip } from "./link";
import { Menu } from "./menu";
import { open, page, PAGES } from "./pages";
import { Choice } from "./parts/choice";
import { TorqueStrip } from "./parts/torque_strip";
import { type Key, t } from "./texts";
import { Tour } from "./tour";
import { RobotView } from "./view/robot_view";

export function Frame(): JSX.Element {
  const here = PAGES.find((each) => each.name === page.value) ?? PAGES[0]!;
  const [closed, setClosed] = useState(false);
  useKeysAndFocus();
  return (
    <div class={`frame ${here.wide ? "wide" : ""}`}>
      <Top />
      <SecondLine />
      <nav class="rail" aria-label={t("page.all")}>
        {PAGES.map((each) => (
          <button key={each.name} type="button" aria-current={each.name === here.name ? "page" : undefined} data-page={each.name}
            onClick={() => { letGo(); open(each.name); setClosed(each.name === here.name && !closed); }}>
            <Icon name={each.name} />
            {t(each.title)}
          </button>
        ))}
      </nav>
      <main class="view">
        <RobotView />
        <WayBack />
        {here.name === "program" && robot.value && <TorqueStrip joint={carrying(robot.value.joints.length)} />}
      </main>
      <aside class={`panel ${closed ? "closed" : ""}`} key={here.name}>
        {!linked.value && <div class="banner" role="alert">{t("top.noLink")}</div>}
        <here.panel />
      </aside>
      <Bottom />
      <ToastLine />
      <Tour />
    </div>
  );
}

/** The joint whose torque says most of an arm: the second carries it all. */
const carrying = (joints: number): number => Math.min(1, joints - 1);

/** Esc stops; a page that is hidden or out of focus lets go of whatever it holds. */
function useKeysAndFocus(): void {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Escape") stopNow();
    };
    const hidden = (): void => {
      const seen = document.visibilityState === "visible";
      if (!seen) letGo();
      send({ key: "focus", seen });
    };
    window.addEventListener("keydown", key, true);
    window.addEventListener("blur", letGo);
    window.addEventListener("pagehide", letGo);
    document.addEventListener("visibilitychange", hidden);
    return () => {
      window.removeEventListener("keydown", key, true);
      window.removeEventListener("blur", letGo);
      window.removeEventListener("pagehide", letGo);
      document.removeEventListener("visibilitychange", hidden);
    };
  }, []);
}

function Top(): JSX.Element {
  return (
    <header class="top">
      <Menu />
      <span class="pill spare">{t("top.cell")} <b>{robot.value?.name ?? "…"}</b></span>
      <StatePill />
      <span class="phone-hidden"><Mode /></span>
      <span class="space" />
      <span class="phone-hidden"><Feed /></span>
      <ControlPill />
      <button type="button" class="stop" data-stop onPointerDown={() => stopNow()} onClick={(event) => event.detail === 0 && stopNow()}>
        <strong>{t("stop.stop")}</strong>
        <span>{t("stop.hint")}</span>
      </button>
    </header>
  );
}

/** On a phone, below the top: what else must always be seen there. */
function SecondLine(): JSX.Element {
  return (
    <div class="second-line">
      <Mode />
      <Feed />
      <LinkAge />
      <Alarms />
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

/** How old what is shown is: the way to the cell and back. */
function LinkAge(): JSX.Element {
  return (
    <span class={linked.value ? "" : "badly"} data-link-age>
      {t("top.link")} <b>{!linked.value ? t("top.noLink") : roundTrip.value === null ? "—" : `${roundTrip.value.toFixed(0)} ms`}</b>
    </span>
  );
}

function Alarms(): JSX.Element {
  const count = status.value?.alarms ?? 0;
  return (
    <button type="button" class="pill" style={{ minHeight: "28px" }} onClick={() => open("system")}>
      <span class={count ? "badly" : "goodly"}>● {count ? t("bottom.alarms", { count }) : t("bottom.noAlarms")}</span>
    </button>
  );
}

function driver(name: string): string {
  return name === "physics" ? t("top.twin") : name === "ideal" ? t("top.ideal") : name || "…";
}

const GOOD = new Set(["READY", "MOVING"]);

/** The state, and what leads out of it. */
function StatePill(): JSX.Element {
  const now = status.value;
  const state = now?.state ?? "OFF";
  const kind = state === "FAULTED" ? "bad" : GOOD.has(state) ? "good" : "";
  const out: { readonly text: Key; readonly path: string } | null =
    state === "FAULTED" ? { text: "top.reset", path: "/reset" }
    : state === "OFF" || state === "STOPPED" ? { text: "top.powerOn", path: "/power/on" }
    : state === "HOLDING" ? { text: "top.resume", path: "/resume" }
    : null;
  return (
    <>
      <span class={`pill ${kind}`} data-state={state} title={now?.fault}>● {t(`state.${state}` as Key)}</span>
      {out && <button type="button" class="button do" data-way-out disabled={!inControl.value} onClick={() => void attempt(() => post(out.path))}>{t(out.text)}</button>}
      {state === "READY" && (
        <button type="button" class="button power phone-hidden" data-power-off aria-label={t("top.powerOff")} title={t("top.powerOff")}
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
    <label class="row quiet feed" style={{ flexWrap: "nowrap" }}>
      <span class="spare">{t("top.feed")}</span>
      <input type="range" min="0" max="100" step="1" aria-label={t("top.feed")} value={Math.round(shown * 100)} disabled={!inControl.value} class="feed"
        onInput={(event) => {
          const value = Number(event.currentTarget.value) / 100;
          setMine(value);
          void attempt(() => post("/override", { rate: value })).then(() => setMine(null));
        }} />
      <b style={{ color: "var(--text)", minWidth: "52px" }}>{Math.round(shown * 100)} %</b>
    </label>
  );
}

function ControlPill(): JSX.Element {
  const control = status.value?.control;
  const mine = inControl.value;
  const name = mine ? t("top.you") : control?.name || t("top.nobody");
  if (mine && control?.asked_by)
    return <button type="button" class="pill bad" onClick={() => void attempt(() => post("/control/give"))}>{t("top.askedBy", { name: control.asked_by })}: {t("top.give")}</button>;
  return (
    <button type="button" class="pill" data-control disabled={!may("operator") || !control} title={mine ? t("top.give") : t("top.take")}
      onClick={() => void (mine ? attempt(() => post("/control/give")) : takeControl())}>
      <span class="phone-hidden">{t("top.control")}</span> <b>{name}</b>
    </button>
  );
}

function Bottom(): JSX.Element {
  const now = status.value, here = motion.value, me = who.value;
  return (
    <footer class="bottom">
      <Alarms />
      <LinkAge />
      <span>{t("top.drives")} <b>{driver(now?.driver ?? "")}</b></span>
      <span>{t("bottom.executor")} · {t("bottom.late")} <b>{here ? `${(here.late * 1e6).toFixed(0)} µs` : "—"}</b></span>
      <span>{t("bottom.tool")} <b>{robot.value?.tool || now?.tool}</b></span>
      <span>{t("bottom.frame")} <b>{now?.frame}</b></span>
      <span class="space" />
      <span class={now?.trouble ? "badly" : ""}>{now?.trouble || (now?.recording ? <>{t("bottom.recording")} <b>{(now.recorded / 1e6).toFixed(1)} MB</b></> : t("bottom.notRecording"))}</span>
      <span>{me?.role && t(`role.${me.role}`)} <b>{me?.user}</b></span>
    </footer>
  );
}

/** What was refused, in words; it goes by itself, or at a touch. */
function ToastLine(): JSX.Element | null {
  const said = toast.value;
  useEffect(() => {
    if (!said) return;
    const timer = window.setTimeout(() => (toast.value = null), said.kind === "refused" ? 10_000 : 4000);
    return () => window.clearTimeout(timer);
  }, [said]);
  if (!said) return null;
  return (
    <div class={`toast ${said.kind}`} role="alert">
      <span>{said.text}</span>
      <button type="button" class="button" onClick={() => (toast.value = null)}>{t("common.close")}</button>
    </div>
  );
}
