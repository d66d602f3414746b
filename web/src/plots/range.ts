/** Ranges of axes: of time, that people move and widen; of values, that stand still as long as they can. */

export type Range = readonly [number, number];

/** A range that holds `low` to `high`: the one before as long as it fits and is not far too wide. */
export function steadyRange(before: Range | null, low: number, high: number, least: number): Range {
  if (!(low <= high)) return before ?? [-least / 2, least / 2];
  const wanted = Math.max(high - low, least);
  if (before && low >= before[0] && high <= before[1] && wanted > 0.4 * (before[1] - before[0])) return before;
  const middle = (low + high) / 2, step = tidy(wanted / 8), half = 0.58 * wanted;
  return [Math.floor((middle - half) / step) * step, Math.ceil((middle + half) / step) * step];
}

/** The nearest 1, 2 or 5 times a power of ten that is not smaller. */
export function tidy(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const rest = value / power;
  return (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power;
}

/** A range seen `factor` times as wide, with `around` where it was; never beyond `whole`, never narrower than `least`. */
export function zoomed(range: Range, around: number, factor: number, whole: Range, least: number): Range {
  const width = Math.min(whole[1] - whole[0], Math.max(least, (range[1] - range[0]) * factor));
  const share = (around - range[0]) / (range[1] - range[0]);
  return inside([around - share * width, around + (1 - share) * width], whole);
}

/** A range moved on, as far as `whole` goes. */
export function moved(range: Range, by: number, whole: Range): Range {
  return inside([range[0] + by, range[1] + by], whole);
}

function inside(range: Range, whole: Range): Range {
  const width = Math.min(range[1] - range[0], whole[1] - whole[0]);
  const low = Math.min(Math.max(range[0], whole[0]), whole[1] - width);
  return [low, low + width];
}

/** Places for labels near `wanted`, at least `gap` apart, from `low` to `high`; in the order in which they were given. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]!);
  const places = [...wanted];
  let least = low;
  for (const index of order) {
    places[index] = Math.max(places[index]!, least);
    least = places[index]! + gap;
  }
  let most = high;
  for (const index of order.reverse()) {
    places[index] = Math.min(places[index]!, most);
    most = places[index]! - gap;
  }
  return places;
}
