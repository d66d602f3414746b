/** What leads out of a hold: touched in automatic mode; in manual mode held, as everything that moves there. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { post } from "../api";
import { attempt, inControl, program, status } from "../cell";
import { runs } from "../program/run_state";
import { t } from "../texts";
import { HeldOrder } from "./held_order";
import { HoldButton } from "./hold";

const holds = signal(false);

/** A program goes by the presses alone, unless it goes by single moves: then it is asked first to go on without them. */
const held = new HeldOrder({
  goesOn: () => runs(program.value) && program.value?.step === false,
  order: () => attempt(async () => (await post(runs(program.value) ? "/run/resume" : "/resume"), true)),
});

/** Whether it is to be seen: while the robot is on hold, and as long as it is held. */
export const showsGoOn = (): boolean => status.value?.state === "HOLDING" || holds.value;

export function GoOn(): JSX.Element {
  if (status.value?.mode === "automatic")
    return <button type="button" class="button do" data-way-out disabled={!inControl.value} onClick={() => void attempt(() => post("/resume"))}>{t("top.resume")}</button>;
  return (
    <span class="top-hold" data-way-out>
      <HoldButton disabled={!inControl.value}
        onHold={() => {
          holds.value = true;
          held.hold();
        }}
        onRelease={() => {
          holds.value = false;
          held.release();
        }}>
        {t("top.holdResume")}
      </HoldButton>
    </span>
  );
}
