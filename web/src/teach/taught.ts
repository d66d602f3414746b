/** What has been taught: points and paths as the cell keeps them. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get } from "../api";
import { attempt } from "../cell";
import type { Pose } from "./figures";

/** A point, in what the arm stands on: m and rad; q in the model's order. */
export interface TaughtPoint extends Pose {
  readonly name: string;
  readonly q: readonly number[];
  readonly tool: string;
  readonly frame: string; // that people think of it in
  readonly at: string;
  readonly by: string;
  readonly fits: boolean; // this robot can go there
}

/** Something that was done to a point; `before` is what it was until then. */
export interface PointChange {
  readonly what: string;
  readonly name: string;
  readonly before: (Pose & { readonly name: string }) | null;
  readonly at: string;
  readonly by: string;
}

export interface TaughtPath {
  readonly name: string;
  readonly seconds: number;
  readonly samples: number;
  readonly recording: boolean; // now, and not kept yet
}

/** A path while it is recorded. */
export interface Recording {
  readonly name: string;
  readonly since: number; // performance.now() [ms]
}

export const points = signal<readonly TaughtPoint[] | null>(null);
export const paths = signal<readonly TaughtPath[] | null>(null);
export const recording = signal<Recording | null>(null);

const AGAIN = 5000; // ms: others may teach too

export async function readPoints(): Promise<void> {
  points.value = await get<readonly TaughtPoint[]>("/points");
}

export async function readPaths(): Promise<void> {
  const all = await get<readonly TaughtPath[]>("/paths");
  const now = all.find((each) => each.recording);
  paths.value = all.filter((each) => !each.recording);
  recording.value = now ? { name: now.name, since: performance.now() - 1000 * now.seconds } : null;
}

/** Read now and again while the page is seen; a failure is said once, not at every try. */
export function useReading(read: () => Promise<void>): void {
  useEffect(() => {
    void attempt(read);
    const timer = window.setInterval(() => {
      if (document.visibilityState === "visible") void read().catch(() => undefined);
    }, AGAIN);
    return () => window.clearInterval(timer);
  }, [read]);
}
