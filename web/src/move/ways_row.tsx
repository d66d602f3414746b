/** Other ways to the same pose: one button each; the chosen one is the ghost. */

import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { motion, robot, status } from "../cell";
import { t } from "../texts";
import { branchWords, findWays, ghostLabel, type Solution, solutions, usable } from "./other_ways";
import { boxTexts, poseFrom } from "./pose";
import { forgetTyped, typed } from "./pose_boxes";
import { whyNot, whyNoWay } from "./why_not";
import { aim, alsoShown, clearTarget, isThere, plan, target } from "./target";

const SETTLED = 500; // ms that the robot stands before its ways are asked for

/** Ask for the ways again wherever the robot has come to rest. */
function useWaysOfPresent(): void {
  useEffect(() => {
    let known = "", timer = 0;
    const off = effect(() => {
      const here = motion.value;
      if (!here || !robot.value?.tip || status.value?.moves !== false) return window.clearTimeout(timer);
      const pose = boxTexts(here).join(" ");
      const place = `${pose} ${here.q.map((value) => value.toFixed(3)).join(" ")} ${typed.value ? "typed" : ""}`;
      if (place === known) return;
      known = place;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (target.peek()) void plan();
        if (!typed.peek()) void findWays(here, false);
      }, SETTLED);
    });
    return () => {
      off();
      window.clearTimeout(timer);
    };
  }, []);
}

/** What a solution is, or why it is none. */
const titled = (solution: Solution): string => (usable(solution) ? branchWords(solution.branch) : whyNot(solution, robot.value?.joints ?? []));

export function WaysRow(): JSX.Element {
  useWaysOfPresent();
  const found = solutions.value;
  const all = found?.solutions ?? [];
  const goal = target.value?.q;
  const shown = alsoShown.value.length > 0;
  const stale = typed.value !== null && !found?.typed; // they are of the present pose, and another is being typed
  const isPresent = (index: number): boolean => !found?.typed && index === found?.chosen;
  const isAimed = (solution: Solution): boolean => !!goal && isThere(solution.q, goal);
  const othersThan = (chosen: number): (readonly number[])[] => all.filter((each, index) => usable(each) && index !== chosen).map((each) => each.q);
  const choose = (index: number): void => {
    const solution = all[index];
    if (!solution || isPresent(index)) return clearTarget();
    if (shown) alsoShown.value = othersThan(index);
    void aim({ joints: solution.q }, ghostLabel(index, all));
  };
  const showAll = (): void => {
    let index = all.findIndex(isAimed);
    if (index < 0 && !shown) {
      index = all.findIndex((each, at) => usable(each) && !isPresent(at));
      choose(index);
    }
    alsoShown.value = shown ? [] : othersThan(index);
  };
  return (
    <section class="move-part">
      <div class="move-head">
        <h2>{t("move.otherWays")}</h2>
        {typed.value && <button type="button" class="move-small" data-present onClick={() => { forgetTyped(); clearTarget(); }}>{t("move.showPresent")}</button>}
        {!stale && all.filter(usable).length > 1 && (
          <button type="button" class="move-small" aria-pressed={shown} onClick={showAll}>{t("move.showAll")}</button>
        )}
      </div>
      {all.length === 0 ? (
        <p class="quiet move-none">{!found ? (typed.value && !poseFrom(typed.value) ? "—" : "…") : found.typed ? t("move.noWay") : whyNoWay(found)}</p>
      ) : (
        <div class="move-ways">
          {all.map((solution, index) => {
            const present = isPresent(index), aimed = isAimed(solution);
            return (
              <button key={index} type="button" class={`button ${present ? "do" : ""} ${aimed ? "would" : ""}`} title={titled(solution)} data-way={index + 1}
                aria-pressed={aimed} aria-label={`${index + 1}: ${titled(solution)}`} disabled={stale || !usable(solution)} onClick={() => choose(index)}>
                {index + 1}
              </button>
            );
          })}
        </div>
      )}
    </section>
  );
}
