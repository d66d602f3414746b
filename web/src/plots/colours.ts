/** The colours of lines: greys for joints, blue for what was wanted, red for what was estimated; from the page's own, in dark and light. */

import type { Trace } from "./quantities";

export interface Palette {
  readonly text: string;
  readonly quiet: string;
  readonly panel: string;
  readonly grid: string;
  readonly wanted: string;
  readonly estimated: string;
}

export function paletteNow(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return { text: of("--text"), quiet: of("--quiet"), panel: of("--panel"), grid: of("--line"), wanted: of("--would"), estimated: of("--bad") };
}

/** A colour between two, both as #rrggbb. */
export function mixed(from: string, to: string, share: number): string {
  const a = channels(from), b = channels(to);
  return `#${a.map((value, index) => Math.round(value + (b[index]! - value) * share).toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour: string): readonly number[] {
  const hex = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join("") : colour.slice(1);
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) || 0);
}

/** How the lines of several joints are broken [px]: greys alone are told apart badly. The first is whole. */
const BREAKS: readonly (readonly number[])[] = [[], [14, 4], [2, 4], [10, 4, 2, 4], [6, 4], [14, 4, 2, 4, 2, 4]];
const COMPARED = [7, 7]; // what is laid over a measured line: that is seen through it

export function lineBreaks(kind: Trace["kind"], place: number): readonly number[] {
  return kind === "main" ? BREAKS[place % BREAKS.length]! : COMPARED;
}

const FAINTEST = 0.42; // of the way to the ground: what is written in it still has 4.5:1 against it

/** How the line of a joint is coloured: the first of several is brightest, and each fainter than the one before. */
export function lineColour(palette: Palette, kind: Trace["kind"], place: number, of: number): string {
  const share = of > 1 ? (FAINTEST * place) / (of - 1) : 0;
  if (kind === "main") return mixed(palette.text, palette.panel, share);
  return mixed(kind === "wanted" ? palette.wanted : palette.estimated, palette.text, 0.55 * share);
}
