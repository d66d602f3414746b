/** A gamepad that leads the tool: how fast is the scale's to say, whether at all the clutch's and its dead-man button's. */

import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { onLetGo, robot } from "../cell";
import { padHeld, padName, padsAllowed, watchPad } from "../gamepad";
import { activeFrame } from "../move/active_frame";
import { canJog, hindrance, stream, toolJog } from "../move/jogging";
import type { Six } from "../move/shares";
import { LINEAR } from "../move/speeds";
import { AlongSelect } from "../move/tool_rows";
import { asText } from "../move/units";
import { t } from "../texts";

const SOURCE = "pad"; // of the stream of jogs
/** How many times a jog's own speed: a stick that is pushed all the way is as fast as jogging may be, or slower. */
export const PAD_SCALES = [0.1, 0.25, 0.5, 1] as const;

/** At which scale the pad leads; null while it is not the leader. */
export const padLeads = signal<number | null>(null);
/** Whether its clutch is closed. */
export const padEngaged = signal(false);

/** Open the clutch: what the pad says moves nothing. */
export function openPadClutch(): void {
  padEngaged.value = false;
  stream.end(SOURCE);
}

export function endPad(): void {
  openPadClutch();
  padLeads.value = null;
}

function led(shares: Six): void {
  const scale = padLeads.peek();
  if (scale !== null && padEngaged.peek()) stream.ask(SOURCE, toolJog(shares, activeFrame.peek(), scale));
}

/** Read the pad while the page is open. The clutch opens with all that is let go of, and where nothing may be jogged. */
export function usePad(): void {
  useEffect(() => {
    const ends = [watchPad(led, () => stream.end(SOURCE)), onLetGo(openPadClutch), effect(() => {
      if (!canJog.value || padName.value === "") openPadClutch();
    })];
    return () => {
      for (const end of ends) end();
      openPadClutch();
    };
  }, []);
}

/** Why no pad can be chosen, or "". */
export const whyNoPad = (): string => (robot.value?.tip === "" ? t("follow.padNoTool") : !padsAllowed() ? t("move.padSecure") : padName.value === "" ? t("move.padNone") : "");

/** The pad among the leaders. */
export function PadChoice({ chosen, onChoose }: { readonly chosen: boolean; readonly onChoose: () => void }): JSX.Element {
  const why = whyNoPad();
  return (
    <button type="button" class={`leader ${chosen ? "chosen" : ""}`} role="radio" aria-checked={chosen} data-leader-pad disabled={why !== ""} onClick={onChoose}>
      <b>{t("follow.gamepad")}</b>
      <span class="quiet note">{why || padName.value}</span>
    </button>
  );
}

/** While it leads: clutch, and what it does now. */
export function PadNow({ scale }: { readonly scale: number }): JSX.Element {
  const engaged = padEngaged.value, moves = engaged && padHeld.value, why = whyNoPad() || (hindrance.value ? t(hindrance.value) : "");
  const state = why || (moves ? t("follow.padLeads") : engaged ? t("follow.padWaits") : t("follow.padOpen"));
  return (
    <>
      <div class="card">
        <div class="row"><b class="title">{padName.value || t("follow.gamepad")}</b><span class="grow" /><span class={`pill ${moves ? "good" : ""}`} data-engaged={engaged}>● {moves ? t("follow.on") : t("follow.off")}</span></div>
        <p class="note quiet">{t("follow.byTool")} · {scale}× · {t("follow.padFastest", { speed: asText(LINEAR * scale, "m", 0) })}</p>
        <p class={why ? "badly" : ""} role="status">{state}</p>
      </div>
      <AlongSelect />
      <button type="button" class={`button clutch ${engaged ? "do" : ""}`} aria-pressed={engaged} data-clutch disabled={why !== ""}
        onClick={() => (engaged ? openPadClutch() : (padEngaged.value = true))}>
        {engaged ? t("follow.letGo") : t("follow.engage")}
      </button>
      <p class="note quiet">{t("move.padHow")}</p>
      <button type="button" class="button" data-end onClick={endPad}>{t("follow.end")}</button>
    </>
  );
}
