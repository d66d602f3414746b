/** What the pages want to be seen beside the robot itself. */

import { signal } from "@preact/signals";
import type { Workspace } from "./world";

/** A configuration that would be taken: drawn in blue. `others` are fainter ones. */
export interface Ghost {
  readonly q: readonly number[];
  readonly label: string;
  readonly others?: readonly (readonly number[])[];
}

/** A path that the tool would take, in what the arm stands on [m]; `line` of each point is the program's. */
export interface Preview {
  readonly points: readonly (readonly [number, number, number])[];
  readonly lines?: readonly number[];
  readonly chosen?: number; // the line that is drawn brighter
}

export const ghost = signal<Ghost | null>(null);
export const preview = signal<Preview | null>(null);
/** Limits that somebody types and has not kept: drawn in blue instead of those that hold. */
export const typedLimits = signal<Workspace | null>(null);
/** Whether the ghost, the frames, the trace, and the workspace are drawn. */
export const layers = signal({ ghost: true, frames: true, trace: true, workspace: true });

/** Counts up when what stands around the robot has changed (a frame kept, a limit set): the view asks the cell for it again. */
export const surroundingsChanged = signal(0);
