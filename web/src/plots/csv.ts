/** What is seen, as a table that every spreadsheet reads: times, and each line in the unit that its head says. */

import { History } from "./history";
import type { Ring } from "./ring";
import type { Line } from "./thin";

export interface NamedLine extends Line {
  readonly name: string; // J2 torque measured
  readonly unit: string;
}

/** Rows `from` to `end`, all that say anything; times from `origin` on. An empty cell is a value that nobody measured. */
export function csv(ring: Ring, lines: readonly NamedLine[], from: number, end: number, origin: number): string {
  const rows = [["time [s]", ...lines.map((line) => `${line.name} [${line.unit}]`)].map(quoted).join(",")];
  for (let sample = from; sample < end; sample += 1) {
    const values = lines.map((line) => plain(ring.at(line.column, sample) * line.factor, 6));
    if (values.some((value) => value !== "")) rows.push(`${plain(ring.at(History.time, sample) - origin, 6)},${values.join(",")}`);
  }
  return `${rows.join("\r\n")}\r\n`;
}

function plain(value: number, digits: number): string {
  return Number.isNaN(value) ? "" : String(Number(value.toFixed(digits)));
}

/** As RFC 4180 wants it; a name that begins like a formula is not one. */
function quoted(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
