/** Follow: this robot goes as another one goes, or as a gamepad leads it, while the clutch is engaged. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { get, post } from "../api";
import { driverName } from "../bottom";
import { attempt, canMove, inControl, needsKey, onLetGo, status } from "../cell";
import { PAD_SCALES, PadChoice, padLeads, PadNow, usePad, whyNoPad } from "../follow/pad_leader";
import { LINEAR } from "../move/speeds";
import { asText } from "../move/units";
import { Choice } from "../parts/choice";
import { HeldOrder, tellRelease } from "../parts/held_order";
import { HoldButton } from "../parts/hold";
import { spoken } from "../spoken";
import { t } from "../texts";
import "./follow.css";
import "./teach.css";

interface Leader {
  readonly name: string;
  readonly source: string; // its robot or cell
  readonly driver: string;
}

/** What is followed now. */
interface Following {
  readonly leader: string; // "" for none
  readonly kind: "joints" | "tool";
  readonly scale: number;
  readonly engaged: boolean;
  readonly lost: string; // why it let go by itself
  readonly held_by: string; // what holds it at an edge
}

const AGAIN = 1000; // ms
const SCALES = [0.1, 0.25, 0.5, 1, 2] as const;

const leaders = signal<readonly Leader[] | null>(null);
const following = signal<Following | null>(null);
const PAD = ":gamepad"; // no cell has such a name
const chosen = signal("");
const kind = signal<"joints" | "tool">("joints");
const scale = signal(1);
const clutch = signal<"hold" | "toggle">("hold");

async function look(): Promise<void> {
  const now = await get<{ readonly leaders: readonly Leader[]; readonly following: Following }>("/follow/leaders");
  leaders.value = now.leaders;
  following.value = now.following.leader ? now.following : null;
}

/** One order after the other: a clutch that is let go at once must not end engaged. */
let last: Promise<unknown> = Promise.resolve();
function inOrder(work: () => Promise<unknown>): Promise<unknown> {
  last = last.then(() => attempt(async () => {
    await work();
    await look();
  }));
  return last;
}

const engage = (engaged: boolean): Promise<unknown> => inOrder(() => post("/follow/clutch", { engaged }));

export function FollowPage(): JSX.Element {
  usePad();
  useEffect(() => {
    void attempt(look);
    const timer = window.setInterval(() => document.visibilityState === "visible" && void look().catch(() => undefined), AGAIN);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <div class="teaching following">
      {following.value ? <Now now={following.value} /> : padLeads.value !== null ? <PadNow scale={padLeads.value} /> : <Begin />}
    </div>
  );
}

function Begin(): JSX.Element {
  const all = leaders.value;
  const pad = chosen.value === PAD, leader = all?.find((each) => each.name === chosen.value);
  const scales: readonly number[] = pad ? PAD_SCALES : SCALES, shown = scales.includes(scale.value) ? scale.value : 1;
  const ready = inControl.value && (pad ? whyNoPad() === "" : leader !== undefined);
  const begin = (): unknown =>
    pad ? (padLeads.value = shown) : inOrder(() => post("/follow", { leader: chosen.value, scale: shown, kind: kind.value }));
  return (
    <>
      <h2>{t("follow.leader")}</h2>
      {!all && <p class="quiet note">…</p>}
      {all?.length === 0 && <div class="card"><b>{t("follow.none")}</b><p class="note quiet">{t("follow.noneHint")}</p></div>}
      <div class="list" role="radiogroup" aria-label={t("follow.leader")}>
        {all?.map((each) => (
          <button key={each.name} type="button" class={`leader ${each.name === chosen.value ? "chosen" : ""}`} role="radio" aria-checked={each.name === chosen.value}
            data-leader={each.name} onClick={() => (chosen.value = each.name)}>
            <b>{each.name}</b>
            <span class="quiet note">{each.source} · {driverName(each.driver)}</span>
          </button>
        ))}
        <PadChoice chosen={pad} onChoose={() => (chosen.value = PAD)} />
      </div>
      <h2>{t("follow.how")}</h2>
      <Choice label={t("follow.how")} value={pad ? "tool" : kind.value} onChoose={(value) => (kind.value = value)}
        of={[{ value: "joints", label: t("follow.byJoints"), disabled: pad }, { value: "tool", label: t("follow.byTool") }]} />
      <p class="note quiet">{pad ? t("follow.byPadHint") : kind.value === "joints" ? t("follow.byJointsHint") : t("follow.byToolHint")}</p>
      <h2>{t("follow.scale")}</h2>
      <Choice label={t("follow.scale")} value={String(shown)} onChoose={(value) => (scale.value = Number(value))}
        of={scales.map((value) => ({ value: String(value), label: `${value}×` }))} />
      <p class="note quiet">{pad ? t("follow.padFastest", { speed: asText(LINEAR * shown, "m", 0) }) : t("follow.scaleHint", { scale: shown })}</p>
      <button type="button" class="button do big" data-follow disabled={!ready} onClick={() => void begin()}>{t("follow.begin", { name: pad ? t("follow.gamepad") : leader?.name ?? "…" })}</button>
      {!inControl.value && <p class="note quiet">{t(needsKey())}</p>}
    </>
  );
}

function Now({ now }: { readonly now: Following }): JSX.Element {
  useEffect(() => onLetGo(() => {
    if (following.value?.engaged) void engage(false);
  }), []);
  const state = now.lost ? t("follow.lost", { why: spoken(now.lost) }) : now.held_by ? t("follow.held", { why: spoken(now.held_by) }) : now.engaged ? t("follow.engaged") : t("follow.open");
  return (
    <>
      <div class="card">
        <div class="row"><b class="title">{now.leader}</b><span class="grow" /><span class={`pill ${now.lost ? "bad" : now.engaged ? "good" : ""}`} data-engaged={now.engaged}>● {now.engaged ? t("follow.on") : t("follow.off")}</span></div>
        <p class="note quiet">{now.kind === "joints" ? t("follow.byJoints") : t("follow.byTool")} · {now.scale}×</p>
        <p class={now.lost || now.held_by ? "badly" : ""} role="status">{state}</p>
      </div>
      {status.value?.mode === "automatic" && (
        <Choice label={t("follow.clutch")} value={clutch.value} onChoose={(value) => (clutch.value = value)}
          of={[{ value: "hold", label: t("follow.hold"), disabled: now.engaged }, { value: "toggle", label: t("follow.toggle"), disabled: now.engaged }]} />
      )}
      <Clutch engaged={now.engaged} />
      <p class="note quiet">{t("follow.clutchHint")}</p>
      <button type="button" class="button" data-end disabled={!inControl.value} onClick={() => void inOrder(() => post("/follow/end"))}>{t("follow.end")}</button>
    </>
  );
}

function Clutch({ engaged }: { readonly engaged: boolean }): JSX.Element {
  const able = inControl.value && (canMove.value || engaged);
  // In manual mode nothing moves that nobody holds.
  if (clutch.value === "toggle" && status.value?.mode === "automatic")
    return (
      <button type="button" class={`button clutch ${engaged ? "do" : ""}`} aria-pressed={engaged} data-clutch disabled={!able} onClick={() => void engage(!engaged)}>
        {engaged ? t("follow.letGo") : t("follow.engage")}
      </button>
    );
  return <HeldClutch able={able} engaged={engaged} />;
}

const held = new HeldOrder({
  order: async () => void engage(true), // not waited for: orders go one after the other, and every press gives one
  release: () => {
    tellRelease();
    void engage(false);
  },
});

function HeldClutch({ able, engaged }: { readonly able: boolean; readonly engaged: boolean }): JSX.Element {
  return (
    <HoldButton className="clutch" label={t("follow.holdEngage")} disabled={!able} onHold={held.hold} onRelease={held.release}>
      {engaged ? t("follow.holding") : t("follow.holdEngage")}
    </HoldButton>
  );
}
