/** What the page knows of the cell: signals that the pages read. */

import { computed, signal } from "@preact/signals";
import { get, post } from "./api";
import { Link, linked } from "./link";
import type { Alarm, FromBrowser, InputsOutputs, Motion, Nearest, ProgramState, Status, ToBrowser, Variables } from "./messages";
import { inWords, Refused } from "./refused";
import { t } from "./texts";

export interface Who {
  readonly user: string;
  readonly role: "" | "viewer" | "operator" | "programmer" | "administrator";
  readonly session: string;
  readonly local: boolean;
  readonly locked: boolean;
  readonly passwords: boolean;
  readonly has_password: boolean;
}

export interface JointInfo {
  readonly name: string;
  readonly unit: "rad" | "m";
  readonly lower: number | null;
  readonly upper: number | null;
  readonly velocity: number;
}

/** What does not change while the cell runs (GET /api/robot). */
export interface RobotInfo {
  readonly name: string;
  readonly source: string;
  readonly joints: readonly JointInfo[];
  readonly base: string; // link that the arm stands on
  readonly tip: string; // link or frame that is led
  readonly tool: string;
  readonly frames: readonly string[]; // whose axes can be jogged along
  readonly home: readonly number[];
  readonly states: readonly { readonly name: string; readonly q: readonly number[] }[];
  readonly driver: string;
  readonly assumptions: readonly string[];
  readonly notes: readonly string[];
}

export const who = signal<Who | null>(null);
export const robot = signal<RobotInfo | null>(null);
export const motion = signal<Motion | null>(null);
export const status = signal<Status | null>(null);
export const program = signal<ProgramState | null>(null);
export const variables = signal<Variables | null>(null);
export const io = signal<InputsOutputs | null>(null);
export const nearest = signal<Nearest | null>(null);
export const alarms = signal<readonly Alarm[]>([]);

export interface Toast {
  readonly kind: "info" | "refused";
  readonly text: string;
  readonly at: number;
}
export const toast = signal<Toast | null>(null);

const RANKS = { "": 0, viewer: 1, operator: 2, programmer: 3, administrator: 4 } as const;
/** Whether who sits here has a role, or one above it. */
export const may = (role: keyof typeof RANKS): boolean => {
  const me = who.value;
  return me !== null && !me.locked && RANKS[me.role] >= RANKS[role];
};
export const inControl = computed(() => {
  const me = who.value;
  return me !== null && me.session !== "" && status.value?.control.session === me.session && linked.value;
});
/** Whether a press on a button that moves would move the robot now. */
export const canMove = computed(() => inControl.value && (status.value?.state === "READY" || status.value?.state === "MOVING"));

export function say(kind: Toast["kind"], text: string): void {
  toast.value = { kind, text, at: performance.now() };
}

/** Do something, and say what is wrong where it fails; whether it was done. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) await recogniseMe();
    say("refused", inWords(error));
    return undefined;
  }
}

const releases = new Set<() => void>();
/** Called when whatever is held must be let go: lost link, hidden page, lost focus. */
export function onLetGo(work: () => void): () => void {
  releases.add(work);
  return () => releases.delete(work);
}
export function letGo(): void {
  for (const work of releases) work();
}

let link: Link | null = null;

export function send(message: FromBrowser): boolean {
  return link?.send(message) ?? false;
}

const STOP_PATIENCE = 2000; // ms: a link that is cut looks open for as long, and who pressed STOP must know soon

/** Stop the robot: by the link, and by a request too, whichever comes first. Only the answer to the request says that it was heard. */
export function stopNow(category: 0 | 1 | 2 = 2): void {
  send({ key: "stop", category });
  void post("/stop", { category }, STOP_PATIENCE).catch(() => say("refused", t("stop.unconfirmed")));
  letGo(); // behind the stop: whatever goes wrong here does not hold it up
}

function heard(message: ToBrowser): void {
  switch (message.key) {
    case "motion":
      motion.value = message;
      break;
    case "status":
      status.value = message;
      break;
    case "program":
      program.value = message;
      break;
    case "variables":
      variables.value = message;
      break;
    case "io":
      io.value = message;
      break;
    case "nearest":
      nearest.value = message;
      break;
    case "alarm":
      alarms.value = [message, ...alarms.value].slice(0, 200);
      break;
    case "notice":
      say(message.kind === "refused" ? "refused" : "info", message.text);
      if (message.kind === "refused") letGo();
      break;
  }
}

export async function recogniseMe(): Promise<void> {
  who.value = await get<Who>("/session");
}

/** Come in: by the link of this machine where there is one, then everything else. */
export async function begin(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1)).get("link");
  if (given) {
    history.replaceState(null, "", location.pathname);
    await attempt(() => post("/enter", { link: given }));
  }
  await recogniseMe();
  if (who.value?.role) await connect();
}

export async function connect(): Promise<void> {
  link?.close();
  robot.value = await get<RobotInfo>("/robot");
  alarms.value = await get<readonly Alarm[]>("/alarms");
  const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
  link = new Link(url, heard, letGo);
  link.open();
}

export function disconnect(): void {
  link?.close();
  link = null;
  motion.value = status.value = program.value = null;
}
