/** Starting a program, stepping through it, and holding it. */

import { effect, signal } from "@preact/signals";
import { get, post } from "../api";
import { attempt, motion, program, say, status, toast } from "../cell";
import { HeldOrder } from "../parts/held_order";
import { t } from "../texts";
import { learnWords } from "./checking";
import { file, save, unsaved } from "./open_file";
import { programRefusal } from "./refusal";
import { runs } from "./run_state";
import { taughtLine } from "./teach_in";
import { cursorLine, startLine, theEditor } from "./the_editor";
import { ownNames } from "../editor/completion";
import { freePoint } from "../teach/names";

const PATIENCE = 3000; // ms until a program that is to be stepped through stands before its first move

/** Run the open program from a line; 0 for its beginning. What is typed is saved first. */
export async function start(line: number, step: boolean): Promise<boolean> {
  if (unsaved.value && !(await save())) return false;
  const name = file.value?.name;
  if (!name) return false;
  toast.value = null; // what was said of the run before is over
  const done = await attempt(async () => {
    try {
      await post("/run", { name, start_line: line, step });
      return true;
    } catch (error) {
      const plain = programRefusal(error);
      if (plain === null) throw error;
      say("refused", plain);
      return false;
    }
  });
  if (done) theEditor().editor.follow(true);
  return done ?? false;
}

const isManual = (): boolean => status.value?.mode !== "automatic";

/** One move: of the program that waits, or the first of the open one. */
export async function stepOnce(): Promise<boolean> {
  if (!runs(program.value)) {
    if (!(await start(startLine.value, true))) return false;
    // In manual mode the presses that follow lead to the first move.
    if (isManual() || !(await waitsForFirst())) return true;
  }
  return (await attempt(async () => (await post("/run/step"), true))) ?? false;
}

/** Run on from where it stands, or from the beginning. */
async function goOn(line: number): Promise<boolean> {
  if (!runs(program.value)) return start(line, false);
  await post("/run/resume").catch(() => undefined); // a cell that wants presses alone gets them
  return true;
}

/** Whether the program that was just started stands before its first move. */
function waitsForFirst(): Promise<boolean> {
  return new Promise((answer) => {
    const finish = (waits: boolean): void => {
      window.clearTimeout(timer);
      queueMicrotask(() => end());
      answer(waits);
    };
    const timer = window.setTimeout(() => finish(false), PATIENCE);
    const end = effect(() => {
      const now = program.value;
      if (now?.step && now.state === "paused") finish(now.moves === 0);
    });
  });
}

/** The line that "from line" starts with: chosen in the gutter, or the cursor's. */
export const fromLine = (): number => startLine.value || cursorLine.value;

export type Slot = "run" | "step" | "from";
/** What is held now. */
export const heldSlot = signal<Slot | "">("");

/** A press lets a paused program go on; one that goes by single moves is asked first to go on without them. */
const goesOn = (): boolean => runs(program.value) && program.value?.step === false;
const HELD: Readonly<Record<Slot, HeldOrder>> = {
  run: new HeldOrder({ goesOn, order: () => goOn(0) }),
  from: new HeldOrder({ goesOn, order: () => goOn(fromLine()) }),
  // A press alone would let it run on: it is asked for one move first.
  step: new HeldOrder({ goesOn, order: stepOnce, waits: true }),
};

export function hold(slot: Slot): void {
  heldSlot.value = slot;
  HELD[slot].hold();
}

export function letGoOf(slot: Slot): void {
  if (heldSlot.value === slot) heldSlot.value = "";
  HELD[slot].release();
}

/** Teach a point where the robot stands, and write it behind the cursor's line. */
export async function teachIn(): Promise<void> {
  const now = file.value;
  const place = motion.value;
  if (!now || !place) return;
  const { editor } = theEditor();
  await attempt(async () => {
    const points = await get<readonly { readonly name: string }[]>("/points");
    const name = freePoint([...points.map((each) => each.name), ...ownNames(editor.text)]);
    const line = taughtLine(now.language, name, place, editor.textAbove());
    if (line === null) {
      say("refused", t("program.relative"));
      return;
    }
    await post("/points", { name });
    editor.insertLine(line);
    say("info", t("program.taught", { name }));
    learnWords();
  });
}
