/** When the session ends that this page is in: what somebody left half done is not for who comes next. */

import { effect, untracked } from "@preact/signals";
import { who } from "./cell";

const works = new Set<() => void>();
let before = "";

/** Called when the session is over or is another one: by logging out, and when a cell was started again, which knows no sessions. */
export function onSessionEnd(work: () => void): void {
  works.add(work);
}

effect(() => {
  const now = who.value?.session ?? "";
  if (before && now !== before) untracked(() => works.forEach((work) => work()));
  before = now;
});
