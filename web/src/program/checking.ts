/** Looking for problems, and at the path: by itself when typing stops, and when somebody asks. */

import { effect, signal, untracked } from "@preact/signals";
import { get, post } from "../api";
import { attempt, may, program, TYPED_LINE } from "../cell";
import { NO_WORDS, type Words } from "../editor/completion";
import type { Problem } from "../editor/problems";
import { t } from "../texts";
import { ghost, preview } from "../view/shown";
import { problemOfError, readProblem, type CheckAnswer, type PreviewAnswer, type WireProblem } from "./answers";
import { file, keepTyped, opened, unsaved } from "./open_file";
import { ghostAt, pathWith } from "./path_preview";
import { linesIn, runs } from "./run_state";
import { cursorLine, onEditor, theEditor } from "./the_editor";

const QUIET = 600; // ms without typing until it is looked through
const QUICK = 2000; // ms that a look through may take, for the path to be drawn too: that takes as long again
const LONGEST = 1_000_000; // characters that are looked through without being asked for

export const problems = signal<readonly Problem[]>([]);
/** How many of them hinder a run: those of a text that was changed since may have been mended, and the cell looks again. */
export const hindering = (): number => (looked.value ? problems.value.length : 0);
export const looked = signal<CheckAnswer | null>(null); // what the newest check found
export const looking = signal(false);
/** Whether the text is going to be looked through, or is being looked through, by itself. */
export const due = signal(false);
const path = signal<PreviewAnswer | null>(null);

let timer = 0;
let number = 0; // of the newest question: older answers come too late

/** What the last run failed of, at its line; it is told, and hinders nothing. */
export const failure = signal<Problem | null>(null);

function tell(found: readonly Problem[], failed: Problem | null = failure.peek()): void {
  problems.value = found;
  failure.value = failed && !found.some((each) => each.line === failed.line) ? failed : null;
  theEditor().editor.show(failure.peek() ? [...found, failure.peek() as Problem] : found);
}

const read = (wire: WireProblem): Problem => readProblem(wire, (line) => theEditor().editor.lineText(line), (text) => t("program.use", { text }));
const asked = (): { readonly name: string; readonly text: string | null } => ({ name: file.value?.name ?? "", text: unsaved.value ? theEditor().editor.text : null });

/** Look the text through; null where it was changed meanwhile. */
async function check(): Promise<CheckAnswer | null> {
  const mine = ++number;
  const answer = await post<CheckAnswer>("/programs/check", asked());
  if (mine !== number) return null;
  looked.value = answer;
  tell(answer.problems.map(read), unsaved.peek() ? null : failure.peek());
  return answer;
}

/** Check, and have the path drawn. */
export async function checkAndPreview(): Promise<void> {
  window.clearTimeout(timer);
  looking.value = true;
  await attempt(async () => {
    if (await check()) await showPath();
  });
  looking.value = false;
}

/** Have the path drawn that the text would take. */
async function showPath(): Promise<void> {
  const mine = number;
  const found = await post<PreviewAnswer>("/programs/preview", { ...asked(), start_line: 0 });
  if (mine !== number) return;
  path.value = found;
  if (found.problem && !problems.value.some((each) => each.line === found.problem?.line)) tell([...problems.value, read(found.problem)]);
}

/** Nothing is known of a text that has changed. */
function forget(): void {
  number += 1;
  looked.value = path.value = null;
}

function quietly(): void {
  keepTyped();
  const size = theEditor().editor.snapshot.length;
  if (!file.value || !may("operator") || runs(program.value) || size > LONGEST) return void (due.value = false);
  // Whoever asks by the button is told why it fails; of this text nothing is known then, so nothing is held against it.
  void lookAndShow().catch(() => (looked.value = null));
}

/** Look the text through, and draw its path too where that takes no time. */
async function lookAndShow(): Promise<void> {
  const mine = number + 1, begun = performance.now(); // the number that `check` gives it
  try {
    const answer = await check();
    if (mine !== number || !answer || answer.problems.length > 0 || performance.now() - begun > QUICK) return;
  } finally {
    if (mine === number) due.value = false;
  }
  if (!runs(program.value)) await showPath().catch(() => undefined); // nobody asked for it
}

function soon(wait: number): void {
  due.value = true;
  window.clearTimeout(timer);
  timer = window.setTimeout(quietly, wait);
}

onEditor("text", () => {
  forget();
  soon(QUIET);
});

/** Everything that follows the open text by itself, as long as the page is shown. */
export function beginLooking(): () => void {
  const ends = [
    effect(() => {
      if (opened.value === 0) return;
      untracked(() => {
        forget();
        tell([], null);
        told = "";
        tellFailure();
        soon(0);
      });
    }),
    effect(learnWords),
    effect(() => {
      const lines = linesIn(program.value, file.value?.name ?? "");
      theEditor().editor.run(lines);
      const found = path.value;
      const line = lines.moving || cursorLine.value;
      preview.value = found ? pathWith(found, line) : null;
      ghost.value = found && !runs(program.value) ? ghostAt(found.ends, line, t("program.lineNumber", { line })) : null;
    }),
    effect(tellFailure),
    effect(() => {
      const now = runs(program.value);
      if (ran && !now) soon(0); // the robot stands elsewhere: what is wrong from there may be something else
      ran = now;
    }),
  ];
  return () => {
    ends.forEach((end) => end());
    window.clearTimeout(timer);
    due.value = false;
    keepTyped();
    preview.value = ghost.value = null;
  };
}

let ran = false;
let told = ""; // the failure that was shown last

/** What a run failed of stands at its line too. */
function tellFailure(): void {
  const now = program.value;
  const name = file.value?.name ?? "";
  const mine = now?.state === "failed" && now.error !== "" && now.name !== TYPED_LINE; // what was typed stands by what was typed
  const failed = mine ? `${now.name} ${now.seconds} ${now.error}` : "";
  if (failed === told) return;
  told = failed;
  const problem = now && failed ? problemOfError(now.error, name, now.name === name ? now.line : 0, now.name === name) : null;
  tell(problems.peek(), problem && problem.line > 0 ? problem : null);
}

/** What can be completed: asked for again when a file is saved or a point is taught. */
export function learnWords(): void {
  const language = file.value?.language;
  if (language !== "gcode" && language !== "script") return;
  get<Partial<Words>>(`/programs/words?language=${language}`)
    .then((words) => theEditor().editor.know({ ...NO_WORDS, ...words }))
    .catch(() => undefined); // the language's own words are known all the same
}
