/** Taught points, as far as this page needs them: their names (GET /api/points). */

import { computed, signal } from "@preact/signals";
import { get, post } from "../api";
import { attempt, say } from "../cell";
import { t } from "../texts";
import { freePoint } from "../teach/names";

export interface PointName {
  readonly name: string;
  readonly fits: boolean; // this robot can go there
}

export const points = signal<readonly PointName[]>([]);
/** The name that is proposed for the next one. */
export const freeName = computed(() => freePoint(points.value.map((point) => point.name)));
/** The name that the next point is to have; "" for the one that is proposed. */
export const nextName = signal("");

export async function readPoints(): Promise<void> {
  const found = await attempt(() => get<readonly PointName[]>("/points"));
  if (found) points.value = found;
}

/** Teach where the robot stands now. */
export async function teachHere(): Promise<void> {
  const name = nextName.value.trim() || freeName.value;
  const done = await attempt(async () => {
    await post("/points", { name });
    return true;
  });
  if (!done) return;
  nextName.value = "";
  say("info", t("move.taught", { name }));
  await readPoints();
}
