/** Fewer points for the same picture: of each handful of samples the lowest and the highest, in the order in which they came. */

import { History } from "./history";
import type { Ring } from "./ring";

export interface Line {
  readonly column: number;
  readonly factor: number; // from SI to what is shown
}

/** What uPlot draws: times, then a list of values for each line; null where there is none. Used again for every picture. */
export interface Picture {
  readonly times: number[];
  readonly values: (number | null)[][];
}

export function emptyPicture(lines: number): Picture {
  return { times: [], values: Array.from({ length: lines }, () => []) };
}

/** How many samples become two points, so that there are about `most` points: a power of two, so that it changes seldom. */
export function stride(samples: number, most: number): number {
  let step = 1;
  while (samples / step > (step === 1 ? most : most / 2)) step *= 2;
  return step;
}

/**
 * Draw the samples `from` to `end` into a picture, times counted from `origin`. Handfuls begin at multiples of their size, so
 * that a sample stays in the same one while the picture moves on: nothing flickers.
 */
export function thin(ring: Ring, lines: readonly Line[], from: number, end: number, most: number, origin: number, out: Picture): void {
  const step = stride(Math.max(0, end - from), most);
  if (step === 1) copyAll(ring, lines, from, end, origin, out);
  else thinBy(step, ring, lines, from, end, origin, out);
}

function copyAll(ring: Ring, lines: readonly Line[], from: number, end: number, origin: number, out: Picture): void {
  const count = Math.max(0, end - from);
  out.times.length = count;
  for (let i = 0; i < count; i += 1) out.times[i] = ring.at(History.time, from + i) - origin;
  lines.forEach((line, index) => {
    const values = out.values[index]!;
    values.length = count;
    for (let i = 0; i < count; i += 1) values[i] = known(ring.at(line.column, from + i) * line.factor);
  });
}

function thinBy(step: number, ring: Ring, lines: readonly Line[], from: number, end: number, origin: number, out: Picture): void {
  const first = Math.floor(from / step), last = Math.ceil(end / step), count = 2 * (last - first);
  out.times.length = count;
  for (let k = first; k < last; k += 1) {
    const begin = Math.max(from, k * step), middle = Math.min(end - 1, Math.max(begin, k * step + (step >> 1)));
    out.times[2 * (k - first)] = ring.at(History.time, begin) - origin;
    out.times[2 * (k - first) + 1] = ring.at(History.time, middle) - origin;
  }
  lines.forEach((line, index) => {
    const values = out.values[index]!;
    values.length = count;
    for (let k = first; k < last; k += 1) {
      let low = NaN, high = NaN, lowAt = 0, highAt = 0;
      const begin = Math.max(from, k * step), stop = Math.min(end, (k + 1) * step);
      for (let sample = begin; sample < stop; sample += 1) {
        const value = ring.at(line.column, sample);
        if (Number.isNaN(value)) continue;
        if (!(value >= low)) {
          low = value;
          lowAt = sample;
        }
        if (!(value <= high)) {
          high = value;
          highAt = sample;
        }
      }
      const at = 2 * (k - first), rises = lowAt <= highAt;
      values[at] = known((rises ? low : high) * line.factor);
      values[at + 1] = known((rises ? high : low) * line.factor);
    }
  });
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
