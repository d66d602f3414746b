/** Drive to the ghost: held to run in manual mode, one press and a stop in automatic. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { post } from "../api";
import { attempt, canMove, send, status, stopNow } from "../cell";
import { HoldButton } from "../parts/hold";
import { t } from "../texts";
import { orderFor, target } from "./target";

/** Whether a motion is being planned for us now: a second one would be refused. */
const asked = signal(false);

async function drive(): Promise<void> {
  const here = target.value;
  if (!here || asked.value) return;
  asked.value = true;
  await attempt(() => post("/move", orderFor(here.goal)));
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

/** Asks once when it is pressed, and says that it is held until it is not. */
function HeldGo({ ready, seconds }: { ready: boolean; seconds: string }): JSX.Element {
  const held = useRef(false);
  return (
    <HoldButton className="would" disabled={!ready} label={t("move.holdGhost")}
      onHold={() => {
        send({ key: "press" });
        if (held.current) return;
        held.current = true;
        void drive();
      }}
      onRelease={() => {
        held.current = false;
        send({ key: "release" });
      }}>
      <span>{t("move.holdGhost")}<small>{seconds}</small></span>
    </HoldButton>
  );
}
