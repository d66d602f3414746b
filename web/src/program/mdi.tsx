/** One typed line, run at once. In manual mode its button is held; so is Enter. */

import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { post } from "../api";
import { canMove, may, program, status, stopNow, TYPED_LINE, who } from "../cell";
import { Choice } from "../parts/choice";
import { HeldOrder, tellRelease } from "../parts/held_order";
import { HoldButton } from "../parts/hold";
import { useLetGo } from "../parts/let_go";
import { Repeated } from "../parts/repeated";
import { Refused } from "../refused";
import { onSessionEnd } from "../session";
import { t } from "../texts";
import { file } from "./open_file";
import { typedRefusal } from "./refusal";
import { runs } from "./run_state";
import { TypedLines } from "./typed_lines";

const KEPT = "program.typed";

interface Answer {
  readonly said?: readonly string[];
  readonly text?: string;
}

const line = signal("");
const language = signal<"gcode" | "script" | "">("");
const answer = signal<{ readonly bad: boolean; readonly text: string } | null>(null);
const busy = signal(false);
const typed = new TypedLines(remembered());

function remembered(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each): each is string => typeof each === "string") : [];
  } catch {
    return [];
  }
}

/** The language chosen, or that of the open program. */
const spoken = (): "gcode" | "script" => language.value || (file.value?.language === "script" ? "script" : "gcode");

/** What a line came to is of no interest any more when a program runs. */
effect(() => {
  if (runs(program.value) && program.value?.name !== TYPED_LINE) answer.value = null;
});

onSessionEnd(() => {
  line.value = "";
  answer.value = null;
});

async function run(): Promise<boolean> {
  const text = line.value.trim();
  if (!text || busy.value) return false;
  busy.value = true;
  answer.value = null;
  const mine = who.value?.session;
  const tell = (bad: boolean, words: string): void => {
    if (who.value?.session === mine) answer.value = { bad, text: words }; // who came meanwhile did not type it
  };
  typed.add(text);
  localStorage.setItem(KEPT, JSON.stringify(typed.all));
  try {
    const said = await post<Answer | null>("/mdi", { language: spoken(), line: text }, null); // a line may take as long as it takes
    tell(false, `${text} · ${said?.said?.join(" · ") || said?.text || t("program.done")}`);
    if (who.value?.session === mine) line.value = "";
    return true;
  } catch (error) {
    const stopped = error instanceof Refused && error.kind === "LineStopped"; // somebody wished it: nothing is wrong
    tell(!stopped, stopped ? t("program.lineStopped", { line: text }) : typedRefusal(error));
    return false;
  } finally {
    busy.value = false;
  }
}

/** Whoever lets go of a line that still runs wants it to end. */
function release(): void {
  tellRelease();
  if (busy.value) stopNow(2);
}

const held = new HeldOrder({ order: run, release });

/** Enter works as the button does: touched in automatic, held in manual mode. */
function useEnter(manual: boolean, off: boolean): { readonly down: (event: KeyboardEvent) => void; readonly up: () => void } {
  const repeated = useRef(new Repeated()).current;
  const up = (): void => {
    repeated.end();
    held.release();
  };
  useLetGo(up);
  const down = (event: KeyboardEvent): void => {
    event.preventDefault();
    if (event.repeat || off || repeated.goesOn) return;
    if (!manual) return void run();
    repeated.begin(held.hold);
  };
  return { down, up };
}

export function Mdi(): JSX.Element {
  const manual = status.value?.mode !== "automatic";
  const off = !may("operator") || !canMove.value || runs(program.value);
  const enter = useEnter(manual, off);
  const words = t(manual ? "program.holdLine" : "program.runLine");
  const empty = line.value.trim() === "";
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Enter") enter.down(event);
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    line.value = event.key === "ArrowUp" ? typed.older(line.value) : typed.newer(line.value);
  };
  return (
    <div class="program-mdi">
      <Choice label={t("program.language")} value={spoken()} onChoose={(each) => (language.value = each)}
        of={[{ value: "gcode", label: t("program.gcodeShort") }, { value: "script", label: t("program.scriptShort") }]} />
      <input class="text" type="text" data-mdi value={line.value} placeholder={t("program.typeLine")} aria-label={t("program.typeLine")} autocomplete="off" autocapitalize="off" spellcheck={false}
        disabled={!may("operator")} onInput={(event) => (line.value = event.currentTarget.value)} onKeyDown={key} onKeyUp={(event) => event.key === "Enter" && enter.up()} onBlur={enter.up} />
      {manual ? (
        <HoldButton disabled={(off || empty) && !held.isHeld} onHold={held.hold} onRelease={held.release}>{words}</HoldButton>
      ) : (
        <button type="button" class="button big" disabled={off || empty || busy.value} onClick={() => void run()}>{words}</button>
      )}
      <p class={answer.value?.bad ? "badly" : "quiet"} role="status" data-answer>{busy.value ? t("program.lineRuns") : answer.value?.text}</p>
    </div>
  );
}
