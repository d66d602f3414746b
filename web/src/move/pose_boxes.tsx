/** Where the tool is, in six boxes; typing in one makes them the pose to go to. */

import { computed, signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { motion, robot, status } from "../cell";
import { shownMotion } from "../shown_motion";
import { t } from "../texts";
import { activeFrame, lookInFrame, poseFrame, presentFrame, presentPose, watchInFrame } from "./active_frame";
import { stream } from "./jogging";
import { findWays, forgetWays, ghostLabel, solutions, usable } from "./other_ways";
import { AXES, boxText, boxTexts, poseFrom, unitOf } from "./pose";
import { aim, clearTarget, type WayKind } from "./target";
import { fromText } from "./units";
import { noNumbers, whyNot, whyNoWay } from "./why_not";

/** What is typed in the boxes; null while they show where the tool is. */
export const typed = signal<readonly string[] | null>(null);

/** How typed poses and those known by name are gone to. */
export const wayKind = signal<WayKind>("joints");

const PATIENCE = 500; // ms after the last key until the pose is looked up
let timer = 0;

/** Look the typed pose up now, and show the nearest way to it as a ghost. */
export async function lookUp(): Promise<void> {
  window.clearTimeout(timer);
  const pose = typed.value && poseFrom(typed.value), frame = poseFrame.value;
  if (!pose) return;
  const found = await findWays(pose, true, frame);
  if (!found || !typed.value) return;
  const chosen = found.solutions[found.chosen];
  if (wayKind.value === "line" && found.solutions.some(usable)) await aim(pose, t("move.ghostLine"), "line", frame);
  else if (wayKind.value === "joints" && chosen && usable(chosen)) await aim({ joints: chosen.q }, ghostLabel(found.chosen, found.solutions));
  else clearTarget();
}

function type(axis: number, text: string): void {
  if (!typed.value && presentFrame.value !== poseFrame.value) return; // where the tool is in that frame has not been told yet
  const here = presentPose(motion.value);
  const texts = typed.value ?? (here ? boxTexts(here) : AXES.map(() => "0"));
  typed.value = texts.map((each, index) => (index === axis ? text : each));
  forgetWays(); // what was said of another pose is not said of this one
  clearTarget();
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void lookUp(), PATIENCE);
}

export function forgetTyped(): void {
  window.clearTimeout(timer);
  typed.value = null;
}

/** Make a frame the active one. What was typed was typed in another. */
export async function chooseFrame(frame: string): Promise<void> {
  stream.endAll(); // what is held was held along other axes
  if (typed.value) {
    forgetTyped();
    clearTarget();
  }
  activeFrame.value = frame;
  await lookInFrame();
}

/** `beside` stands in the line of the head, where there is room. */
export function PoseBoxes({ beside }: { beside: ComponentChildren }): JSX.Element {
  const mine = typed.value !== null;
  const frame = (mine ? poseFrame.value : presentFrame.value) || status.value?.frame || "base";
  useEffect(watchInFrame, []);
  return (
    <section class="move-part">
      <div class="move-head">
        <h2 class={mine ? "wouldly" : ""} title={mine ? undefined : t("move.commanded")}>{t(mine ? "move.typedPose" : "move.toolIn", { frame: /^base(_link)?$/.test(frame) ? t("move.base") : frame })}</h2>
        {beside}
      </div>
      <div class="grid3 move-pose">
        {AXES.map((name, axis) => <Box key={name} axis={axis} />)}
      </div>
      <Trouble />
    </section>
  );
}

/** Why the typed pose cannot be gone to, beside what was typed. */
function Trouble(): JSX.Element | null {
  const mine = typed.value, found = solutions.value;
  if (!mine) return null;
  const nearest = found?.solutions[0];
  const why = noNumbers(mine) || (found?.typed && !found.solutions.some(usable) ? (nearest ? whyNot(nearest, robot.value?.joints ?? []) : whyNoWay(found)) : "");
  return why ? <p class="badly" role="alert" data-pose-trouble>{why}</p> : null;
}

function Box({ axis }: { axis: number }): JSX.Element {
  const name = AXES[axis] ?? "";
  const now = useMemo(() => computed(() => {
    const shown = presentPose(shownMotion.value);
    return shown ? boxText(shown, axis) : "";
  }), [axis]);
  const mine = typed.value?.[axis];
  const wrong = mine !== undefined && fromText(mine, unitOf(axis)) === null;
  return (
    <label class={`field ${mine === undefined ? "" : "typed"} ${wrong ? "wrong" : ""}`} title={wrong ? t("move.noNumber") : t(`move.axis${name as "X"}`)}>
      <span>{name} {axis < 3 ? "mm" : "°"}</span>
      <input inputMode="decimal" autocomplete="off" spellcheck={false} enterkeyhint="go" data-pose={name} aria-invalid={wrong} value={mine ?? now.value}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => type(axis, event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && void lookUp()} />
    </label>
  );
}
