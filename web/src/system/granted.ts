/** What of real time the cell's computer gave, in the page's words: made from the parts that the cell names. */

import { CATALOGUE, type Key, t } from "../texts";

const PARTS: readonly (readonly [RegExp, Key])[] = [
  [/^SCHED_FIFO$/, "system.rt.fifo"],
  [/^locked memory$/, "system.rt.locked"],
  [/^frozen garbage collector$/, "system.rt.frozen"],
  [/^core (\d+)$/, "system.rt.core"],
  [/^nothing$/, "system.rt.nothing"],
];
const WHOLE: readonly (readonly [RegExp, Key])[] = [[/^no real time asked for$/, "system.rt.notAsked"]];
const DENIED = /no SCHED_FIFO/;

function worded(text: string, among: readonly (readonly [RegExp, Key])[]): string | null {
  for (const [form, key] of among) {
    const found = form.exec(text);
    if (found) return t(key, { number: found[1] ?? "" });
  }
  return null;
}

/** What the cell says of it; parts that the page does not know stay as they are. */
export function grantedWords(said: string): string {
  const whole = worded(said, WHOLE);
  if (whole !== null) return whole;
  const found = /^real time: ([^(]*?)(?: \((.*)\))?(?:; .*)?$/.exec(said);
  if (!found) return said;
  const parts = found[1]!.split(", ").map((part) => worded(part, PARTS) ?? part);
  return t("system.rt.given", { parts: parts.join(t("system.rt.and")) }) + (found[2] ? ` (${DENIED.test(found[2]) ? t("system.rt.denied") : found[2]})` : "");
}

/** A process of the cell by what it does. */
export function processName(name: string): string {
  const key = `system.process.${name}`;
  return key in CATALOGUE ? t(key as Key) : name;
}
