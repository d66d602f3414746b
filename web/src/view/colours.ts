/** Which colour what is drawn in has, in the dark and in the light. */

import type { Nearest } from "../messages";

export interface Palette {
  readonly plain: number; // of parts that have no colour of their own
  readonly ghost: number;
  readonly ghostOpacity: number;
  readonly othersOpacity: number;
  readonly trace: number;
  readonly path: number;
  readonly chosen: number;
  readonly limit: number;
  readonly limitOpacity: number;
  readonly near: number; // the line between the nearest parts
  readonly obstacle: number;
  readonly personLeft: number; // who is imitated
  readonly personRight: number;
  readonly personTrunk: number;
  readonly grid: number;
  readonly gridOpacity: number;
  readonly shadowOpacity: number;
  readonly sky: number; // light from above, and back from the ground
  readonly earth: number;
  readonly ambient: number; // strengths
  readonly key: number;
  readonly rim: number;
}

/** X, Y, Z of every frame, as everybody draws them. */
export const AXES = [0xe5484d, 0x3fb57f, 0x4a86f7] as const;
export const RED = 0xe5484d;

const DARK: Palette = {
  plain: 0xcfd5de, ghost: 0x4f9fe0, ghostOpacity: 0.42, othersOpacity: 0.1, trace: 0xf4a93b, path: 0x5aa9e6, chosen: 0xb9e0ff,
  limit: 0xe5484d, limitOpacity: 0.5, near: 0xc8d0da, obstacle: 0x6b7684,
  personLeft: 0x6f9fcb, personRight: 0xd09a52, personTrunk: 0x98a2af, grid: 0x7f8b9b, gridOpacity: 0.34, shadowOpacity: 0.55,
  sky: 0xdfe9f7, earth: 0x2a3038, ambient: 1.35, key: 2.1, rim: 0.9,
}; // prettier-ignore
const LIGHT: Palette = {
  plain: 0xc3cad4, ghost: 0x2479c7, ghostOpacity: 0.4, othersOpacity: 0.12, trace: 0xb35c00, path: 0x1565b0, chosen: 0x003f7d,
  limit: 0xc4232a, limitOpacity: 0.45, near: 0x4c5766, obstacle: 0x8b95a3,
  personLeft: 0x5b8fc2, personRight: 0xc98a3c, personTrunk: 0x8d97a5, grid: 0x5d6a7a, gridOpacity: 0.36, shadowOpacity: 0.24,
  sky: 0xffffff, earth: 0x8f98a5, ambient: 1.5, key: 1.9, rim: 0.5,
}; // prettier-ignore

export function paletteOf(theme: string | undefined): Palette {
  return theme === "light" ? LIGHT : DARK;
}

export const NEAR = 0.3; // m: the line between the nearest parts is drawn below this
const CLOSE = 0.02; // m: and is red below this

/** The parts that are drawn red: those that the cell says touch each other, which the nearest two need not be. */
export function touching(nearest: Nearest | null): readonly string[] {
  return [...new Set((nearest?.touching ?? []).flatMap((pair) => [pair.a, pair.b]))];
}

/** How the line between the nearest parts is drawn. */
export function nearLook(distance: number): "none" | "near" | "limit" {
  return distance >= NEAR || Number.isNaN(distance) ? "none" : distance < CLOSE ? "limit" : "near";
}

/** A distance as it stands in the view: whole millimetres, tenths where it is small. */
export function millimetres(distance: number): string {
  const mm = 1000 * distance;
  return `${Math.abs(mm) < 10 ? mm.toFixed(1) : mm.toFixed(0)} mm`;
}
