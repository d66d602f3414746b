/** Calibrations that are under way: their touches and what they say so far. They stay while other pages are looked at. */

import { signal } from "@preact/signals";
import { post } from "../api";
import { inWords, Refused } from "../refused";
import { motion, robot, status } from "../cell";
import { onSessionEnd } from "../session";
import { type Measured, type PoseFound, readPose, readZeros, type ZerosFound } from "./measured";
import { OF_POINT, OF_TURN, type ToolTouches, withoutTouch, withTouch } from "./tool_touches";
import { leastForZeros, standsAt, type Touch } from "./touch";

export type Kind = "tool" | "frame" | "zeros";

/** What the cell says when a result is kept: the lines as they stand in its file now. */
export interface Kept {
  readonly lines: string;
  readonly file: string;
  readonly restart: boolean;
}

export const kind = signal<Kind | null>(null);
export const touches = signal<Record<Kind, readonly Touch[]>>({ tool: [], frame: [], zeros: [] });
export const frameName = signal("");
/** Whether how the tool is turned is wanted too, whether it is what is touched next, and how many touches say it so far. */
export const oriented = signal(false);
export const turning = signal(false);
export const turned = signal(0);
export const byMarks = signal(false);
export const marks = signal<readonly number[]>([]); // where they are, in the model's order [rad or m]
export const pose = signal<PoseFound | null>(null);
export const zeros = signal<ZerosFound | null>(null);
/** Why there is no result from these touches, in the cell's words. */
export const problem = signal("");
export const kept = signal<Kept | null>(null);
/** Why a result was not kept, likewise. */
export const notKept = signal<Refused | null>(null);

export function least(of: Kind): number {
  if (of === "tool") return OF_POINT + (oriented.value ? OF_TURN : 0);
  if (of === "frame") return 3;
  return byMarks.value ? 1 : leastForZeros(robot.value?.joints.length ?? 6);
}

/** Whether where the robot is can be taken as a touch now. */
export function canTouch(): boolean {
  const here = motion.value, of = kind.value;
  if (!here || status.value?.moves || (of === "tool" && turning.value && turned.value === OF_TURN)) return false;
  // Where it still stands at a touch another one says nothing. On marks it takes the place of the first.
  return of === null || (of === "zeros" && byMarks.value) || standsAt(here.q, touches.value[of]) === null;
}

export function touch(): void {
  const here = motion.value, of = kind.value;
  if (!here || !of || !canTouch()) return;
  const taken: Touch = { q: here.q, xyz: here.xyz, rpy: here.rpy };
  if (of === "tool") return changeTool(withTouch({ touches: touches.value.tool, turned: turned.value }, taken, turning.value));
  // On marks the joints stand once: a second look takes the place of the first.
  change(of, of === "zeros" && byMarks.value ? [taken] : [...touches.value[of], taken]);
}

export function forget(number: number): void {
  const of = kind.value;
  if (of === "tool") changeTool(withoutTouch({ touches: touches.value.tool, turned: turned.value }, number));
  else if (of) change(of, touches.value[of].filter((_, each) => each !== number));
}

function changeTool(to: ToolTouches): void {
  turned.value = to.turned;
  if (to.touches.length - to.turned < OF_POINT) turning.value = false; // the point comes first
  touches.value = { ...touches.value, tool: to.touches };
  void work("tool");
}

/** Have the tip alone measured, or how the tool is turned too. */
export function wantOrientation(wanted: boolean): void {
  const point = touches.value.tool.slice(0, touches.value.tool.length - turned.value);
  oriented.value = wanted;
  turning.value = false;
  if (!wanted) change("tool", point);
  else void work("tool");
}

/** Put other touches in the place of all. Of a tool they are all of the point. */
export function change(of: Kind, to: readonly Touch[]): void {
  if (of === "tool") {
    turned.value = 0;
    turning.value = false;
  }
  touches.value = { ...touches.value, [of]: to };
  void work(of);
}

export function begin(of: Kind): void {
  kind.value = of;
  kept.value = null;
  void work(of);
}

export function end(): void {
  const of = kind.value;
  if (of) touches.value = { ...touches.value, [of]: [] };
  if (of === "tool") {
    turned.value = 0;
    turning.value = false;
  }
  pose.value = zeros.value = kept.value = notKept.value = null;
  problem.value = "";
  kind.value = null;
}

// Touches stay, for who goes on with them. That a result was kept is told to who kept it.
onSessionEnd(() => {
  if (kept.value) end();
});

let asked = 0;

/** Ask the cell what the touches say; only the newest answer counts. */
export async function work(of: Kind): Promise<void> {
  const mine = ++asked;
  const now = touches.value[of];
  pose.value = zeros.value = kept.value = notKept.value = null;
  problem.value = "";
  // The tip is told before the orientation is.
  const orientation = of === "tool" && turned.value === OF_TURN;
  const count = now.length - (of === "tool" && !orientation ? turned.value : 0);
  if (count < (of === "tool" && !orientation ? OF_POINT : least(of))) return;
  const rows = now.slice(0, count).map((each) => each.q);
  try {
    if (of === "zeros") {
      const body = byMarks.value ? { touches: rows.slice(-1), marks: marks.value } : { touches: rows };
      const found = await post<Measured>("/calibrate/zeros", body);
      if (mine === asked) zeros.value = readZeros(found);
    } else {
      const found = await post<Measured>(`/calibrate/${of}`, of === "tool" ? { touches: rows, orientation } : { touches: rows });
      if (mine === asked) pose.value = readPose(found);
    }
  } catch (error) {
    if (mine === asked) problem.value = inWords(error);
  }
}

/** Keep the result that is there, in the cell.toml; why it is not kept is said where it was asked for. */
export async function keep(reason: string): Promise<void> {
  const of = kind.value, place = pose.value, offsets = zeros.value?.offsets;
  if (!of) return;
  const value = of === "zeros" ? { kind: "zero", offsets } : { kind: of, name: of === "frame" ? frameName.value : "", xyz: place?.xyz, rpy: place?.rpy };
  notKept.value = null;
  try {
    kept.value = await post<Kept>("/frames/keep", { ...value, reason });
  } catch (error) {
    notKept.value = error instanceof Refused ? error : new Refused(0, String(error));
  }
}
