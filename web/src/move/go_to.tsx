/** Go to what is known by name: shown as a ghost first. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { may, robot } from "../cell";
import { t } from "../texts";
import { canBeName } from "../teach/names";
import { freeName, nextName, points, readPoints } from "./points";
import { otherFrames, poseFrame } from "./active_frame";
import { chooseFrame, forgetTyped, lookUp, typed, wayKind } from "./pose_boxes";
import { aim, clearTarget, type Goal, target, type WayKind } from "./target";

const NOTHING = "";
const wanted = signal(NOTHING);

/** What an entry of the list stands for. */
function goalOf(entry: string): { readonly goal: Goal; readonly name: string } | null {
  const [kind, name = ""] = [entry.slice(0, 1), entry.slice(1)];
  if (kind === "h") return { goal: { joints: robot.value?.home ?? [] }, name: t("move.home") };
  if (kind === "p") return { goal: { point: name }, name };
  const state = robot.value?.states.find((each) => each.name === name);
  return state ? { goal: { joints: state.q }, name } : null;
}

/** Choose an entry of the list: its ghost is shown, and the way to it. */
function choose(entry: string): void {
  wanted.value = entry;
  const found = goalOf(entry);
  forgetTyped();
  if (found) void aim(found.goal, t("move.ghostNamed", { name: found.name }), wayKind.value);
  else clearTarget();
}

/** The list; it stands beside the button that goes there. */
export function GoToSelect(): JSX.Element {
  useEffect(() => void readPoints(), []);
  const states = (robot.value?.states ?? []).filter((state) => state.name !== "home");
  return (
    <label class="field">
      <span>{t("move.goTo")}</span>
      <select value={target.value ? wanted.value : NOTHING} data-goto onChange={(event) => choose(event.currentTarget.value)}>
        <option value={NOTHING}>{t("move.choose")}</option>
        {(robot.value?.home.length ?? 0) > 0 && <option value="h">{t("move.home")}</option>}
        {states.map((state) => <option key={state.name} value={`s${state.name}`}>{state.name}</option>)}
        {points.value.length > 0 && (
          <optgroup label={t("move.points")}>
            {points.value.map(({ name: point, fits }) => <option key={point} value={`p${point}`} disabled={!fits}>{point}</option>)}
          </optgroup>
        )}
      </select>
    </label>
  );
}

/** How it is gone there, in which frame poses are typed, and what the next point is called. */
export function GoTo(): JSX.Element {
  const chooseWay = (kind: WayKind): void => {
    wayKind.value = kind;
    if (typed.value) void lookUp();
    else if (target.value && wanted.value) choose(wanted.value);
  };
  const name = nextName.value;
  const wrong = name !== "" && !canBeName(name);
  return (
    <section class="grid2">
      {may("programmer") && (
        <label class={`field ${wrong ? "wrong" : ""}`} title={wrong ? t("move.badName") : undefined}>
          <span>{t("move.nextPoint")}</span>
          <input value={name} placeholder={freeName.value} maxLength={64} spellcheck={false} autocomplete="off" aria-invalid={wrong} data-next-point
            onInput={(event) => (nextName.value = event.currentTarget.value)} />
        </label>
      )}
      {wrong && <p class="badly grid-whole" role="status">{t("move.badName")}</p>}
      {robot.value?.tip !== "" && (
        <>
          <label class="field" title={t("move.typedInHint")}>
            <span>{t("move.typedIn")}</span>
            <select value={poseFrame.value || "base"} data-typed-frame onChange={(event) => void chooseFrame(event.currentTarget.value)}>
              <option value="base">{t("move.base")}</option>
              {otherFrames.value.map((each) => <option key={each} value={each}>{each}</option>)}
            </select>
          </label>
          <label class="field">
            <span>{t("teach.wayKind")}</span>
            <select value={wayKind.value} data-way-kind onChange={(event) => chooseWay(event.currentTarget.value as WayKind)}>
              <option value="joints">{t("teach.byJoints")}</option>
              <option value="line">{t("teach.straight")}</option>
            </select>
          </label>
        </>
      )}
    </section>
  );
}
