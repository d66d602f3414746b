/** The same pose with other postures of the arm (POST /api/ik). */

import { signal } from "@preact/signals";
import { post } from "../api";
import { inWords } from "../refused";
import { CATALOGUE, type Key, t } from "../texts";
import type { Pose } from "./pose";

export interface Solution {
  readonly q: readonly number[];
  readonly branch: string; // "left · up · flip"
  readonly reachable: boolean;
  readonly why: string;
  readonly collides: boolean;
}

/** What keeps the tool from a pose: "reach" by an amount [m], "orientation" off by it [rad], "limit" of joints. */
export interface Hindrance {
  readonly kind: string;
  readonly amount: number;
  readonly joints: readonly string[];
}

export interface Solutions {
  readonly solutions: readonly Solution[];
  readonly chosen: number; // the nearest to where the robot is now, or -1
  readonly why: string; // there are none
  readonly hindrance?: Hindrance | null; // the same in parts
  readonly typed: boolean; // of a pose that somebody typed, not of the present one
}

export const solutions = signal<Solutions | null>(null);
let asked = 0;

/** Ask for all ways to a pose; null where another was asked for meanwhile. */
export async function findWays(pose: Pose, typed: boolean, frame = ""): Promise<Solutions | null> {
  asked += 1;
  const number = asked;
  let found: Solutions;
  try {
    const answer = await post<Omit<Solutions, "typed">>("/ik", { xyz: pose.xyz, rpy: pose.rpy, frame });
    found = { ...answer, chosen: answer.chosen ?? -1, typed };
  } catch (error) {
    found = { solutions: [], chosen: -1, why: inWords(error), typed };
  }
  if (number !== asked) return null;
  solutions.value = found;
  return found;
}

/** Nothing is known any more of what was asked for: another pose is being typed. */
export function forgetWays(): void {
  asked += 1;
  solutions.value = null;
}

/** A posture of the arm in the page's words: the cell names shoulder, elbow and wrist. */
export const branchWords = (branch: string): string =>
  branch.split(" · ").map((word) => (`branch.${word}` in CATALOGUE ? t(`branch.${word}` as Key) : word)).join(" · ");

/** Whether the robot may be sent there. */
export const usable = (solution: Solution): boolean => solution.reachable && !solution.collides;

export function ghostLabel(index: number, all: readonly Solution[]): string {
  const branch = branchWords(all[index]?.branch ?? "");
  return t("move.ghostSolution", { number: index + 1, count: all.length }) + (branch ? ` (${branch})` : "");
}
