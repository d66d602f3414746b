/** What the cell refused, in words for who sits here. */

import { spokenOrNot } from "./spoken";
import { CATALOGUE, type Key, t } from "./texts";

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly kind = "", // of the cell's error
  ) {
    super(message);
  }
}

/** What an answer other than a good one says. */
export async function refusalOf(answer: Response): Promise<Refused> {
  const said = (await answer.json().catch(() => ({}))) as { detail?: string; kind?: string };
  return new Refused(answer.status, said.detail ?? t("refusal.status", { status: answer.status }), said.kind ?? "");
}

/** In the language of the page where the words are known; else the cell's own, with a heading that says what kind of thing is wrong. */
export function inWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const said = spokenOrNot(text);
  if (said !== null && said !== text) return said;
  const key = error instanceof Refused ? `refusal.${error.kind}` : "";
  const heading = key in CATALOGUE ? t(key as Key) : "";
  return heading ? `${heading}：${text}` : text;
}
