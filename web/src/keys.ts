/** Jogging by the keyboard: arrows and PageUp/PageDown, while Shift is held as the dead-man key. */

import { onLetGo } from "./cell";
import { isZero, type Six } from "./move/shares";

const DIRECTIONS: Readonly<Record<string, readonly [axis: number, way: -1 | 1]>> = {
  ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [1, 1], ArrowRight: [1, -1], PageUp: [2, 1], PageDown: [2, -1],
};

export const isJogKey = (key: string): boolean => key in DIRECTIONS;

/** Shares of a twist for the keys that are down; opposite ones cancel. */
export function keyShares(down: ReadonlySet<string>): Six {
  const shares = [0, 0, 0, 0, 0, 0];
  for (const key of down) {
    const [axis, way] = DIRECTIONS[key] ?? [0, 0];
    shares[axis] = (shares[axis] ?? 0) + way;
  }
  return shares as unknown as Six;
}

const isWriting = (at: EventTarget | null): boolean => at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName));

/** Listen to the keys; what ends that. Whatever ends the hold (key up, Shift up, lost focus) ends it for all keys. */
export function watchKeys(onShares: (shares: Six) => void, onRelease: () => void): () => void {
  const down = new Set<string>();
  const release = (): void => {
    if (down.size === 0) return;
    down.clear();
    onRelease();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (!isJogKey(event.key) || isWriting(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!event.shiftKey) return;
    event.preventDefault(); // no scrolling while it jogs
    // A key that repeats after everything was let go is still the old press: it needs a new one.
    if (event.repeat) return;
    down.add(event.key);
    const shares = keyShares(down);
    if (isZero(shares)) onRelease();
    else onShares(shares);
  };
  const lifted = (event: KeyboardEvent): void => {
    if (event.key === "Shift") return release();
    if (!down.delete(event.key)) return;
    const shares = keyShares(down);
    if (isZero(shares)) onRelease();
    else onShares(shares);
  };
  const off = onLetGo(release);
  window.addEventListener("keydown", pressed);
  window.addEventListener("keyup", lifted);
  window.addEventListener("blur", release);
  return () => {
    window.removeEventListener("keydown", pressed);
    window.removeEventListener("keyup", lifted);
    window.removeEventListener("blur", release);
    off();
    release();
  };
}
