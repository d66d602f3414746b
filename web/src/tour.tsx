/** The tour at the first start: jog, teach, run. It points at the real controls, blocks nothing, and can be left at any time. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { get } from "./api";
import { inControl, may, motion, program, status, who } from "./cell";
import { page } from "./pages";
import { hasMoved, next, type Seen, type Step, stepsFor } from "./teach/tour_steps";
import { type Key, t } from "./texts";
import "./tour.css";

const TITLES: Record<Exclude<Step, "done">, Key> = { jog: "tour.jog", teach: "tour.teach", run: "tour.run" };
const AGAIN = 1000; // ms between looks whether a point was taught

const over = signal(localStorage.getItem("toured") !== null);
const step = signal<Step>("jog");

/** Show it again. */
export function tourAgain(): void {
  localStorage.removeItem("toured");
  step.value = "jog";
  over.value = false;
}

function end(): void {
  localStorage.setItem("toured", "1");
  over.value = true;
}

function advance(): void {
  const steps = stepsFor(may("programmer"));
  step.value = steps[steps.indexOf(step.value) + 1] ?? "done";
}

export function Tour(): JSX.Element | null {
  // Who only watches has nothing to try.
  if (over.value || !who.value || !may("operator")) return null;
  return <Card />;
}

function Card(): JSX.Element {
  const now = step.value;
  const seen: Seen = { page: page.value, control: inControl.value, state: status.value?.state ?? "OFF", mode: status.value?.mode ?? "manual" };
  const hint = next(now, seen);
  const steps = stepsFor(may("programmer")).filter((each) => each !== "done");
  useJogged(now === "jog");
  useTaught(now === "teach");
  useRan(now === "run");
  usePointing(hint?.[1] ?? "");
  return (
    <section class="tour" role="dialog" aria-label={t("tour.title")} data-tour-step={now}>
      <ol class="tour-steps">
        {steps.map((each) => (
          <li key={each} class={each === now ? "now" : now === "done" || steps.indexOf(each) < steps.indexOf(now) ? "done" : ""}>{t(TITLES[each as keyof typeof TITLES])}</li>
        ))}
      </ol>
      {hint ? <p aria-live="polite">{now === "teach" && <span class="quiet">{t("tour.jogDone")} </span>}{t(hint[0])}</p> : <><p><b>{t("tour.done")}</b></p><p class="quiet">{t("tour.doneHint")}</p></>}
      <div class="row">
        {hint ? (
          <>
            <button type="button" class="button" data-tour-skip onClick={end}>{t("tour.skip")}</button>
            <button type="button" class="button" data-tour-next onClick={advance}>{t("tour.next")}</button>
          </>
        ) : <button type="button" class="button do" data-tour-end onClick={end}>{t("tour.end")}</button>}
      </div>
    </section>
  );
}

/** What is pointed at is marked by the style sheet: nothing is put over it, so it can be touched as ever. */
function usePointing(at: string): void {
  useEffect(() => {
    document.documentElement.dataset["tour"] = at;
    return () => {
      delete document.documentElement.dataset["tour"];
    };
  }, [at]);
}

/** Go on when a joint has really moved while this browser had control. */
function useJogged(waits: boolean): void {
  const from = useRef<readonly number[] | null>(null);
  const q = motion.value?.q;
  useEffect(() => {
    if (!waits || !q || !inControl.value) {
      from.current = null;
      return;
    }
    from.current ??= q;
    if (hasMoved(from.current, q)) advance();
  }, [waits, q]);
}

/** Go on when there is a point more than before. */
function useTaught(waits: boolean): void {
  useEffect(() => {
    if (!waits) return;
    let known: number | null = null;
    const look = async (): Promise<void> => {
      const found = (await get<readonly { readonly at: string }[]>("/points").catch(() => null))?.length ?? null;
      if (found !== null && known !== null && found > known && step.value === "teach") advance();
      if (found !== null) known = found;
    };
    void look();
    const timer = window.setInterval(() => void look(), AGAIN);
    return () => window.clearInterval(timer);
  }, [waits]);
}

/** Go on when a program runs. */
function useRan(waits: boolean): void {
  const state = program.value?.state;
  useEffect(() => {
    if (waits && state === "running") advance();
  }, [waits, state]);
}
