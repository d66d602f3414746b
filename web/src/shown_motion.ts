/** The motion as its figures stand on the page: sixty a second where a graphics card draws, fewer where the processor does. */

import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { motion } from "./cell";
import type { Motion } from "./messages";
import { drawsInSoftware } from "./view/software";

const SPARED = 120; // ms: nobody reads quicker, and every change of a figure has the whole page put together anew

/** The newest of a signal, at most once in `every` [ms]; the last one is never left out. What ends that is returned too. */
export function sparsely<T>(source: ReadonlySignal<T>, every: number): readonly [shown: ReadonlySignal<T>, end: () => void] {
  const shown = signal(source.peek());
  let timer = 0, last = -Infinity;
  const take = (): void => {
    timer = 0;
    last = performance.now();
    shown.value = source.peek();
  };
  const end = effect(() => {
    const now = source.value;
    const wait = last + every - performance.now();
    if (wait <= 0 || now === null || shown.peek() === null) {
      window.clearTimeout(timer);
      take();
    } else if (timer === 0) timer = window.setTimeout(take, wait);
  });
  return [shown, () => (window.clearTimeout(timer), end())];
}

export const shownMotion: ReadonlySignal<Motion | null> = drawsInSoftware() ? sparsely(motion, SPARED)[0] : motion;
