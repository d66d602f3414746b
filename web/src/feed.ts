/** The feed override as somebody sets it here: one request after the other, the newest only. */

import { effect, signal } from "@preact/signals";
import { post } from "./api";
import { attempt, status } from "./cell";

const SAME = 0.005; // of the rate: half of the smallest step
const PATIENCE = 1000; // ms after the last answer: a state that was made later has come by then, whatever it says

/** What was set last; null once the cell shows it. */
export const wantedFeed = signal<number | null>(null);

let next: number | null = null, asking = false, timer = 0;

/** Set it. While a request is under way only the newest value waits: a slider gives dozens. */
export async function setFeed(rate: number): Promise<void> {
  wantedFeed.value = next = rate;
  window.clearTimeout(timer);
  if (asking) return;
  asking = true;
  let done = true;
  while (next !== null && done) {
    const value: number = next;
    next = null;
    done = (await attempt(async () => (await post("/override", { rate: value }), true))) === true;
  }
  asking = false;
  next = null;
  if (!done) wantedFeed.value = null;
  else timer = window.setTimeout(() => (wantedFeed.value = null), PATIENCE);
}

effect(() => {
  const rate = status.value?.rate, wanted = wantedFeed.peek();
  if (!asking && wanted !== null && rate !== undefined && Math.abs(rate - wanted) < SAME) wantedFeed.value = null;
});
