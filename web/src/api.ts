/** Requests to the cell: each answers, or fails with words that a person can act on. */

import { Refused, refusalOf } from "./refused";
import { t } from "./texts";
import { underway } from "./underway";

const PATIENCE = 130_000; // ms: planning may take two minutes

/** @param patience How long an answer may take [ms]; null for as long as it takes. */
async function ask<T>(method: string, path: string, body?: unknown, patience: number | null = PATIENCE, raw = false): Promise<T> {
  const headers: Record<string, string> = { "x-armillary": "1" };
  const file = body instanceof Blob; // goes as it is
  if (body !== undefined) headers["content-type"] = file ? "application/octet-stream" : "application/json";
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers,
      ...(patience === null ? {} : { signal: AbortSignal.timeout(patience) }),
      ...(body === undefined ? {} : { body: file ? body : JSON.stringify(body) }),
    });
  } catch {
    throw new Refused(0, t("refusal.noAnswer"));
  }
  if (!answer.ok) throw await refusalOf(answer);
  if (raw) return answer as T;
  const text = await answer.text();
  return (text ? JSON.parse(text) : null) as T;
}

export const get = <T>(path: string): Promise<T> => ask<T>("GET", path);
export const post = <T = null>(path: string, body: unknown = {}, patience: number | null = PATIENCE): Promise<T> => underway(() => ask<T>("POST", path, body, patience));
export const put = <T = null>(path: string, body: unknown): Promise<T> => underway(() => ask<T>("PUT", path, body));
export const putFile = <T = null>(path: string, file: Blob): Promise<T> => underway(() => ask<T>("PUT", path, file));
export const patch = <T = null>(path: string, body: unknown): Promise<T> => underway(() => ask<T>("PATCH", path, body));
export const remove = <T = null>(path: string): Promise<T> => underway(() => ask<T>("DELETE", path));
export const fetchRaw = (path: string): Promise<Response> => ask<Response>("GET", path, undefined, PATIENCE, true);
