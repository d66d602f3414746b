/** What a password must be; the cell has the last word. */

import type { Key } from "../texts";

export const SHORTEST = 8; // characters

/** What is wrong with a password that was typed twice; null for nothing. */
export function passwordProblem(password: string, again: string): Key | null {
  if ([...password].length < SHORTEST) return "users.tooShort";
  return password === again ? null : "users.notTheSame";
}
