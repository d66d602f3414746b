/** The program that is open: read, saved, renamed, deleted; and what happens when somebody else saved it meanwhile. */

import { signal } from "@preact/signals";
import { get, post, put, remove } from "../api";
import { attempt, may, say, toast } from "../cell";
import { languageOf, type LanguageName } from "../editor/languages";
import { t } from "../texts";
import type { FileEntry, FileText } from "./answers";
import { draftFor, dropDraft, keepDraft, renameDraft, type Draft } from "./drafts";
import { onEditor, theEditor } from "./the_editor";
import { Refused } from "../refused";

export interface OpenFile {
  readonly name: string;
  readonly language: LanguageName;
  readonly version: string;
}

export interface Conflict {
  readonly mine: string;
  readonly theirs: FileText;
}

export const file = signal<OpenFile | null>(null);
export const files = signal<readonly FileEntry[] | null>(null);
export const unsaved = signal(false);
export const draft = signal<Draft | null>(null);
export const conflict = signal<Conflict | null>(null);
/** Goes up with every text that is opened: problems and previews belong to one. */
export const opened = signal(0);

const LAST = "program.file";

const address = (name: string): string => `/programs/file?name=${encodeURIComponent(name)}`;

export const readFile = (name: string): Promise<FileText> => get<FileText>(address(name));

export async function listFiles(): Promise<readonly FileEntry[]> {
  files.value = await get<readonly FileEntry[]>("/programs");
  return files.value;
}

/** Open a file; what was typed into the one before is kept as a draft. */
export async function openFile(name: string): Promise<boolean> {
  keepTyped();
  const found = await attempt(() => readFile(name));
  if (!found) return false;
  toast.value = null; // what was refused of the one before is no word of this one
  show(found);
  return true;
}

function show(found: FileText): void {
  const language = languageOf(found.name);
  file.value = { name: found.name, language, version: found.version };
  localStorage.setItem(LAST, found.name);
  theEditor().editor.open(found.text, language, !may("programmer"));
  unsaved.value = false;
  conflict.value = null; // it was of the one before
  draft.value = draftFor(localStorage, found.name, found.text);
  opened.value += 1;
}

/** Open something at the start: what runs, what was open last, or the first there is. One that is no text is passed over: nobody asked for it. */
export async function openFirst(running: string): Promise<void> {
  const names = (await attempt(listFiles))?.map((each) => each.name) ?? [];
  const wanted = new Set([running, localStorage.getItem(LAST) ?? "", ...names]);
  for (const name of wanted) if (names.includes(name) && (await opensQuietly(name))) return;
}

/** Whether there is nothing left to try: it is open, or it is not the file that is wrong, which is said. */
async function opensQuietly(name: string): Promise<boolean> {
  const found = await readFile(name).catch((error: unknown) => {
    if (error instanceof Refused && error.kind === "LibraryProblem") return null;
    return attempt<FileText>(() => Promise.reject(error instanceof Error ? error : new Error(String(error))));
  });
  if (found && !file.value) show(found); // somebody may have chosen one meanwhile
  return found !== null;
}

/** Save what is typed; whether it was. Where somebody else saved meanwhile, both texts are shown. */
export async function save(version: string | null = file.value?.version ?? null): Promise<boolean> {
  const now = file.value;
  if (!now || !may("programmer")) return false;
  const { editor } = theEditor();
  const kept = editor.snapshot;
  try {
    const answer = await put<{ readonly version: string }>("/programs/file", { name: now.name, text: kept.toString(), version });
    file.value = { ...now, version: answer.version };
    editor.isSaved(kept);
    unsaved.value = editor.changed;
    if (!unsaved.value) dropDraft(localStorage, now.name);
    draft.value = conflict.value = null;
    return true;
  } catch (error) {
    if (!(error instanceof Refused && error.status === 409 && (await conflicts(now, kept.toString()))))
      await attempt(() => Promise.reject(error instanceof Error ? error : new Error(String(error))));
    return false;
  }
}

/** Whether saving was refused because the file is another one by now; then both are shown. */
async function conflicts(now: OpenFile, mine: string): Promise<boolean> {
  const theirs = await readFile(now.name).catch(() => null);
  if (!theirs || theirs.version === now.version) return false;
  conflict.value = { mine, theirs };
  return true;
}

/** Of two texts, keep one: mine is saved over theirs, or theirs is opened (mine can be had back by undoing). */
export async function settle(which: "mine" | "theirs"): Promise<void> {
  const both = conflict.value;
  const now = file.value;
  if (!both || !now) return;
  if (which === "mine") {
    await save(both.theirs.version);
    return;
  }
  const { editor } = theEditor();
  editor.replace(both.theirs.text);
  editor.isSaved(editor.snapshot);
  file.value = { ...now, version: both.theirs.version };
  unsaved.value = false;
  conflict.value = null;
  dropDraft(localStorage, now.name);
}

export async function makeFile(name: string): Promise<boolean> {
  const done = await attempt(() => put<{ readonly version: string }>("/programs/file", { name, text: "", version: null }));
  if (!done) return false;
  await attempt(listFiles);
  return openFile(name);
}

export async function renameFile(name: string, to: string): Promise<boolean> {
  const done = await attempt(async () => (await post("/programs/rename", { name, to }), true));
  if (!done) return false;
  if (file.value?.name === name) keepTyped();
  renameDraft(localStorage, name, to);
  await attempt(listFiles);
  const now = file.value;
  if (now?.name !== name) return true;
  if (languageOf(to) !== now.language) {
    unsaved.value = false;
    return openFile(to); // other colours: what was typed is offered again there
  }
  file.value = { ...now, name: to };
  localStorage.setItem(LAST, to);
  return true;
}

export async function deleteFile(name: string): Promise<void> {
  const done = await attempt(async () => (await remove(address(name)), true));
  if (!done) return;
  dropDraft(localStorage, name);
  if (file.value?.name === name) {
    unsaved.value = false;
    file.value = draft.value = null;
    localStorage.removeItem(LAST);
  }
  await attempt(listFiles);
}

/** Take up the draft that was offered; it is unsaved text again. */
export function takeDraft(): void {
  const offered = draft.value;
  draft.value = null;
  if (offered) theEditor().editor.replace(offered.text);
}

export function dropOffered(): void {
  if (file.value) dropDraft(localStorage, file.value.name);
  draft.value = null;
}

/** Keep what is typed and not saved, so that nothing is lost by leaving. */
export function keepTyped(): void {
  const now = file.value;
  if (!now || !unsaved.value || !may("programmer")) return;
  const kept = keepDraft(localStorage, now.name, { text: theEditor().editor.text, version: now.version, at: Date.now() });
  if (!kept) say("refused", t("program.noRoom"));
}

onEditor("text", () => {
  const changed = theEditor().editor.changed;
  // Back to what is saved: there is nothing left to be kept.
  if (!changed && unsaved.value && file.value) dropDraft(localStorage, file.value.name);
  unsaved.value = changed;
});
onEditor("save", () => void save());
window.addEventListener("pagehide", keepTyped);
