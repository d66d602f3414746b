/** What is plotted now: which quantities of which joints, live or from a recording, and which part of the time. */

import { computed, effect, signal } from "@preact/signals";
import { robot } from "../cell";
import { History } from "./history";
import type { Joint } from "./lines";
import { live } from "./live";
import { QUANTITIES, type Quantity } from "./quantities";
import type { Range } from "./range";

export type Span = "5" | "15" | "60";

interface Kept {
  readonly quantities: readonly Quantity[];
  readonly joints: readonly number[];
  readonly span: Span;
}

const BEGIN: Kept = { quantities: ["position", "velocity", "torque"], joints: [0, 1, 2], span: "15" };

/** What was chosen last, as far as it can still be chosen. */
export function kept(text: string | null): Kept {
  try {
    const found = JSON.parse(text ?? "{}") as Partial<Kept>;
    const quantities = QUANTITIES.filter((each) => found.quantities?.includes(each));
    const joints = (found.joints ?? []).filter((each) => Number.isInteger(each) && each >= 0);
    return {
      quantities: found.quantities ? quantities : BEGIN.quantities,
      joints: found.joints ? joints : BEGIN.joints,
      span: found.span === "5" || found.span === "60" ? found.span : BEGIN.span,
    };
  } catch {
    return BEGIN;
  }
}

const before = kept(localStorage.getItem("plots"));
export const quantities = signal(before.quantities);
export const joints = signal(before.joints);
export const span = signal<Span>(before.span);
effect(() => localStorage.setItem("plots", JSON.stringify({ quantities: quantities.value, joints: joints.value, span: span.value })));

/** A recording that is looked at: the whole of it, and finer, the part that is seen. */
export interface Opened {
  readonly name: string;
  readonly joints: readonly string[];
  readonly range: Range; // all the time that it has [s]
  readonly whole: History;
  readonly part: History | null;
}
export const opened = signal<Opened | null>(null);
/** The name of a recording that was chosen and is not here yet; "" for none. Nothing else is drawn under its name meanwhile. */
export const awaited = signal("");
/** What was there when somebody paused; null while it goes on. */
export const still = signal<History | null>(null);
/** Which part of the time is seen [s]; null for all of it, or the span. */
export const zoom = signal<Range | null>(null);
export const paused = computed(() => still.value !== null);

/** What is drawn: its samples, and the time from which the axis counts. */
export function drawn(): { readonly history: History; readonly origin: number } | null {
  if (awaited.value) return null;
  const recording = opened.value;
  if (recording) return { history: recording.part ?? recording.whole, origin: 0 };
  const history = still.value ?? live();
  return history && !history.empty ? { history, origin: history.newest } : null;
}

/** The joints that can be plotted: the robot's, or those of the recording, whose units are the robot's where it has such a joint. */
export function plottedJoints(): readonly Joint[] {
  const own = robot.value?.joints ?? [], recording = opened.value;
  if (!recording) return own;
  return recording.joints.map((name) => own.find((joint) => joint.name === name) ?? { name, unit: "rad" });
}

/** All the time there is, as the axis counts. */
export function wholeRange(): Range {
  const recording = opened.value;
  return recording ? recording.range : [-60, 0];
}

export function seenRange(): Range {
  if (zoom.value) return zoom.value;
  return opened.value ? wholeRange() : [-Number(span.value), 0];
}

/** See a part of the time. Of what is live it is looked at in peace: it pauses. */
export function see(range: Range): void {
  if (!opened.value) pause();
  zoom.value = range;
}

export function seeAll(): void {
  zoom.value = null;
}

export function pause(): void {
  if (!still.value) still.value = live()?.copy() ?? null;
}

export function goOn(): void {
  still.value = null;
  zoom.value = null;
}

/** The samples that are seen: numbers of the first, and of the one behind the last; one more on each side, so that lines reach the edge. */
export function seenSamples(history: History, origin: number, range: Range): Range {
  const { ring } = history;
  const from = ring.find(History.time, range[0] + origin) - 1, end = ring.find(History.time, range[1] + origin + 1e-9) + 1;
  return [Math.max(ring.first, from), Math.min(ring.end, end)];
}
