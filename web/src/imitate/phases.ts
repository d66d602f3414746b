/** What the clutch does, and what can be done with it then. */

import { type Key } from "../texts";
import type { ImitationNow, Phase } from "./imitation";

export interface Able {
  readonly closed: boolean; // the robot does what the person does, or would
  readonly engage: boolean;
  readonly freeze: boolean;
  readonly release: boolean;
}

/** @param canMove Whether the robot would move now. What stops it needs no more than control. */
export function ableIn(phase: Phase, inControl: boolean, canMove: boolean): Able {
  const closed = phase === "easing" || phase === "following" || phase === "waiting";
  return { closed, engage: inControl && canMove && !closed, freeze: inControl && closed, release: inControl && phase !== "released" };
}

/** How the pill of a phase looks. */
export function lookOf({ phase, lost }: Pick<ImitationNow, "phase" | "lost">): "" | "good" | "warns" | "bad" {
  if (lost && phase === "released") return "bad";
  return phase === "easing" || phase === "following" ? "good" : phase === "waiting" ? "warns" : "";
}

export const wordOf = (phase: Phase): Key => `imitate.phase.${phase}`;
export const hintOf = (phase: Phase): Key => `imitate.says.${phase}`;
