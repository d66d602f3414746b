/** A path with fewer points that looks the same, as line segments. */

import type { Preview } from "./shown";

type Point = readonly [number, number, number];

const PIECE = 128; // points

/** Numbers of the points that must stay, so that no other is further than `tolerance` [m] from the line between them. */
export function kept(points: readonly Point[], first: number, last: number, tolerance: number): number[] {
  const stays = new Uint8Array(last - first + 1);
  const open: [number, number][] = [];
  // Piece by piece: a path that winds at every point would take the square of its length otherwise.
  for (let from = first; from < last; from += PIECE) open.push([from, Math.min(last, from + PIECE)]);
  stays[0] = stays[last - first] = 1;
  for (const [from] of open) stays[from - first] = 1;
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    let worst = tolerance, at = -1;
    for (let each = from + 1; each < to; each++) {
      const off = distance(points[each]!, points[from]!, points[to]!);
      if (off > worst) [worst, at] = [off, each];
    }
    if (at < 0) continue;
    stays[at - first] = 1;
    open.push([from, at], [at, to]);
  }
  const found: number[] = [];
  stays.forEach((yes, number) => yes && found.push(first + number));
  return found;
}

/** Of a point to the stretch between two others [m]. */
function distance(p: Point, a: Point, b: Point): number {
  const ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
  const length = ux * ux + uy * uy + uz * uz;
  const along = length === 0 ? 0 : ((p[0] - a[0]) * ux + (p[1] - a[1]) * uy + (p[2] - a[2]) * uz) / length;
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(p[0] - a[0] - share * ux, p[1] - a[1] - share * uy, p[2] - a[2] - share * uz);
}

export interface PathSegments {
  readonly rest: Float32Array; // six numbers a segment [m]
  readonly chosen: Float32Array; // those of the chosen line
}

/** A preview as segments. A stretch belongs to the line of the point that it ends at; lines keep their ends. */
export function pathSegments(preview: Preview, tolerance = 0.0005, most = 4000): PathSegments {
  const { points, lines, chosen } = preview;
  const runs: [number, number][] = [];
  for (let each = 1; each < points.length; each++) {
    const run = runs.at(-1);
    if (run && (!lines || lines[each] === lines[run[1]])) run[1] = each;
    else runs.push([each - 1, each]);
  }
  let within = tolerance;
  let numbers = runs.map(([from, to]) => kept(points, from, to, within));
  // A program may be longer than anybody can see: then coarser, until it can be drawn.
  while (numbers.reduce((sum, each) => sum + each.length, 0) > most && within < 0.02) {
    within *= 2;
    numbers = runs.map(([from, to]) => kept(points, from, to, within));
  }
  const rest: number[] = [], bright: number[] = [];
  numbers.forEach((run, number) => {
    const into = chosen !== undefined && lines?.[runs[number]![1]] === chosen ? bright : rest;
    for (let each = 1; each < run.length; each++) into.push(...points[run[each - 1]!]!, ...points[run[each]!]!);
  });
  return { rest: new Float32Array(rest), chosen: new Float32Array(bright) };
}
