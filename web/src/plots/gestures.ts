/** Fingers and the wheel on a plot: one finger moves along the time, two or the wheel widen and narrow it. */

import { moved, type Range, zoomed } from "./range";

interface Seen {
  readonly range: () => Range;
  readonly whole: () => Range;
  readonly show: (range: Range) => void;
}

const LEAST = 0.05; // s: the narrowest that is shown

/** Listen on a plot's drawing; returns what ends it. The mouse's drag is uPlot's own. */
export function listen(over: HTMLElement, seen: Seen): () => void {
  const fingers = new Map<number, number>(); // where each is, across [px]
  const ending = new AbortController(), { signal } = ending;
  const timeAt = (left: number): number => {
    const [from, to] = seen.range();
    return from + ((to - from) * left) / Math.max(1, over.clientWidth);
  };
  over.style.touchAction = "pan-y";
  over.addEventListener("pointerdown", (event) => event.pointerType === "touch" && fingers.set(event.pointerId, event.offsetX), { signal });
  over.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const [one, other] = [...fingers.entries()].map(([, left]) => left);
    fingers.set(event.pointerId, event.offsetX);
    if (other === undefined) {
      seen.show(moved(seen.range(), timeAt(before) - timeAt(event.offsetX), seen.whole()));
      return;
    }
    const [now, then] = [...fingers.values()], apart = Math.abs(now! - then!);
    if (apart > 20) seen.show(zoomed(seen.range(), timeAt((now! + then!) / 2), Math.abs(one! - other) / apart, seen.whole(), LEAST));
  }, { signal });
  for (const name of ["pointerup", "pointercancel", "pointerleave"] as const)
    over.addEventListener(name, (event) => fingers.delete(event.pointerId), { signal });
  over.addEventListener("wheel", (event) => {
    event.preventDefault();
    const across = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const [from, to] = seen.range();
    if (across) seen.show(moved(seen.range(), ((to - from) * (event.deltaX || event.deltaY)) / 800, seen.whole()));
    else seen.show(zoomed(seen.range(), timeAt(event.offsetX), Math.exp(event.deltaY / 500), seen.whole(), LEAST));
  }, { signal, passive: false });
  return () => ending.abort();
}
