/** What could be written here: words of the language, and the names of points, frames, tools and of the program itself. */

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { GCODE_FLOW, GCODE_FUNCTIONS, GCODE_OPERATORS } from "./gcode";
import type { LanguageName } from "./languages";
import { DOING_WORDS, FLOW_WORDS, FUNCTION_WORDS, INSIDE_WORDS, MOTION_WORDS, RESERVED } from "./robot_commands";

/** GET /programs/words. */
export interface Words {
  readonly words: readonly string[];
  readonly points: readonly string[];
  readonly frames: readonly string[];
  readonly tools: readonly string[];
}

export const NO_WORDS: Words = { words: [], points: [], frames: [], tools: [] };

export interface Offer {
  readonly from: number; // in the line, from 0
  readonly options: readonly Completion[];
}

const named = (names: readonly string[], detail: string, boost = 0): Completion[] => names.map((label) => ({ label, detail, boost }));
const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** Words that the cell's language has and this page has not heard of. */
const unknown = (words: readonly string[]): string[] => words.filter((word) => !RESERVED.has(word.toUpperCase()));

const OWN_NAME = /^\s*(?:(?:POINT|JOINTS|LABEL|SUB|FOR)\s+([\p{L}_][\p{L}\p{N}_]*)|([\p{L}_][\p{L}\p{N}_]*)\s*=(?!=))/gimu;

/** Names that a program of robot commands gives itself: points, variables, labels and subroutines. */
export function ownNames(text: string): string[] {
  return unique([...text.matchAll(OWN_NAME)].map((found) => found[1] ?? found[2] ?? "").filter((name) => name && !RESERVED.has(name.toUpperCase())));
}

/** What robot commands could go on with behind `before`; null where nothing is to be said. */
export function offerScript(before: string, text: string, words: Words, asked: boolean): Offer | null {
  if (/^[^"]*(?:"[^"]*"[^"]*)*#/.test(before) || /^(?:[^"#]*"[^"]*")*[^"#]*"[^"]*$/.test(before)) return null; // comment or text
  const brace = /\{([^{}]*)$/.exec(before);
  if (brace) return { from: before.length - (brace[1] ?? "").length, options: [...named(["TCP", "B"], ""), ...named(words.frames, "frame"), ...named(words.tools, "tool")] };
  const word = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? "";
  if (!word && !asked) return null;
  const from = before.length - word.length;
  const lead = before.slice(0, from);
  if (/\bTOOL\s+$/i.test(lead)) return { from, options: named(words.tools, "tool") };
  if (/\bFRAME\s+$/i.test(lead)) return { from, options: [...named(["B"], ""), ...named(words.frames, "frame")] };
  const own = ownNames(text).filter((name) => name !== word);
  if (!/\S/.test(lead.replace(/^\s*[\p{L}_][\p{L}\p{N}_]*\s+$/u, (all) => (RESERVED.has(all.trim().toUpperCase()) ? all : ""))))
    return { from, options: [...named([...MOTION_WORDS, ...DOING_WORDS, ...FLOW_WORDS, ...unknown(words.words)], ""), ...named(own, "")] };
  const points = /\bMOVE|\bDMOVE/i.test(lead) ? 2 : 0;
  return { from, options: [...named(words.points, "point", points), ...named(own, "", 1), ...named([...INSIDE_WORDS, ...FUNCTION_WORDS, ...unknown(words.words)], "")] };
}

/** What G-code could go on with behind `before`; null where nothing is to be said. */
export function offerGcode(before: string, text: string, words: Words, asked: boolean): Offer | null {
  if (/[;(][^)]*$/.test(before)) return null;
  const parameter = /#<([^>]*)$/.exec(before);
  if (parameter) {
    const known = unique([...text.matchAll(/#<([^>\s]+)>/g)].map((found) => found[1] ?? "")).filter((name) => name !== parameter[1]);
    return { from: before.length - (parameter[1] ?? "").length, options: known.map((label) => ({ label, apply: `${label}>` })) };
  }
  const word = /[a-z][a-z0-9.]*$/i.exec(before)?.[0] ?? "";
  if (!word && !asked) return null;
  const from = before.length - word.length;
  const lead = before.slice(0, from);
  if (/\bo\s*(?:\d+|<[^>]*>)\s+$/i.test(lead)) return { from, options: named(GCODE_FLOW, "") };
  const depth = (lead.match(/\[/g)?.length ?? 0) - (lead.match(/\]/g)?.length ?? 0);
  if (depth > 0) return { from, options: named([...GCODE_FUNCTIONS, ...GCODE_OPERATORS].map((each) => each.toUpperCase()), "") };
  return { from, options: named(words.words.filter((each) => /^[GM]\d/.test(each)), "") };
}

/** The source of completions of an editor; what it offers is asked for each time, as points come and go. */
export function completing(language: () => LanguageName, words: () => Words) {
  return (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const offer = language() === "script" ? offerScript : language() === "gcode" ? offerGcode : null;
    // Long programs are read around the cursor only, so that typing stays quick.
    const text = context.state.doc.sliceString(Math.max(0, context.pos - 50_000), context.pos + 50_000);
    const found = offer?.(line.text.slice(0, context.pos - line.from), text, words(), context.explicit);
    return found?.options.length ? { from: line.from + found.from, options: [...found.options], validFor: /^[\p{L}\p{N}_.]*$/u } : null;
  };
}
