/** Recordings of the cell: which there are, and what one holds. */

import { get } from "../api";
import { History, type Source, SOURCES } from "./history";
import { awaited, type Opened, opened, still, zoom } from "./shown";

export interface RecordingEntry {
  readonly name: string;
  readonly robot: string;
  readonly size: number; // bytes
  readonly at: string; // when it was begun (UTC)
  readonly written: boolean; // it is being written
}

/** Signals of a recording, thinned: SI units; of each a line for each joint, or the one line. */
export interface RecordedSignals {
  readonly times: readonly number[];
  readonly joints: readonly string[];
  readonly signals: Readonly<Record<string, readonly (readonly (number | null)[])[]>>;
  readonly begin: number; // of the whole recording [s]
  readonly end: number;
}

const POINTS = 1500;

export const listRecordings = (): Promise<readonly RecordingEntry[]> => get<readonly RecordingEntry[]>("/recordings");

async function ask(name: string, from?: number, to?: number): Promise<RecordedSignals> {
  const query = new URLSearchParams({ name, points: String(POINTS) });
  if (from !== undefined && to !== undefined) {
    query.set("from", String(Math.max(0, from)));
    query.set("to", String(Math.max(0, to)));
  }
  return get<RecordedSignals>(`/recordings/signals?${query}`);
}

/** What the cell calls each source in a recording. */
const NAMES: Record<Source, string> = {
  q: "q", v: "v", a: "a", torque: "torque", measured_q: "measured_q", measured_torque: "measured_torque", error: "following",
};

/** What the cell answered, as plots read it. */
export function historyOf(answer: RecordedSignals): History {
  const joints = answer.joints.length, history = History.ofSize(joints, answer.times.length), { ring } = history;
  const of = (name: string, line: number, sample: number): number => answer.signals[name]?.[line]?.[sample] ?? NaN;
  answer.times.forEach((time, sample) => {
    const slot = ring.next();
    ring.columns[History.time]![slot] = time;
    ring.columns[History.late]![slot] = of("late", 0, sample);
    for (const source of SOURCES)
      for (let joint = 0; joint < joints; joint += 1) ring.columns[history.column(source, joint)]![slot] = of(NAMES[source], joint, sample);
  });
  return history;
}

let chosen = 0;

/** Look at a recording, the whole of it first. Only what was chosen last is opened; where it cannot be had, what was seen before is seen again. */
export async function openRecording(name: string): Promise<void> {
  const mine = ++chosen;
  awaited.value = name;
  let answer: RecordedSignals;
  try {
    answer = await ask(name);
  } finally {
    if (mine === chosen) awaited.value = "";
  }
  if (mine !== chosen) return;
  still.value = null;
  zoom.value = null;
  opened.value = { name, joints: answer.joints, range: [answer.begin, Math.max(answer.end, answer.begin + 0.1)], whole: historyOf(answer), part: null };
}

export function closeRecording(): void {
  chosen += 1;
  awaited.value = "";
  opened.value = null;
  zoom.value = null;
}

/** Ask for the part that is seen in finer steps; what comes too late is thrown away. */
export async function refine(recording: Opened): Promise<void> {
  const seen = zoom.value;
  if (!seen) {
    if (recording.part) opened.value = { ...recording, part: null };
    return;
  }
  const part = historyOf(await ask(recording.name, seen[0], seen[1]));
  if (opened.value?.name === recording.name && zoom.value === seen) opened.value = { ...recording, part };
}
