/** Paths: recorded while the robot is jogged, and played back. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, remove } from "../api";
import { attempt, may, say } from "../cell";
import { open } from "../pages";
import { Choice } from "../parts/choice";
import { t } from "../texts";
import { Ask } from "./ask";
import { clock } from "../moment";
import { Go } from "./go_to";
import { canBeName, isFree, proposedName } from "./names";
import { paths, readPaths, recording, type TaughtPath, useReading } from "./taught";

const chosen = signal("");

export function Paths(): JSX.Element {
  useReading(readPaths);
  const all = paths.value;
  return (
    <>
      {recording.value ? <Recorder /> : <Begin />}
      <h2>{t("teach.paths")} <span class="count">{all?.length ?? ""}</span></h2>
      {all?.length === 0 && <p class="quiet">{t("teach.noPaths")}</p>}
      <div class="list points">{all?.map((path) => <Item key={path.name} path={path} open={chosen.value === path.name} />)}</div>
    </>
  );
}

function Begin(): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  const taken = (paths.value ?? []).map((each) => each.name);
  const name = typed ?? proposedName(taken, "path_1");
  const trouble = !canBeName(name) ? t("teach.badName") : !isFree(name, taken) ? t("teach.taken", { name }) : "";
  const begin = async (event: Event): Promise<void> => {
    event.preventDefault();
    await attempt(async () => {
      await post("/paths/record", { name });
      setTyped(null);
      await readPaths();
    });
  };
  return (
    <form class="here" onSubmit={(event) => void begin(event)}>
      <div class="row name-and-do">
        <label class="field">
          <span>{t("teach.newName")}</span>
          <input name="path" value={name} spellcheck={false} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <button type="submit" class="button do big" data-record disabled={!may("programmer") || trouble !== ""}>{t("teach.record")}</button>
      </div>
      <p class={`note ${trouble ? "badly" : "quiet"}`}>{trouble || t("teach.recordHint")}</p>
    </form>
  );
}

/** While it is recorded: how long already, the way to the jog buttons, and the end. */
function Recorder(): JSX.Element {
  const now = recording.value;
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const tick = (): void => setSeconds((performance.now() - (recording.value?.since ?? performance.now())) / 1000);
    tick();
    const timer = window.setInterval(tick, 250);
    return () => window.clearInterval(timer);
  }, []);
  const finish = async (keep: boolean): Promise<void> => {
    const name = now?.name ?? "";
    const done = await attempt(async () => {
      await post("/paths/finish", { keep });
      return true;
    });
    await attempt(readPaths); // refused or not, the cell records no more: perhaps nothing had moved
    if (!done || !keep) return;
    chosen.value = name;
    say("info", t("teach.recorded", { name }));
  };
  return (
    <div class="card recording">
      <div class="row"><span class="dot" /> <b>{t("teach.recording", { name: now?.name ?? "" })}</b> <span class="grow" /> <b>{clock(seconds)}</b></div>
      <p class="note quiet">{t("teach.recordingHint")}</p>
      <div class="row fill">
        <button type="button" class="button" onClick={() => open("move")}>{t("teach.toMove")}</button>
        <button type="button" class="button" data-throw-away disabled={!may("programmer")} onClick={() => void finish(false)}>{t("teach.throwAway")}</button>
        <button type="button" class="button do" data-finish disabled={!may("programmer")} onClick={() => void finish(true)}>{t("teach.finish")}</button>
      </div>
    </div>
  );
}

function Item({ path, open: shown }: { readonly path: TaughtPath; readonly open: boolean }): JSX.Element {
  const [pace, setPace] = useState<"recorded" | "fast">("recorded");
  const [asks, setAsks] = useState(false);
  const forget = async (): Promise<void> => {
    setAsks(false);
    await attempt(async () => {
      await remove(`/paths?name=${encodeURIComponent(path.name)}`);
      await readPaths();
    });
  };
  return (
    <div class={`point ${shown ? "open" : ""}`} data-path={path.name}>
      <button type="button" class="head" aria-expanded={shown} onClick={() => (chosen.value = shown ? "" : path.name)}>
        <span class="row"><b>{path.name}</b><span class="quiet when">{path.seconds.toFixed(1)} s · {t("teach.samples", { count: path.samples })}</span></span>
      </button>
      {shown && (
        <div class="detail">
          <div class="row">
            <Choice label={t("teach.pace")} value={pace} onChoose={setPace}
              of={[{ value: "recorded", label: t("teach.asRecorded") }, { value: "fast", label: t("teach.fast") }]} />
            <span class="grow" />
            <button type="button" class="button" data-delete disabled={!may("programmer")} onClick={() => setAsks(!asks)}>{t("common.delete")}</button>
          </div>
          {asks && <Ask yes={t("common.delete")} bad onNo={() => setAsks(false)} onYes={() => void forget()}>{t("teach.askDeletePath", { name: path.name })}</Ask>}
          <p class="note quiet">{t("teach.playHint")}</p>
          <Go name={path.name} ready plays order={() => attempt(() => post("/paths/play", { name: path.name, pace }))} />
        </div>
      )}
    </div>
  );
}
