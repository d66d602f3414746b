/** Where the robot is, as far as its motor side says it. */

import type { Motion } from "../messages";

/** Each joint where it is measured; where nothing measures it, where it is commanded [rad or m]. */
export const actual = (now: Pick<Motion, "q" | "measured_q">): readonly number[] => now.q.map((commanded, joint) => now.measured_q[joint] ?? commanded);
