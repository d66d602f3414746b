/** Check, step, run, from line, teach in; while it runs, stop and pause. In manual mode what moves is held. */

import type { ComponentChildren, JSX } from "preact";
import { post } from "../api";
import { attempt, inControl, may, motion, program, programName, status, TYPED_LINE } from "../cell";
import { isMineElsewhere } from "../control";
import { linked } from "../link";
import type { ProgramState } from "../messages";
import { HoldButton } from "../parts/hold";
import { clock } from "../moment";
import { spoken } from "../spoken";
import { type Key, t } from "../texts";
import { checkAndPreview, hindering, looked, looking } from "./checking";
import { file, unsaved } from "./open_file";
import { fromLine, heldSlot, hold, letGoOf, start, stepOnce, teachIn, type Slot } from "./running";
import { isFile, movesKey, runs, whyOff, type Why } from "./run_state";
import { cursorLine, startLine } from "./the_editor";

function why(): Why | null {
  return whyOff({
    operator: may("operator"), linked: linked.value, control: inControl.value, holder: programName(status.value?.control.name ?? ""), mine: isMineElsewhere(),
    state: status.value?.state ?? "OFF", file: file.value !== null, problems: hindering(),
  });
}

/** In manual mode held, in automatic touched. */
function Mover({ slot, off, onTouch, children, main }: { slot: Slot; off: boolean; onTouch: () => void; children: ComponentChildren; main?: boolean }): JSX.Element {
  const manual = status.value?.mode !== "automatic";
  if (manual) {
    return (
      <HoldButton className={main ? "program-main" : ""} disabled={off && heldSlot.value !== slot} onHold={() => hold(slot)} onRelease={() => letGoOf(slot)}>
        <span data-do={slot}>{children}</span>
      </HoldButton>
    );
  }
  return (
    <button type="button" class={`button big ${main && !off ? "do" : ""}`} disabled={off} onClick={onTouch}>
      <span data-do={slot}>{children}</span>
    </button>
  );
}

const ask = (path: string): void => void attempt(() => post(path));

export function RunButtons(): JSX.Element {
  const now = program.value;
  const going = runs(now);
  const paused = now?.state === "paused";
  const manual = status.value?.mode !== "automatic";
  const reason = why();
  const off = reason !== null && reason.key !== "program.whyProblems";
  const open = file.value;
  const from = open ? startLine.value || cursorLine.value : 0;
  const runOff = going ? (manual || paused ? off : !may("operator")) : reason !== null;
  return (
    <div class="program-buttons">
      {going ? (
        <button type="button" class="button big bad" data-do="stop" disabled={!may("operator")} onClick={() => ask("/run/stop")}>{t("program.stop")}</button>
      ) : (
        <button type="button" class="button big" data-do="check" disabled={!open || looking.value || !may("operator")} onClick={() => void checkAndPreview()}>
          {t(looking.value ? "program.checking" : "program.check")}
        </button>
      )}
      <Mover slot="step" off={going ? off || !paused : reason !== null} onTouch={() => void stepOnce()}>
        {t("program.step")}
        {manual ? <small>{t("program.hold")}</small> : !going && startLine.value > 0 && <small>{t("program.fromNumber", { line: startLine.value })}</small>}
      </Mover>
      <Mover slot="run" main off={runOff} onTouch={() => (going ? ask(paused ? "/run/resume" : "/run/pause") : void start(0, false))}>
        {t(runWords(going, paused, manual))}
        {!going && unsaved.value && <small>{t("program.savesFirst")}</small>}
      </Mover>
      <Mover slot="from" off={reason !== null || going} onTouch={() => void start(fromLine(), false)}>
        {t("program.from", { line: from || "" })}
        {manual && <small>{t("program.hold")}</small>}
      </Mover>
      <button type="button" class="button big" data-do="teach" disabled={!open || going || !may("programmer") || !motion.value || !["gcode", "script"].includes(open.language)} onClick={() => void teachIn()}>
        {t("program.teachIn")}
      </button>
    </div>
  );
}

function runWords(going: boolean, paused: boolean, manual: boolean): Key {
  if (manual) return going ? "program.holdOn" : "program.holdToRun";
  return !going ? "program.run" : paused ? "program.goOn" : "program.pause";
}

/** One line of how it stands: what runs, why nothing can, or what came of the last. */
export function HowItStands(): JSX.Element {
  const now = program.value;
  const reason = why();
  if (now && runs(now)) {
    const words: Key = now.state === "paused" ? "program.paused" : now.state === "waiting" ? "program.waits" : "program.runs";
    return <p class="program-stands" data-stands>{t(words, { name: programName(now.name) })}{now.line > 0 && now.name !== TYPED_LINE && ` · ${t("program.lineNumber", { line: now.line })}`} · {t("program.movesRead", { count: now.moves })} · {clock(now.seconds)}</p>;
  }
  if (reason) {
    const values = reason.key === "program.whyState" ? { state: t(`state.${reason.values.state}` as Key) } : "values" in reason ? reason.values : {};
    return <p class="program-stands" data-stands data-why>{t(reason.key, values as Record<string, string | number>)}</p>;
  }
  const answer = looked.value;
  // A run that did not come to its end is told until another is begun: whoever stopped it wants to know that it was. Of another
  // file that is open by now it says nothing.
  if (now && (now.state === "stopped" || now.state === "failed") && isFile(now.name, file.value?.name ?? "")) return <LastRun now={now} />;
  if (answer && answer.moves > 0)
    return <p class="program-stands" data-stands>{`${t(movesKey(answer.moves), { count: answer.moves })}, ${t("program.about", { time: clock(answer.seconds) })}`}{!answer.whole && ` · ${t("program.notWhole")}`}</p>;
  if (now && now.state) return <LastRun now={now} />;
  return <p class="program-stands" data-stands>{t("program.ready")}</p>;
}

function LastRun({ now }: { readonly now: ProgramState }): JSX.Element {
  const words: Key = now.state === "failed" ? "program.failed" : now.state === "stopped" ? "program.stopped" : "program.ended";
  return (
    <p class={`program-stands ${now.state === "failed" ? "badly" : ""}`} data-stands title={spoken(now.error)}>
      {t(words, { name: programName(now.name) })} · {t(now.state === "ended" ? movesKey(now.moves) : "program.movesRead", { count: now.moves })} · {clock(now.seconds)}
    </p>
  );
}
