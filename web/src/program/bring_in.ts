/** Programs from and to the machine of who sits here: a file of his brought in, and one of the cell's handed out. */

import { put } from "../api";
import { attempt, say } from "../cell";
import { languageOf } from "../editor/languages";
import { download } from "../plots/picture";
import { t } from "../texts";
import { withEnding } from "./file_names";
import { listFiles, openFile, readFile } from "./open_file";

const LARGEST = 1e6; // bytes: the editor stays quick with as much

/** A text that is to be a program. version: Of the program that it would take the place of; null where there is none. */
export interface Brought {
  readonly name: string;
  readonly text: string;
  readonly version: string | null;
}

/** Read a file that was chosen; null where it is no program, which is said. Its name gets an ending as a new program's does. */
export async function readChosen(chosen: File, language: "gcode" | "script"): Promise<Brought | null> {
  if (chosen.size > LARGEST) return refuse(t("program.tooLarge", { name: chosen.name }));
  const text = await textOf(chosen);
  if (text === null) return refuse(t("program.noText", { name: chosen.name }));
  const name = withEnding(chosen.name, language, languageOf);
  const known = await attempt(listFiles); // somebody else may have made one of this name just now
  if (!known) return null;
  if (!known.some((each) => each.name === name)) return { name, text, version: null };
  const there = await attempt(() => readFile(name));
  return there ? { name, text, version: there.version } : null;
}

function refuse(words: string): null {
  say("refused", words);
  return null;
}

/** The text of a file; null where its bytes are none. */
async function textOf(chosen: File): Promise<string | null> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await chosen.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null; // not UTF-8, or it cannot be read any more
  }
}

/** Save what was brought in, and open it. What was typed into the program before and not saved is kept as a draft. */
export async function bringIn({ name, text, version }: Brought): Promise<boolean> {
  const done = await attempt(() => put<{ readonly version: string }>("/programs/file", { name, text, version }));
  if (!done) return false;
  await attempt(listFiles);
  return openFile(name);
}

/** Hand out a program as it is saved. A folder that it is in is no part of a file's name. */
export async function handOut(name: string): Promise<void> {
  const found = await attempt(() => readFile(name));
  if (found) download(new Blob([found.text], { type: "text/plain;charset=utf-8" }), name.slice(name.lastIndexOf("/") + 1));
}
