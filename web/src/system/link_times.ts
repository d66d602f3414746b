/** How long the way from this page to the cell and back took of late. */

import { effect } from "@preact/signals";
import { roundTrip } from "../link";

/** How long something took: the half of all times is below `p50`, and so on [s]. */
export interface Stage {
  readonly name: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly most: number;
}

const KEPT = 500; // a few minutes
const times: number[] = []; // s, oldest first

effect(() => {
  if (roundTrip.value === null) return;
  times.push(roundTrip.value / 1000);
  if (times.length > KEPT) times.shift();
});

/** The quantiles of some times [s]. */
export function stageOf(name: string, taken: readonly number[]): Stage {
  const sorted = [...taken].sort((one, other) => one - other), last = sorted.length - 1;
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { name, count: sorted.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), most: sorted[last] ?? 0 };
}

export const linkStage = (): Stage => stageOf("link", times);
