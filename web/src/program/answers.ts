/** What the cell answers about programs, read with care: an answer that lacks a part is no reason for the page to fail. */

import { newWords, type Fix } from "../editor/fixes";
import type { Problem } from "../editor/problems";

export interface FileEntry {
  readonly name: string;
  readonly language: string;
  readonly size: number;
  readonly changed: string; // UTC
}

export interface FileText {
  readonly name: string;
  readonly text: string;
  readonly language: string;
  readonly version: string;
}

export interface WireProblem {
  readonly line?: number;
  readonly column?: number;
  readonly text: string;
  readonly fix?: string | null; // the whole line as it should read
}

export interface CheckAnswer {
  readonly problems: readonly WireProblem[];
  readonly seconds: number;
  readonly moves: number;
  readonly whole: boolean;
}

export interface PreviewAnswer {
  readonly points: readonly (readonly [number, number, number])[];
  readonly lines: readonly number[];
  readonly ends: readonly PathEnd[];
  readonly seconds: number;
  readonly problem: WireProblem | null;
  readonly whole: boolean;
}

export interface PathEnd {
  readonly line: number;
  readonly q: readonly number[];
}

export interface RunEntry {
  readonly name: string;
  readonly at: string;
  readonly who: string;
  readonly seconds: number;
  readonly moves: number;
  readonly ended: string; // ended, stopped, failed, running, lost
  readonly error: string;
}

/** A problem as the editor shows it. `line` gives the text of a line, `use` the words on a fix's button. */
export function readProblem(wire: WireProblem, line: (number: number) => string, use: (text: string) => string): Problem {
  const at = wire.line ?? 0;
  return { line: at, column: wire.column ?? 0, text: wire.text, fix: readFix(wire.fix ?? null, line(at), use) };
}

function readFix(text: string | null, was: string, use: (text: string) => string): Fix | null {
  return text === null || text === was ? null : { was, text, label: use(newWords(was, text)) };
}

/**
 * What a run failed of, as a problem at its line: "paper5.ngc:8:4: the tool cannot reach ...; ...", with the caret below left out.
 *
 * @param own Whether it is this file that was run: an error that names none is of it then.
 */
export function problemOfError(error: string, file: string, line: number, own = true): Problem | null {
  const first = error.split("\n")[0] ?? "";
  if (!first) return null;
  const found = /^(.*?):(\d+)(?::(\d+))?:\s*(.*)$/.exec(first);
  if (!found) return { line, column: 0, text: first, fix: null };
  const [, where = "", at = "0", column = "0", text = ""] = found;
  if (where !== file && !where.endsWith(`/${file}`) && !(own && (where === "program" || where === "script"))) return null;
  return { line: Number(at), column: Number(column), text, fix: null };
}
