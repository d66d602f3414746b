/** Names of programs: what a new one is called, and what a name may be. */

import type { LanguageName } from "../editor/languages";

const ENDING: Readonly<Record<"gcode" | "script", string>> = { gcode: ".ngc", script: ".arm" };

/** A typed name with the ending of its language, where it has none that is known. */
export function withEnding(typed: string, language: "gcode" | "script", known: (name: string) => LanguageName): string {
  const name = typed.trim();
  return name === "" || known(name) !== "" ? name : name + ENDING[language];
}

/** A name that no file has yet: program1.ngc, program2.ngc, ... */
export function newName(taken: readonly string[], language: "gcode" | "script"): string {
  for (let number = 1; ; number += 1) {
    const name = `program${number}${ENDING[language]}`;
    if (!taken.includes(name)) return name;
  }
}
