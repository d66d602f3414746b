/** How far an estimate is from what was measured. */

import type { Ring } from "./ring";

/** Root mean square of measured - estimated, in their own unit; null where nothing was measured. */
export function residual(ring: Ring, measured: number, estimated: number, from: number, end: number): number | null {
  let apart = 0, count = 0;
  for (let sample = from; sample < end; sample += 1) {
    const seen = ring.at(measured, sample), guessed = ring.at(estimated, sample);
    if (Number.isNaN(seen) || Number.isNaN(guessed)) continue;
    apart += (seen - guessed) ** 2;
    count += 1;
  }
  return count === 0 ? null : Math.sqrt(apart / count);
}

/** The same as a share of the measured one's own, for a joint that carries something; null where it carries less than a least value: of next to nothing any share is large. */
export function residualShare(ring: Ring, measured: number, estimated: number, from: number, end: number, least = 1e-6): number | null {
  const apart = residual(ring, measured, estimated, from, end);
  let whole = 0, count = 0;
  for (let sample = from; sample < end; sample += 1) {
    const seen = ring.at(measured, sample);
    if (Number.isNaN(seen)) continue;
    whole += seen ** 2;
    count += 1;
  }
  return apart === null || whole / count < least ** 2 ? null : apart / Math.sqrt(whole / count);
}

/** A share in percent, with as many digits as mean something. */
export function percent(share: number | null): string {
  if (share === null) return "—";
  const value = 100 * share;
  return `${value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} %`;
}
