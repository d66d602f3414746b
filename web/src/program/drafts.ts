/** Text that was not saved when the page was left, kept in this browser and offered again. */

export interface Draft {
  readonly text: string;
  readonly version: string; // of the file that it was written on
  readonly at: number; // ms since 1970
}

/** The part of localStorage that is used. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const key = (name: string): string => `draft:${name}`;

/** Keep a draft; false where the browser has no room for it. */
export function keepDraft(shelf: Shelf, name: string, draft: Draft): boolean {
  try {
    shelf.setItem(key(name), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(shelf: Shelf, name: string): void {
  shelf.removeItem(key(name));
}

/** The draft to be offered when a file is opened: none where it says what the file says. */
export function draftFor(shelf: Shelf, name: string, text: string): Draft | null {
  const draft = read(shelf.getItem(key(name)));
  if (draft && draft.text !== text) return draft;
  if (draft) dropDraft(shelf, name);
  return null;
}

/** The draft goes along with a file that gets another name. */
export function renameDraft(shelf: Shelf, from: string, to: string): void {
  const draft = read(shelf.getItem(key(from)));
  if (draft && keepDraft(shelf, to, draft)) dropDraft(shelf, from);
}

function read(kept: string | null): Draft | null {
  if (!kept) return null;
  try {
    const draft = JSON.parse(kept) as Partial<Draft> | null;
    return typeof draft?.text === "string" && typeof draft.version === "string" && typeof draft.at === "number" ? (draft as Draft) : null;
  } catch {
    return null;
  }
}
