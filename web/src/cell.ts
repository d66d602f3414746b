/** What the page knows of the cell: signals that the pages read. */

import { computed, signal } from "@preact/signals";
import { get, post } from "./api";
import { Link, linked } from "./link";
import type { Alarm, FromBrowser, InputsOutputs, Motion, Nearest, Notice, PersonPlaces, ProgramState, Status, ToBrowser, Variables } from "./messages";
import { inWords, Refused } from "./refused";
import { spoken } from "./spoken";
import { type Key, t } from "./texts";

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
  readonly by_shapes?: boolean; // it is drawn by what it collides with
}

export const who = signal<Who | null>(null);
/** Why the log-in is shown to somebody who was in; null where he never was, or left himself. */
export const leftBecause = signal<Key | null>(null);
export const robot = signal<RobotInfo | null>(null);
export const motion = signal<Motion | null>(null);
export const status = signal<Status | null>(null);
export const program = signal<ProgramState | null>(null);
export const variables = signal<Variables | null>(null);
export const io = signal<InputsOutputs | null>(null);
export const nearest = signal<Nearest | null>(null);
/** Where the bones of who is imitated are; empty where nobody is. */
export const person = signal<PersonPlaces | null>(null);
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
/** What who has no control needs before he can do something: a viewer cannot take it. */
export const needsKey = (): "common.needsControl" | "common.viewersWatch" => (may("operator") ? "common.needsControl" : "common.viewersWatch");
/** Whether a press on a button that moves would move the robot now. */
export const canMove = computed(() => inControl.value && (status.value?.state === "READY" || status.value?.state === "MOVING"));

/** The name that people know a run by, or who has control; these two are the cell's own words. */
export const TYPED_LINE = "a typed line";
const NO_NAME = "somebody who said no name";
export const programName = (name: string): string => (name === TYPED_LINE ? t("program.typedLine") : name === NO_NAME ? t("top.noName") : name);

export function say(kind: Toast["kind"], text: string): void {
  toast.value = { kind, text, at: performance.now() };
}

/** Do something, and say what is wrong where it fails; whether it was done. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) await lookWhetherIn();
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

/**
 * Stop the robot: by the link, and by a request too, whichever comes first. Only the answer to the request says that it was heard.
 *
 * Without a link nothing on the page shows that the robot stopped: then the answer is said, too.
 */
export function stopNow(category: 0 | 1 | 2 = 2): void {
  const blind = !linked.value;
  const paused = program.value?.state === "paused" ? program.value.name : "";
  send({ key: "stop", category });
  void post("/stop", { category }, STOP_PATIENCE).then(
    () => {
      if (blind) say("info", t("stop.confirmed"));
      else if (paused) say("info", t("stop.program", { name: programName(paused) }));
    },
    () => say("refused", t("stop.unconfirmed")),
  );
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
    case "person":
      person.value = message;
      break;
    case "alarm":
      alarms.value = [message, ...alarms.value].slice(0, 200);
      break;
    case "notice":
      tell(message);
      break;
  }
}

/** A notice: in the page's own words where it has some. What was refused or cut is let go of: it needs a new press. */
function tell({ kind, text }: Notice): void {
  const words = kind === "slow" ? t("held.slow") : kind === "cut" ? t("held.cut") : spoken(text);
  say(kind === "info" ? "info" : "refused", words);
  if (kind === "refused" || kind === "cut") letGo();
}

/** Ask who sits here: a cell that was started again knows nobody, and a link that it refuses is no link that is slow. */
export async function lookWhetherIn(): Promise<void> {
  const before = who.value, now = await get<Who>("/session").catch(() => null);
  if (!now || before !== who.value) return; // no answer: the cell is gone, and the link is tried again
  if (now.role === "" && before?.role) {
    disconnect();
    leftBecause.value = "login.ended";
  }
  who.value = now;
}

export async function recogniseMe(): Promise<void> {
  who.value = await get<Who>("/session");
}

const CELL = "cell";
/** The cell that this browser found here when it was last in: who is not logged in is told nothing of it by the cell. */
export const lastCell = (): string => robot.value?.name ?? localStorage.getItem(CELL) ?? "";

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
  localStorage.setItem(CELL, robot.value.name);
  alarms.value = await get<readonly Alarm[]>("/alarms");
  const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
  link = new Link(url, heard, letGo, () => void lookWhetherIn());
  link.open();
}

export function disconnect(): void {
  link?.close();
  link = null;
  letGo();
  linked.value = false;
  motion.value = status.value = program.value = variables.value = io.value = nearest.value = person.value = null;
  alarms.value = [];
}
