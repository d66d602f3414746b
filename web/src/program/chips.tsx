/** Chips: the open file and how it stands, above the editor; variables, modes, calls and messages, below it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { may, program, variables } from "../cell";
import { type Key, t } from "../texts";
import { due, failure, looked, looking, problems } from "./checking";
import { file, save, unsaved } from "./open_file";
import { readAhead, runs } from "./run_state";
import { cursorLine, theEditor } from "./the_editor";
import { written } from "./teach_in";

const LANGUAGES: Readonly<Record<string, Key>> = { gcode: "program.gcode", script: "program.script", moves: "program.movesFile", "": "program.text" };

/** The file (opens the list), its language, its problems, and whether it is saved. */
export function FileChips({ onList }: { onList: () => void }): JSX.Element {
  const open = file.value;
  return (
    <div class="program-head">
      <button type="button" class="pill" data-file onClick={onList}>
        <b>{open?.name ?? t("program.choose")}</b>
        <span aria-hidden="true">▾</span>
      </button>
      {open && <span class="pill language">{t(LANGUAGES[open.language] ?? "program.text")}</span>}
      {open && <ProblemChip />}
      <span class="space" />
      {open && <SavedChip />}
    </div>
  );
}

/** How many problems; touched, it goes to the next. */
function ProblemChip(): JSX.Element {
  const found = failure.value ? [...problems.value, failure.value] : problems.value;
  if (!found.length) {
    const words: Key = looking.value ? "program.checking" : looked.value ? "program.noProblems" : "program.unchecked";
    return <span class="pill" data-problems="0" data-looks={due.value || undefined}>{t(words)}</span>;
  }
  const next = (): void => {
    const lines = found.map((each) => each.line).sort((a, b) => a - b);
    theEditor().editor.goTo(lines.find((line) => line > cursorLine.value) ?? lines[0] ?? 1);
  };
  return (
    <button type="button" class="pill program-wrong" data-problems={found.length} onClick={next}>
      {found.length === 1 ? t("program.problem") : t("program.problems", { count: found.length })}
    </button>
  );
}

function SavedChip(): JSX.Element {
  if (!may("programmer")) return <span class="pill" data-saved>{t("program.readOnly")}</span>;
  if (runs(program.value) && program.value?.name === file.value?.name) return <span class="pill" data-saved>{t("program.locked")}</span>;
  if (!unsaved.value) return <span class="pill" data-saved>{t("program.saved")}</span>;
  return (
    <button type="button" class="pill program-save" data-save title="Ctrl+S" onClick={() => void save()}>
      <span>{t("program.unsaved")}</span>
      <b>{t("common.save")}</b>
    </button>
  );
}

const CALLS_SHOWN = 4;
const SHOWN = 200;

/** What the program has said and set: one row, or all of it where somebody asks. */
export function RunChips(): JSX.Element {
  const [all, setAll] = useState(false);
  const now = variables.value;
  const said = program.value?.said ?? [];
  const calls = now?.calls ?? [];
  const ahead = readAhead(program.value);
  if (!now?.variables.length && !now?.modes.length && !calls.length && !said.length) return <div class="program-chips" data-chips><span class="quiet">{t("program.nothingYet")}</span></div>;
  return (
    <div class={`program-chips ${all ? "all" : ""}`} data-chips>
      <div>
        {(all ? said : said.slice(-1)).map((text, index) => <span class="pill said" key={index} data-said>“{text}”</span>)}
        {ahead > 0 && <span class="quiet" data-ahead>{t("program.readAhead", { line: ahead })}</span>}
        {now?.variables.slice(0, SHOWN).map((each) => <span class="pill" key={each.name}>{each.name} = <b>{written(each.value)}</b></span>)}
        {now?.modes.map((mode) => <span class="pill" key={mode}>{mode.replace(/^codes /, "")}</span>)}
        {calls.length > 0 && <span class="pill" data-calls>{t("program.in")} <b>{calls.slice(-CALLS_SHOWN).join(" › ")}</b></span>}
      </div>
      <button type="button" class="pill" aria-expanded={all} aria-label={t("program.all")} title={t("program.all")} onClick={() => setAll(!all)}>{all ? "▴" : "⋯"}</button>
    </div>
  );
}
