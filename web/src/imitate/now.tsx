/** While somebody is imitated: the clutch, how well it goes, and what was kept. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { canMove, inControl, needsKey, onLetGo, status } from "../cell";
import { Choice } from "../parts/choice";
import { HeldOrder, tellRelease } from "../parts/held_order";
import { HoldButton } from "../parts/hold";
import { spoken } from "../spoken";
import { t } from "../texts";
import { Countdown } from "./countdown";
import { Errors, LatencyTable, MatchTable } from "./figures";
import { calibrate, clutch, end, handOut, imitated, type ImitationNow, record, setSpeed } from "./imitation";
import { NotProven } from "./not_proven";
import { ableIn, hintOf, lookOf, wordOf } from "./phases";
import { SpeedRow } from "./speed_row";

const how = signal<"hold" | "toggle">("hold");
const countdown = new Countdown(3, () => void calibrate());
const held = new HeldOrder({
  order: async () => void clutch("engage"), // not waited for: orders go one after the other, and every press gives one
  release: () => {
    tellRelease();
    void clutch("release");
  },
});

/** Nobody is there any more who could let go. */
function letGo(): void {
  countdown.end();
  if (imitated.peek() && ableIn(imitated.peek()!.phase, true, true).closed) void clutch("release");
}

export function Now({ now }: { readonly now: ImitationNow }): JSX.Element {
  useEffect(() => onLetGo(letGo), []);
  useEffect(() => () => countdown.end(), []);
  return (
    <>
      <Who now={now} />
      <Clutch now={now} />
      <NotProven />
      <SpeedRow value={now.speed} disabled={!inControl.value} onChange={(speed) => void setSpeed(speed)} />
      <Errors errors={now.errors} />
      <Calibrate now={now} />
      <Recording now={now} />
      <MatchTable matched={now.matched} />
      <LatencyTable stages={now.latency} />
      <button type="button" class="button" data-end disabled={!inControl.value} onClick={() => void end()}>{t("imitate.end")}</button>
      {!inControl.value && <p class="note quiet">{t(needsKey())}</p>}
    </>
  );
}

function Who({ now }: { readonly now: ImitationNow }): JSX.Element {
  const state = now.lost ? t("imitate.lost", { why: spoken(now.lost) }) : now.held_by ? t("imitate.held", { why: spoken(now.held_by) }) : t(hintOf(now.phase));
  return (
    <div class="card">
      <div class="row who"><b class="title" title={now.name}>{now.name || t("imitate.given")}</b><span class={`pill ${lookOf(now)}`} data-phase={now.phase}>● {t(wordOf(now.phase))}</span></div>
      <p class="note quiet">{now.mapping === "paper" ? t("imitate.paper") : t("imitate.general")} · {now.mirrored ? t("imitate.mirrored") : t("imitate.asIs")}</p>
      <p class={`state ${now.lost ? "badly" : ""}`} role="status">{state}</p>
      <p class="note quiet counts">
        <span><b>{now.rate.toFixed(0)}</b> Hz</span> <span><b>{now.frames}</b> {t("imitate.frames")}</span>{" "}
        <span class={now.frames_lost ? "badly" : ""}><b>{now.frames_lost}</b> {t("imitate.framesLost")}</span>{" "}
        <span class={now.refused ? "badly" : ""}><b>{now.refused}</b> {t("imitate.framesRefused")}</span>
      </p>
    </div>
  );
}

function Clutch({ now }: { readonly now: ImitationNow }): JSX.Element {
  const able = ableIn(now.phase, inControl.value, canMove.value), automatic = status.value?.mode === "automatic";
  return (
    <>
      {automatic && (
        <Choice label={t("imitate.clutch")} value={how.value} onChoose={(value) => (how.value = value)}
          of={[{ value: "hold", label: t("imitate.hold"), disabled: able.closed }, { value: "toggle", label: t("imitate.toggle"), disabled: able.closed }]} />
      )}
      {automatic && how.value === "toggle" ? ( // in manual mode nothing moves that nobody holds
        <button type="button" class={`button clutch ${able.closed ? "do" : ""}`} aria-pressed={able.closed} data-clutch disabled={!(able.closed ? able.release : able.engage)}
          onClick={() => void clutch(able.closed ? "release" : "engage")}>
          {able.closed ? t("imitate.letGo") : t("imitate.engage")}
        </button>
      ) : (
        <HoldButton className="clutch" label={t("imitate.holdEngage")} disabled={!(able.engage || able.release)} onHold={held.hold} onRelease={held.release}>
          {able.closed ? t("imitate.holding") : t("imitate.holdEngage")}
        </HoldButton>
      )}
      <div class="row fill">
        <button type="button" class="button big" data-freeze disabled={!able.freeze} onClick={() => void clutch("freeze")}>{t("imitate.freeze")}</button>
        <button type="button" class="button big" data-release disabled={!able.release} onClick={() => void clutch("release")}>{t("imitate.release")}</button>
      </div>
      <p class="note quiet">{t("imitate.clutchHint")}</p>
    </>
  );
}

function Calibrate({ now }: { readonly now: ImitationNow }): JSX.Element {
  const left = countdown.left.value, learns = now.calibrating > 0;
  return (
    <section class="part">
      <h2>{t("imitate.calibrate")}</h2>
      {left > 0 || learns ? (
        <div class="card counting" role="status" data-counting={left}>
          <b>{left > 0 ? t("imitate.stand", { left }) : t("imitate.standStill")}</b>
          <progress max={1} value={learns ? now.calibrating : 0} aria-label={t("imitate.calibrate")} />
          {left > 0 && <button type="button" class="button" onClick={() => countdown.end()}>{t("common.cancel")}</button>}
        </div>
      ) : (
        <button type="button" class="button" data-calibrate disabled={!inControl.value} onClick={() => countdown.begin()}>{t("imitate.calibrate")}</button>
      )}
      {now.said && <p class="note">{spoken(now.said)}</p>}
      {now.learnt && <p class="note quiet">{t("imitate.learnt", { how: spoken(now.learnt) })}</p>}
    </section>
  );
}

function Recording({ now }: { readonly now: ImitationNow }): JSX.Element {
  const any = now.recorded > 0;
  return (
    <section class="part">
      <h2>{t("imitate.recording")}</h2>
      <button type="button" class="button" data-record disabled={!inControl.value} onClick={() => void record()}>{any ? t("imitate.recordAnew") : t("imitate.record")}</button>
      <p class="note quiet" data-kept={now.recorded}>{any ? t("imitate.kept", { count: now.recorded }) : t("imitate.keptWhile")}</p>
      <div class="row fill">
        <button type="button" class="button" data-get="person" disabled={!any} onClick={() => void handOut("person")}>{t("imitate.getPerson")}</button>
        <button type="button" class="button" data-get="program" disabled={!any} onClick={() => void handOut("program")}>{t("imitate.getProgram")}</button>
      </div>
    </section>
  );
}
