/** What a run means for the program that is open: its lines, and why a run cannot be started. */

import type { ProgramState } from "../messages";

const RUNS = new Set(["ready", "running", "paused", "waiting"]);

/** Whether a program runs, or is paused. */
export function runs(program: ProgramState | null): boolean {
  return program !== null && RUNS.has(program.state);
}

/** Whether a path is that of a file. */
export function isFile(path: string, name: string): boolean {
  return name !== "" && (path === name || path.endsWith(`/${name}`));
}

/** The lines of a file that are being moved and read; 0 for none. */
export function linesIn(program: ProgramState | null, name: string): { readonly moving: number; readonly reading: number } {
  if (!runs(program) || program === null) return { moving: 0, reading: 0 };
  return { moving: isFile(program.file, name) ? program.line : 0, reading: isFile(program.name, name) ? program.read_line : 0 };
}

/** The line that a program is read at, where that is ahead of the robot: variables are of there. 0 where it is not. */
export function readAhead(program: ProgramState | null): number {
  return program !== null && runs(program) && program.line > 0 && program.read_line !== program.line ? program.read_line : 0;
}

export interface Circumstances {
  readonly operator: boolean;
  readonly linked: boolean;
  readonly control: boolean;
  readonly holder: string; // who has control, or ""
  readonly mine?: boolean; // it is who sits here, at another screen
  readonly state: string;
  readonly file: boolean;
  readonly problems: number;
}

export type Why =
  | { readonly key: "program.whyViewer" | "program.whyLink" | "program.whyControl" | "program.whyMine" | "program.whyNoFile" }
  | { readonly key: "program.whyHolder"; readonly values: { readonly name: string } }
  | { readonly key: "program.whyState"; readonly values: { readonly state: string } }
  | { readonly key: "program.whyProblems"; readonly values: { readonly count: number } };

/** Why nothing can be run; null where it can. Problems of the text are told last: all else comes first. */
export function whyOff(now: Circumstances): Why | null {
  if (!now.operator) return { key: "program.whyViewer" };
  if (!now.linked) return { key: "program.whyLink" };
  if (!now.control && now.mine) return { key: "program.whyMine" };
  if (!now.control) return now.holder ? { key: "program.whyHolder", values: { name: now.holder } } : { key: "program.whyControl" };
  if (!now.file) return { key: "program.whyNoFile" };
  if (!["READY", "MOVING", "HOLDING"].includes(now.state)) return { key: "program.whyState", values: { state: now.state } };
  return now.problems > 0 ? { key: "program.whyProblems", values: { count: now.problems } } : null;
}

/** A count of moves, in the words for one or for many. */
export function movesKey(count: number): "program.move" | "program.moves" {
  return count === 1 ? "program.move" : "program.moves";
}
