/** What has happened to the robot, as rows of a table: the same thing several times at once is one of them. */

import { CATALOGUE, type Key, t } from "../texts";

export interface Happened {
  readonly at: string; // UTC; "" where the cell's time is not the clock's
  readonly time: number; // s, the executor's clock
  readonly event: string;
  readonly state: string;
  readonly text: string;
}

export type Row<T> = T & { readonly times: number };

const TOGETHER = 1; // s between two that are told as one: a STOP comes by the link and by a request, and for the program too

/**
 * What comes several times in a row at once is one row, where the newest stands.
 *
 * @param all Newest first. @param what What makes two the same. @param time When each was [s].
 */
export function together<T>(all: readonly T[], what: (each: T) => string, time: (each: T) => number): Row<T>[] {
  const rows: { row: Row<T>; oldest: number }[] = [];
  for (const each of all) {
    const last = rows.at(-1);
    if (last && what(last.row) === what(each) && last.oldest - time(each) < TOGETHER) rows[rows.length - 1] = { row: { ...last.row, times: last.row.times + 1 }, oldest: time(each) };
    else rows.push({ row: { ...each, times: 1 }, oldest: time(each) });
  }
  return rows.map((each) => each.row);
}

export const rowsOf = (all: readonly Happened[]): Row<Happened>[] => together(all, (each) => `${each.event} ${each.state} ${each.text}`, (each) => each.time);

export function eventName(event: string): string {
  const key = `event.${event}`;
  return key in CATALOGUE ? t(key as Key) : event.toLowerCase().replaceAll("_", " ");
}
