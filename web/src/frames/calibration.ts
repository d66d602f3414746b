/** Calibrations that are under way: their touches and what they say so far. They stay while other pages are looked at. */

import { signal } from "@preact/signals";
import { post } from "../api";
import { Refused } from "../refused";
import { motion, robot, status } from "../cell";
import { type Measured, type PoseFound, readPose, readZeros, type ZerosFound } from "./measured";
import { leastForZeros, type Touch } from "./touch";

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
export const byMarks = signal(false);
export const marks = signal<readonly number[]>([]); // where they are, in the model's order [rad or m]
export const pose = signal<PoseFound | null>(null);
export const zeros = signal<ZerosFound | null>(null);
/** Why there is no result from these touches, in the cell's words. */
export const problem = signal("");
export const kept = signal<Kept | null>(null);
/** Why a result was not kept, likewise. */
export const notKept = signal("");

export function least(of: Kind): number {
  if (of === "tool") return 4;
  if (of === "frame") return 3;
  return byMarks.value ? 1 : leastForZeros(robot.value?.joints.length ?? 6);
}

/** Whether where the robot is can be taken as a touch now. */
export const canTouch = (): boolean => motion.value !== null && !(status.value?.moves ?? false);

export function touch(): void {
  const here = motion.value, of = kind.value;
  if (!here || !of || !canTouch()) return;
  const taken: Touch = { q: here.q, xyz: here.xyz, rpy: here.rpy };
  // On marks the joints stand once: a second look takes the place of the first.
  change(of, of === "zeros" && byMarks.value ? [taken] : [...touches.value[of], taken]);
}

export function forget(number: number): void {
  const of = kind.value;
  if (of) change(of, touches.value[of].filter((_, each) => each !== number));
}

export function change(of: Kind, to: readonly Touch[]): void {
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
  pose.value = zeros.value = kept.value = null;
  problem.value = notKept.value = "";
  kind.value = null;
}

let asked = 0;

/** Ask the cell what the touches say; only the newest answer counts. */
export async function work(of: Kind): Promise<void> {
  const mine = ++asked;
  const now = touches.value[of];
  pose.value = zeros.value = null;
  problem.value = notKept.value = "";
  kept.value = null;
  if (now.length < least(of)) return;
  const rows = now.map((each) => each.q);
  try {
    if (of === "zeros") {
      const body = byMarks.value ? { touches: rows.slice(-1), marks: marks.value } : { touches: rows };
      const found = await post<Measured>("/calibrate/zeros", body);
      if (mine === asked) zeros.value = readZeros(found);
    } else {
      const found = await post<Measured>(`/calibrate/${of}`, { touches: rows });
      if (mine === asked) pose.value = readPose(found);
    }
  } catch (error) {
    if (mine === asked) problem.value = error instanceof Refused ? error.message : String(error);
  }
}

/** Keep the result that is there, in the cell.toml; why it is not kept is said where it was asked for. */
export async function keep(reason: string): Promise<void> {
  const of = kind.value, place = pose.value, offsets = zeros.value?.offsets;
  if (!of) return;
  const value = of === "zeros" ? { kind: "zero", offsets } : { kind: of, name: of === "frame" ? frameName.value : "", xyz: place?.xyz, rpy: place?.rpy };
  notKept.value = "";
  try {
    kept.value = await post<Kept>("/frames/keep", { ...value, reason });
  } catch (error) {
    notKept.value = error instanceof Refused ? error.message : String(error);
  }
}
