/** What the cell has of frames, tools and calibrations (GET /api/frames), and the file that they are kept in. */

import { signal } from "@preact/signals";
import { get, post } from "../api";
import { attempt, say } from "../cell";
import { onSessionEnd } from "../session";
import type { Pose } from "../teach/figures";
import { t } from "../texts";

export interface Frame extends Pose {
  readonly name: string;
  readonly parent: string;
}

export interface Calibrated {
  readonly number: number;
  readonly kind: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly at: string;
  readonly by: string;
}

export interface Frames {
  readonly tool: Frame; // on the arm's tip
  readonly frames: readonly Frame[];
  readonly calibrations: readonly Calibrated[]; // newest first
  readonly file: string; // the cell.toml; "" for none
  readonly could: string; // where one would be made; "" where none can be
  readonly restart: boolean; // it says something else than what runs
}

export const frames = signal<Frames | null>(null);
/** The cell.toml that was made here; "" for none. */
export const made = signal("");
onSessionEnd(() => (made.value = ""));

export async function lookAtFrames(): Promise<void> {
  const found = await attempt(() => get<Frames>("/frames"));
  if (found) frames.value = found;
}

/** Make a cell.toml of the robot's own. */
export async function makeOwnCell(): Promise<void> {
  const answer = await attempt(() => post<{ readonly file: string }>("/frames/own_cell"));
  if (answer) made.value = answer.file;
  await lookAtFrames(); // where it fails too: somebody else may have made one
}

/** Have a calibration that was before written again. */
export async function goBack(to: Calibrated): Promise<void> {
  const answer = await attempt(() => post<{ readonly file: string }>("/frames/back", { number: to.number }));
  if (!answer) return;
  say("info", t("frames.wentBack", { number: to.number, file: answer.file }));
  await lookAtFrames();
}
