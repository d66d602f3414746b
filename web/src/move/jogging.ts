/** What is chosen on the page for jogging, and whether it is possible now. */

import { computed, signal } from "@preact/signals";
import { attempt, canMove, inControl, needsKey, onLetGo, program, send, status } from "../cell";
import { post } from "../api";
import { runs } from "../program/run_state";
import type { Key } from "../texts";
import { activeFrame } from "./active_frame";
import type { Increment } from "./increments";
import type { Six } from "./shares";
import { twist } from "./speeds";
import { JogStream, type Wanted } from "./stream";

export type Way = "joints" | "tool" | "stick";

export const way = signal<Way>("joints");
export const increment = signal<Increment>("hold");
/** Share of the speed that jogging may have. */
export const pace = signal(0.3);

/** Why nothing can be jogged now, or null. */
export const hindrance = computed<Key | null>(() => {
  const now = status.value;
  if (!inControl.value || !now) return needsKey();
  if (now.state === "FAULTED") return "move.faulted";
  if (now.state === "HOLDING") return now.mode === "manual" ? "move.holdingManual" : "move.holding";
  if (!canMove.value) return "move.notReady";
  if (runs(program.value)) return "move.programRuns";
  return now.mode === "manual" ? null : "move.automatic";
});
export const canJog = computed(() => hindrance.value === null);

export const stream = new JogStream(send, () => canJog.value);
onLetGo(() => stream.endAll());

/** A twist of shares along the axes that are chosen. */
export const alongChosen = (shares: Six): Wanted => toolJog(shares, activeFrame.value, pace.value);

/** A twist of shares along the axes of the base, of the tool or of a frame, at a share of the speed. */
export function toolJog(shares: Six, frame: string, share: number): Wanted {
  const speeds = twist(shares, share);
  return frame === "base" || frame === "tool" ? { kind: frame, frame: "", speeds } : { kind: "frame", frame, speeds };
}

const MOST_STEPS = 3; // that wait for each other: quick presses add up, a stuck finger does not
const stepping = signal(0);
/** Whether no further step is taken now. */
export const busy = computed(() => stepping.value >= MOST_STEPS);

/** Move by one step [rad or m]. */
export async function step(wanted: { readonly kind: Wanted["kind"]; readonly frame: string; readonly by: readonly number[] }): Promise<void> {
  if (busy.value) return;
  stepping.value += 1;
  await attempt(() => post("/jog/step", wanted));
  stepping.value -= 1;
}
