/** The last minute of the robot, kept from the moment that the page is open: whoever opens a plot sees what was before. */

import { effect } from "@preact/signals";
import { motion } from "../cell";
import { History } from "./history";

let kept: History | null = null;

/** The last minute, or null before the first word from the cell. */
export function live(): History | null {
  return kept;
}

effect(() => {
  const now = motion.value;
  if (!now) return;
  if (kept?.joints !== now.q.length) kept = new History(now.q.length);
  kept.add(now);
});
