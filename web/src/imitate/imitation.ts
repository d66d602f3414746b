/** What the cell says of imitation, and the orders that it takes. */

import { signal } from "@preact/signals";
import { fetchRaw, get, post, putFile, remove } from "../api";
import { attempt } from "../cell";
import { download } from "../plots/picture";

export interface MotionFile {
  readonly name: string;
  readonly size: number; // bytes
}

export interface Matched {
  readonly part: string;
  readonly bones: string;
  readonly how: string; // name, structure or file
}

/** How long a stage of a frame's way takes [s]. */
export interface Stage {
  readonly name: string;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export interface PartError {
  readonly part: string;
  readonly off: number; // an angle [rad]; of a place a distance [m]
}

export type Phase = "released" | "easing" | "following" | "frozen" | "waiting";
export type Mapping = "general" | "paper";

/** Who is imitated, and how it goes (GET /api/imitation). */
export interface ImitationNow {
  readonly kind: "" | "file" | "live" | "given"; // "" where nobody is
  readonly name: string;
  readonly mapping: string;
  readonly mirrored: boolean;
  readonly learnt: string; // from what it is known how the person stands
  readonly matched: readonly Matched[];
  readonly parents: readonly number[]; // of the skeleton's bones
  readonly sides: readonly string[]; // left, right or ""
  readonly phase: Phase;
  readonly lost: string; // why the clutch opened by itself
  readonly said: string;
  readonly held_by: string;
  readonly errors: readonly PartError[];
  readonly rate: number; // Hz
  readonly frames: number;
  readonly refused: number;
  readonly frames_lost: number;
  readonly speed: number; // share of the joints' velocities
  readonly calibrating: number; // share that is done
  readonly recorded: number; // frames
  readonly latency: readonly Stage[];
}

export interface Source {
  readonly kind: "file" | "live";
  readonly name: string;
  readonly mapping: Mapping;
  readonly mirrored: boolean;
  readonly arm: "left" | "right";
  readonly speed: number;
}

export const files = signal<readonly MotionFile[] | null>(null);
export const imitated = signal<ImitationNow | null>(null);

export async function look(): Promise<void> {
  const found = await get<{ readonly files: readonly MotionFile[]; readonly now: ImitationNow }>("/imitation");
  files.value = found.files;
  imitated.value = found.now.kind ? found.now : null;
}

/** One order after the other: a clutch that is let go at once must not end closed. Whether it was done. */
let last: Promise<unknown> = Promise.resolve();
function inOrder(work: () => Promise<unknown>): Promise<boolean> {
  const mine = last.then(async () => {
    const done = await attempt(async () => (await work(), true));
    await look().catch(() => undefined);
    return done === true;
  });
  last = mine;
  return mine;
}

export const choose = (source: Source): Promise<boolean> => inOrder(() => post("/imitation/source", source));
export const clutch = (what: "engage" | "freeze" | "release"): Promise<boolean> => inOrder(() => post("/imitation/clutch", { do: what }));
export const calibrate = (): Promise<boolean> => inOrder(() => post("/imitation/calibrate"));
export const setSpeed = (speed: number): Promise<boolean> => inOrder(() => post("/imitation/speed", { speed }));
export const record = (): Promise<boolean> => inOrder(() => post("/imitation/record"));
export const end = (): Promise<boolean> => inOrder(() => post("/imitation/end"));

const named = (name: string): string => `/imitation/files?name=${encodeURIComponent(name)}`;
export const bringIn = (file: File): Promise<boolean> => inOrder(() => putFile(named(file.name), file));
export const discard = (name: string): Promise<boolean> => inOrder(() => remove(named(name)));

/** Hand out what was kept: the person, or the robot as a program. */
export async function handOut(what: "person" | "program"): Promise<void> {
  const found = await attempt(async () => (await fetchRaw(`/imitation/recorded?what=${what}`)).blob());
  if (found) download(found, what === "person" ? "person.bvh" : "imitation.py");
}
