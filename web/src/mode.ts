/** Manual or automatic, as somebody chooses it here: one request after the other, so that the last one holds. */

import { post } from "./api";
import { attempt, status } from "./cell";

export type Mode = "manual" | "automatic";

let asked: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** Choose it; what it is already is not asked for. */
export function chooseMode(mode: Mode): void {
  if (waiting === 0 && status.value?.mode === mode) return;
  waiting += 1;
  asked = asked.then(() => attempt(() => post("/mode", { mode }))).finally(() => (waiting -= 1));
}
