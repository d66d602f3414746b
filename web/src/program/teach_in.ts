/** The robot's place as a line of a program. */

import type { LanguageName } from "../editor/languages";

/** A number as a person would write it: to a thousandth, without idle zeros. */
export function written(value: number): string {
  const text = value.toFixed(3).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

const comments = /\([^)]*\)|;.*$/gm;

/** The modes of G-code that a typed pose would be read in, as the text above it has set them. */
export function modesAbove(text: string): { readonly inches: boolean; readonly relative: boolean } {
  const bare = text.replace(comments, " ");
  const last = (codes: RegExp): string => [...bare.matchAll(codes)].at(-1)?.[1] ?? "";
  return { inches: last(/g\s*(20|21)(?![\d.])/gi) === "20", relative: last(/g\s*(90|91)(?![\d.])/gi) === "91" };
}

export interface Place {
  readonly xyz: readonly number[]; // of the tool, in what the arm stands on [m]
  readonly rpy: readonly number[]; // [rad]
}

/** G0 X.. Y.. Z.. A.. B.. C..: lengths in mm or inches, angles in degrees. */
export function gcodePose(place: Place, inches = false): string {
  const lengths = place.xyz.map((value) => (value * 1000) / (inches ? 25.4 : 1));
  const values = [...lengths, ...place.rpy.map((value) => (value * 180) / Math.PI)];
  return `G0 ${"XYZABC".split("").map((letter, index) => letter + written(values[index] ?? 0)).join(" ")}`;
}

/** What is written for a point that has just been taught; null where the text above makes a pose mean something else. */
export function taughtLine(language: LanguageName, name: string, place: Place, above: string): string | null {
  if (language === "script") return `MOVEJ ${name}`;
  const modes = modesAbove(above);
  return modes.relative ? null : `${gcodePose(place, modes.inches)} (${name})`;
}
