/** Where the robot would go: the ghost, the path to it, and whether that can be driven. */

import { effect, signal } from "@preact/signals";
import { post } from "../api";
import { inWords } from "../refused";
import { motion, status } from "../cell";
import { ghost, preview } from "../view/shown";
import type { Pose } from "./pose";

export type Goal = { readonly joints: readonly number[] } | { readonly point: string } | Pose;

/** How the tool goes there: as the joints please, or on a straight line. */
export type WayKind = "joints" | "line";

export interface Target {
  readonly goal: Goal;
  readonly kind: WayKind;
  readonly frame: string; // that a pose is given in; "" for what the arm stands on
  readonly label: string;
  readonly q: readonly number[] | null; // null until the cell has said it
  readonly plan: "asked" | "ready" | "refused";
  readonly duration: number; // s
  readonly said: readonly string[]; // notes, or why it cannot be driven
}

interface Previewed {
  readonly q: readonly number[];
  readonly points: readonly (readonly [number, number, number])[];
  readonly duration: number;
  readonly notes: readonly string[];
}

export const target = signal<Target | null>(null);
/** Other ways to the same pose that are drawn too, fainter. */
export const alsoShown = signal<readonly (readonly number[])[]>([]);

const ARRIVED = 0.002; // rad or m: so near to the ghost, the robot is there
let asked = 0;

/** What to send to have a goal planned or driven. */
export const orderFor = ({ goal, kind, frame }: Pick<Target, "goal" | "kind" | "frame">): object => ({ goal, kind, frame });

/** Show a goal as a ghost with the path to it. */
export async function aim(goal: Goal, label: string, kind: WayKind = "joints", frame = ""): Promise<void> {
  // A line ends in the posture that it leads to, which only its plan says.
  const q = "joints" in goal && kind === "joints" ? goal.joints : null;
  target.value = { goal, kind, frame, label, q, plan: "asked", duration: 0, said: [] };
  preview.value = null;
  await plan();
}

/** Plan again: the robot stands somewhere else now. */
export async function plan(): Promise<void> {
  const here = target.value;
  if (!here) return;
  asked += 1;
  const number = asked;
  try {
    const found = await post<Previewed>("/preview", orderFor(here));
    if (number !== asked) return;
    target.value = { ...here, q: found.q, plan: "ready", duration: found.duration, said: found.notes };
    preview.value = { points: found.points };
  } catch (error) {
    if (number !== asked) return;
    const why = inWords(error);
    target.value = { ...here, plan: "refused", duration: 0, said: [why] };
    preview.value = null;
  }
}

export function clearTarget(): void {
  asked += 1;
  target.value = null;
  alsoShown.value = [];
}

export function isThere(q: readonly number[], goal: readonly number[]): boolean {
  return q.length === goal.length && q.every((value, joint) => Math.abs(value - (goal[joint] ?? 0)) < ARRIVED);
}

/** Draw what is aimed at while the page is open, until the robot is there; what undoes that. */
export function drawTarget(onArrived: () => void): () => void {
  const offGhost = effect(() => {
    const here = target.value;
    ghost.value = here?.q ? { q: here.q, label: here.label, others: alsoShown.value } : null;
    if (!here) preview.value = null;
  });
  const offArrival = effect(() => {
    const goal = target.value?.q, q = motion.value?.q;
    if (goal && q && status.value?.moves === false && isThere(q, goal)) onArrived();
  });
  return () => {
    offGhost();
    offArrival();
    clearTarget();
    ghost.value = preview.value = null;
  };
}
