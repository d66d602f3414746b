/** A calibration, step by step: what to do, touch, what the touches say, keep. */

import type { JSX } from "preact";
import { robot } from "../cell";
import { open } from "../pages";
import { Choice } from "../parts/choice";
import { canBeName } from "../teach/names";
import { type Key, t } from "../texts";
import { begin, byMarks, canTouch, change, end, frameName, type Kind, kept, kind, least, marks, oriented, touch, touches, turned, turning, wantOrientation } from "./calibration";
import { Found } from "./found";
import { Keep } from "./keep";
import { MarksFields } from "./marks";
import { Picture } from "./picture";
import { beginOf, OF_POINT } from "./tool_touches";
import { TouchHint } from "./touch_hint";
import { TouchList } from "./touch_list";

const TITLES: Record<Kind, Key> = { tool: "frames.toolTitle", frame: "frames.frameTitle", zeros: "frames.zerosTitle" };

export function Wizard({ of }: { readonly of: Kind }): JSX.Element {
  const count = touches.value[of].length;
  return (
    <>
      <div class="row">
        <b class="title">{t(TITLES[of])}</b>
        <span class="grow" />
        {count > 0 && !kept.value && <button type="button" class="button" data-anew onClick={() => change(of, [])}>{t("frames.anew")}</button>}
        <button type="button" class="button" data-close onClick={() => (kept.value ? end() : (kind.value = null))}>{t("common.close")}</button>
      </div>
      {!kept.value && (
        <>
          {of === "tool" && turning.value ? <Picture of="turn" step={turned.value} /> : <Picture of={of} step={count - (of === "tool" ? turned.value : 0)} />}
          {of === "tool" && <WayOfTool />}
          {of === "zeros" && <WayOfZeros />}
          {of === "frame" && <FrameName />}
          <Steps of={of} count={count} />
          {of === "zeros" && byMarks.value && <MarksFields />}
          {of === "tool" && oriented.value && count - turned.value >= OF_POINT && <NextTouch />}
          <div class="row fill">
            <button type="button" class="button big" data-to-move onClick={() => open("move")}>{t("frames.toMove")}</button>
            <button type="button" class="button do big" data-touch-now disabled={!canTouch()} onClick={touch}>{t(of === "zeros" && byMarks.value ? "frames.onMarks" : "frames.touch")}</button>
          </div>
          <TouchHint of={of} />
          <TouchList of={of} />
          <Found />
        </>
      )}
      <Keep />
    </>
  );
}

/** What was done, what is to be done now, and what comes then. */
function Steps({ of, count }: { readonly of: Kind; readonly count: number }): JSX.Element {
  const steps: readonly Key[] =
    of === "tool" ? (oriented.value ? ["frames.tool1", "frames.tool2", "frames.turn1", "frames.turn2", "frames.tool3"] : ["frames.tool1", "frames.tool2", "frames.tool3"])
    : of === "frame" ? ["frames.frame1", "frames.frame2", "frames.frame3", "frames.frame4"]
    : byMarks.value ? ["frames.marks1", "frames.marks2"]
    : ["frames.zeros1", "frames.zeros2", "frames.zeros3"];
  const now = stepNow(of, count, steps.length);
  const from = beginOf({ touches: touches.value.tool, turned: turned.value }) + 1; // the touch that the orientation begins at
  return (
    <ol class="steps">
      {steps.map((step, number) => (
        <li key={step} class={number === now ? "now" : number < now ? "done" : ""} aria-current={number === now ? "step" : undefined}>
          {t(step, { least: of === "tool" ? OF_POINT : least(of), count, from: from >= OF_POINT ? from : "…" })}
        </li>
      ))}
    </ol>
  );
}

function stepNow(of: Kind, count: number, steps: number): number {
  if (of === "frame") return Math.min(count, 3);
  if (of === "tool" && oriented.value) return turning.value ? 2 + turned.value : Math.min(count, 1);
  return count >= least(of) ? steps - 1 : Math.min(count, steps - 2);
}

/** The tip alone, or how the tool is turned too. */
function WayOfTool(): JSX.Element {
  return (
    <Choice label={t("frames.toolTitle")} value={oriented.value ? "both" : "tip"} onChoose={(way) => wantOrientation(way === "both")}
      of={[{ value: "tip", label: t("frames.tipOnly") }, { value: "both", label: t("frames.tipAndTurn") }]} />
  );
}

/** What the next touch is of: there may be more of the point than must be. */
function NextTouch(): JSX.Element {
  return (
    <div class="row">
      <span class="quiet note">{t("frames.next")}</span>
      <Choice label={t("frames.next")} value={turning.value ? "turn" : "point"} onChoose={(what) => (turning.value = what === "turn")}
        of={[{ value: "point", label: t("frames.nextPoint") }, { value: "turn", label: t("frames.nextTurn") }]} />
    </div>
  );
}

function FrameName(): JSX.Element {
  const trouble = frameName.value !== "" && !canBeName(frameName.value) ? t("teach.badName") : "";
  return (
    <div>
      <label class="field"><span>{t("frames.name")}</span>
        <input name="frame" value={frameName.value} placeholder="table" spellcheck={false} autocomplete="off" onInput={(event) => (frameName.value = event.currentTarget.value)} />
      </label>
      {trouble && <p class="note badly">{trouble}</p>}
    </div>
  );
}

function WayOfZeros(): JSX.Element {
  const choose = (way: "marks" | "touches"): void => {
    byMarks.value = way === "marks";
    if (marks.value.length !== (robot.value?.joints.length ?? 0)) marks.value = robot.value?.joints.map(() => 0) ?? [];
    change("zeros", []);
    begin("zeros");
  };
  return (
    <Choice label={t("frames.zerosTitle")} value={byMarks.value ? "marks" : "touches"} onChoose={choose}
      of={[{ value: "touches", label: t("frames.byTouches") }, { value: "marks", label: t("frames.byMarks") }]} />
  );
}
