/** The one editor of the page: it lives on while another page is open, with its text, its cursor and its past. */

import { signal } from "@preact/signals";
import { ProgramEditor } from "../editor/editor";

export const cursorLine = signal(1);
export const startLine = signal(0); // chosen in the gutter; 0 for none
export const follows = signal(true);

const asked = { text: new Set<() => void>(), cursor: new Set<() => void>(), save: new Set<() => void>() };

/** Called when the text changes, the cursor moves, or somebody saves by key. */
export function onEditor(kind: keyof typeof asked, work: () => void): void {
  asked[kind].add(work);
}

let made: { readonly host: HTMLElement; readonly editor: ProgramEditor } | null = null;

export function theEditor(): { readonly host: HTMLElement; readonly editor: ProgramEditor } {
  if (made) return made;
  const host = document.createElement("div");
  host.className = "program-code";
  const editor = new ProgramEditor(host, {
    onText: () => asked.text.forEach((work) => work()),
    onCursor: (line, start) => {
      cursorLine.value = line;
      startLine.value = start;
      asked.cursor.forEach((work) => work());
    },
    onSave: () => asked.save.forEach((work) => work()),
    onFollow: (now) => (follows.value = now),
  });
  made = { host, editor };
  return made;
}
