/** A calibration, step by step: what to do, touch, what the touches say, keep. */

import type { JSX } from "preact";
import { robot } from "../cell";
import { open } from "../pages";
import { Choice } from "../parts/choice";
import { canBeName } from "../teach/names";
import { type Key, t } from "../texts";
import { begin, byMarks, canTouch, change, end, frameName, type Kind, kept, kind, least, marks, touch, touches } from "./calibration";
import { Found } from "./found";
import { Keep } from "./keep";
import { MarksFields } from "./marks";
import { Picture } from "./picture";
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
          <Picture of={of} step={count} />
          {of === "zeros" && <WayOfZeros />}
          {of === "frame" && <FrameName />}
          <Steps of={of} count={count} />
          {of === "zeros" && byMarks.value && <MarksFields />}
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
  const steps: Key[] =
    of === "tool" ? ["frames.tool1", "frames.tool2", "frames.tool3"]
    : of === "frame" ? ["frames.frame1", "frames.frame2", "frames.frame3", "frames.frame4"]
    : byMarks.value ? ["frames.marks1", "frames.marks2"]
    : ["frames.zeros1", "frames.zeros2", "frames.zeros3"];
  const enough = count >= least(of);
  const now = of === "frame" ? Math.min(count, 3) : enough ? steps.length - 1 : Math.min(count, steps.length - 2);
  return (
    <ol class="steps">
      {steps.map((step, number) => (
        <li key={step} class={number === now ? "now" : number < now ? "done" : ""} aria-current={number === now ? "step" : undefined}>
          {t(step, { least: least(of), count })}
        </li>
      ))}
    </ol>
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
