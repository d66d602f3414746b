/** Plots below each other that share their time, their cursor and one clock for drawing. */

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { robot } from "../cell";
import { theme } from "../menu";
import { t } from "../texts";
import { paletteNow } from "./colours";
import { type Drawer, PlotBox } from "./plot_box";
import { awaited, drawn, joints, opened, plottedJoints, quantities, span, still, zoom } from "./shown";

const EVERY = 33; // ms between pictures at most often
const SHARE = 3; // a picture that takes long is drawn so many times more seldom than it could be

/** Those who draw now, from the top down: what is exported. */
export const drawers = new Set<Drawer>();

export function Stack(): JSX.Element {
  const palette = useMemo(paletteNow, [theme.value]);
  useClock();
  const all = robot.value?.joints ?? [], chosen = joints.value, seen = quantities.value;
  const named = useMemo(() => plottedJoints(), [all, opened.value?.name]);
  const enter = (drawer: Drawer): (() => void) => {
    drawers.add(drawer);
    drawer.draw();
    return () => drawers.delete(drawer);
  };
  if (awaited.value) return <p class="quiet" role="status" data-loading>{t("plots.loading", { name: awaited.value })}</p>;
  if (seen.length === 0 || (chosen.length === 0 && seen.some((each) => each !== "late")))
    return <p class="quiet">{seen.length === 0 ? t("plots.chooseQuantity") : t("plots.chooseJoint")}</p>;
  return (
    <div class="plots">
      {seen.map((quantity, index) => (
        <PlotBox key={quantity} quantity={quantity} joints={named} chosen={chosen} palette={palette} last={index === seen.length - 1} enter={enter} />
      ))}
    </div>
  );
}

/** Draw whenever there is something new, and not so often that nothing else gets done. */
function useClock(): void {
  useEffect(() => {
    let request = 0, last = 0, cost = 0, before: unknown[] = [];
    const turn = (now: number): void => {
      request = requestAnimationFrame(turn);
      if (now - last < Math.max(EVERY, SHARE * cost)) return;
      const state = [drawn()?.history.ring.end, opened.value, still.value, zoom.value, span.value, drawers.size];
      if (state.every((each, index) => each === before[index]) && now - last < 250) return;
      before = state;
      last = now;
      for (const drawer of drawers) drawer.draw();
      cost = performance.now() - now;
    };
    request = requestAnimationFrame(turn);
    return () => cancelAnimationFrame(request);
  }, []);
}
