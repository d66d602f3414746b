/** The same pose with other postures of the arm (POST /api/ik). */

import { signal } from "@preact/signals";
import { post } from "../api";
import { Refused } from "../refused";
import { t } from "../texts";
import type { Pose } from "./pose";

export interface Solution {
  readonly q: readonly number[];
  readonly branch: string; // "left · up · flip"
  readonly reachable: boolean;
  readonly why: string;
  readonly collides: boolean;
}

export interface Solutions {
  readonly solutions: readonly Solution[];
  readonly chosen: number; // the nearest to where the robot is now, or -1
  readonly why: string; // there are none
  readonly typed: boolean; // of a pose that somebody typed, not of the present one
}

export const solutions = signal<Solutions | null>(null);
let asked = 0;

/** Ask for all ways to a pose; null where another was asked for meanwhile. */
export async function findWays(pose: Pose, typed: boolean): Promise<Solutions | null> {
  asked += 1;
  const number = asked;
  let found: Solutions;
  try {
    const answer = await post<Omit<Solutions, "typed">>("/ik", { xyz: pose.xyz, rpy: pose.rpy, frame: "" });
    found = { ...answer, chosen: answer.chosen ?? -1, typed };
  } catch (error) {
    found = { solutions: [], chosen: -1, why: error instanceof Refused ? error.message : String(error), typed };
  }
  if (number !== asked) return null;
  solutions.value = found;
  return found;
}

/** Whether the robot may be sent there. */
export const usable = (solution: Solution): boolean => solution.reachable && !solution.collides;

/** What a solution is, or why it is none. */
export function titleOf(solution: Solution): string {
  if (usable(solution)) return solution.branch;
  return solution.why || t(solution.collides ? "move.collides" : "move.outOfReach");
}

export function ghostLabel(index: number, all: readonly Solution[]): string {
  const branch = all[index]?.branch ?? "";
  return t("move.ghostSolution", { number: index + 1, count: all.length }) + (branch ? ` (${branch})` : "");
}
