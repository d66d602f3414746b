/** Drive to the ghost: held to run in manual mode, one press and a stop in automatic. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { post } from "../api";
import { attempt, canMove, status, stopNow } from "../cell";
import { HeldOrder } from "../parts/held_order";
import { HoldButton } from "../parts/hold";
import { t } from "../texts";
import { orderFor, target } from "./target";

/** Whether a motion is being planned for us now: a second one would be refused. */
const asked = signal(false);

async function drive(): Promise<void> {
  const here = target.value;
  if (!here || asked.value) return;
  asked.value = true;
  await attempt(() => post("/move", orderFor(here)));
  asked.value = false;
}

export function GoButton(): JSX.Element {
  const here = target.value;
  const now = status.value;
  const ready = here !== null && here.plan !== "refused" && canMove.value;
  const seconds = here?.plan === "ready" ? `${here.duration.toFixed(1)} s` : "";
  if (now?.mode === "automatic") {
    if (now.moves || asked.value) return <button type="button" class="button big bad" data-go-stop onClick={() => stopNow()}>{t("move.stopMotion")}</button>;
    return <button type="button" class="button big would" data-go disabled={!ready} onClick={() => void drive()}><span>{t("move.goGhost")}<small>{seconds}</small></span></button>;
  }
  return <HeldGo ready={ready} seconds={seconds} />;
}

const held = new HeldOrder({ order: drive });

function HeldGo({ ready, seconds }: { ready: boolean; seconds: string }): JSX.Element {
  return (
    <HoldButton className="would" disabled={!ready} label={t("move.holdGhost")} onHold={held.hold} onRelease={held.release}>
      <span>{t("move.holdGhost")}<small>{seconds}</small></span>
    </HoldButton>
  );
}
