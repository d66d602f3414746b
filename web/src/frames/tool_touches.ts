/**
 * Touches of a tool, in one list: those of the fixed point, then up to two that say how the tool is turned.
 *
 * The cell reads the two as ways from the last touch of the point, along the tool's +z and towards its +x, in the
 * orientation that the tool had there: whatever is added or left out, that touch stays before them, or they go with it.
 */

import type { Touch } from "./touch";

export const OF_POINT = 4; // touches of the point at least
export const OF_TURN = 2;

export interface ToolTouches {
  readonly touches: readonly Touch[];
  readonly turned: number; // how many at the end are of the orientation
}

/** Where the orientation begins: the last touch of the point, by number from 0. */
export const beginOf = ({ touches, turned }: ToolTouches): number => touches.length - turned - 1;

/** With another touch: of the orientation, or of the point. */
export function withTouch(all: ToolTouches, touch: Touch, ofTurn: boolean): ToolTouches {
  const { touches, turned } = all;
  if (ofTurn) return turned < OF_TURN ? { touches: [...touches, touch], turned: turned + 1 } : all;
  if (turned === 0) return { touches: [...touches, touch], turned };
  const begin = beginOf(all);
  return { touches: [...touches.slice(0, begin), touch, ...touches.slice(begin)], turned };
}

/** Without one, and without those that say nothing without it: what is along z says so from where it began, and what is towards x by what is along z. */
export function withoutTouch(all: ToolTouches, number: number): ToolTouches {
  const { touches, turned } = all, begin = beginOf(all);
  if (turned > 0 && number === begin) return { touches: touches.slice(0, begin), turned: 0 };
  if (number > begin) return { touches: touches.slice(0, number), turned: number - begin - 1 };
  return { touches: touches.filter((_, each) => each !== number), turned };
}
