/** How far each limb of the robot is off the person's: as words, a number with its unit, and a bar. */

import { CATALOGUE, type Key, t } from "../texts";
import type { PartError } from "./imitation";

const ANGLE = (30 * Math.PI) / 180; // rad that a full bar is
const PLACE = 0.15; // m that a full bar is

export interface Bar {
  readonly part: string;
  readonly text: string;
  readonly unit: "°" | "mm";
  readonly share: number; // of the bar, 0 to 1
}

/** Of a place a distance is said; of all else an angle. */
export const isPlace = (part: string): boolean => part.endsWith("_place") || part === "place";

export function barOf({ part, off }: PartError): Bar {
  const place = isPlace(part), size = Math.abs(off);
  if (!Number.isFinite(size)) return { part, text: "—", unit: place ? "mm" : "°", share: 0 };
  const shown = place ? 1000 * size : (size * 180) / Math.PI;
  return { part, text: shown.toFixed(place ? 0 : 1), unit: place ? "mm" : "°", share: Math.min(1, size / (place ? PLACE : ANGLE)) };
}

/** The trunk first, then left beside right, limb by limb: it stays so, whatever the cell's order is. */
const LIMBS = ["pelvis", "chest", "neck", "head", "collar", "upper_arm", "forearm", "hand", "back", "place", "thumb", "index", "middle", "ring", "little", "thigh", "shin", "foot", "toes"];
const split = (part: string): readonly [side: "" | "left" | "right", limb: string] =>
  part.startsWith("left_") ? ["left", part.slice(5)] : part.startsWith("right_") ? ["right", part.slice(6)] : ["", part];

export function inOrderOfLimbs<T extends { readonly part: string }>(parts: readonly T[]): readonly T[] {
  const rank = ({ part }: T): number => {
    const [side, limb] = split(part), at = LIMBS.indexOf(limb);
    return 2 * (at < 0 ? LIMBS.length : at) + (side === "right" ? 1 : 0);
  };
  return [...parts].sort((one, other) => rank(one) - rank(other));
}

/** A part of the body in words; as it is where there are none. */
export function partWords(part: string): string {
  const [side, limb] = split(part), key = `imitate.part.${limb}`;
  if (!(key in CATALOGUE)) return part.replaceAll("_", " ");
  return side ? t(`imitate.${side}Part`, { part: t(key as Key) }) : t(key as Key);
}

export const sideOf = (part: string): "" | "left" | "right" => split(part)[0];
