/** The one catalogue of all words of the page, by key: English, then 中文. Each page has its own file of it. */

import { signal } from "@preact/signals";
import { FOLLOW } from "./follow";
import { FRAME } from "./frame";
import { FRAMES } from "./frames";
import { IMITATE } from "./imitate";
import { IO } from "./io";
import { MOVE } from "./move";
import { PLOTS } from "./plots";
import { PROGRAM } from "./program";
import { REFUSALS } from "./refusals";
import { SYSTEM } from "./system";
import { TEACH } from "./teach";
import { TOUR } from "./tour";
import { USERS } from "./users";
import { VIEW } from "./view";

export const CATALOGUE = { ...FRAME, ...FOLLOW, ...FRAMES, ...IMITATE, ...IO, ...MOVE, ...PLOTS, ...PROGRAM, ...REFUSALS, ...SYSTEM, ...TEACH, ...TOUR, ...USERS, ...VIEW } as const;
export type Key = keyof typeof CATALOGUE;
export type Language = "en" | "zh";

function remembered(): Language {
  const kept = localStorage.getItem("language");
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const language = signal<Language>(remembered());

export function speak(wanted: Language): void {
  language.value = wanted;
  localStorage.setItem("language", wanted);
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
}

/** A text, with what stands in {braces} put in. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text: string = CATALOGUE[key][language.value === "zh" ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
