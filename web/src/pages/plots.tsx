/** Plots: what the robot does now and did in a recording, each quantity in its own plot, all on one time. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { attempt, robot } from "../cell";
import { Choice } from "../parts/choice";
import { paletteNow } from "../plots/colours";
import { csv } from "../plots/csv";
import { TITLES } from "../plots/lines";
import { download, png, stamped } from "../plots/picture";
import { type Quantity, QUANTITIES } from "../plots/quantities";
import { jointLabel } from "../joint_names";
import { closeRecording, listRecordings, openRecording, type RecordingEntry, refine } from "../plots/recording";
import { awaited, drawn, goOn, joints, opened, pause, paused, plottedJoints, quantities, seeAll, seenRange, seenSamples, span, type Span, zoom } from "../plots/shown";
import { drawers, Stack } from "../plots/stack";
import { type Key, t } from "../texts";
import "./plots.css";

/** Names that are too long for a chip. */
const SHORT: Partial<Record<Quantity, Key>> = { acceleration: "plots.shortAcceleration", error: "plots.shortError" };
const SPANS: readonly Span[] = ["5", "15", "60"];

export function PlotsPage(): JSX.Element {
  return (
    <div class="plots-page">
      <Source />
      <Chips />
      <Stack />
    </div>
  );
}

/** Live or a recording, how much of it, and what to do with it. */
function Source(): JSX.Element {
  const waits = awaited.value !== "", live = !opened.value && !waits;
  return (
    <div class="row plot-source">
      <RecordingChoice />
      {live && (
        <Choice label={t("plots.span")} value={span.value} of={SPANS.map((each) => ({ value: each, label: `${each} s` }))}
          onChoose={(each) => { goOn(); span.value = each; }} />
      )}
      {live && (
        <button type="button" class={`button narrow ${paused.value ? "do" : ""}`} data-pause aria-label={paused.value ? t("plots.goOn") : t("plots.pause")}
          title={paused.value ? t("plots.goOn") : t("plots.pause")} onClick={paused.value ? goOn : pause}>
          {paused.value ? "▶" : "❚❚"}
        </button>
      )}
      {zoom.value && !waits && <button type="button" class="button" data-all onClick={seeAll}>{t("plots.all")}</button>}
      <span class="space" />
      <button type="button" class="button narrow" data-png title={t("plots.png")} disabled={waits} onClick={() => void attempt(exportPng)}>PNG</button>
      <button type="button" class="button narrow" data-csv title={t("plots.csv")} disabled={waits} onClick={() => void attempt(exportCsv)}>CSV</button>
    </div>
  );
}

function RecordingChoice(): JSX.Element {
  const [found, setFound] = useState<readonly RecordingEntry[]>([]);
  const recording = opened.value, seen = zoom.value;
  const look = (): void => void attempt(listRecordings).then((list) => setFound(list ?? []));
  useEffect(look, []);
  useEffect(() => {
    if (!recording) return;
    const timer = window.setTimeout(() => void attempt(() => refine(recording)), 250);
    return () => window.clearTimeout(timer);
  }, [recording?.name, seen]);
  const names = found.map((each) => each.name), shown = awaited.value || (recording?.name ?? "");
  if (shown && !names.includes(shown)) names.unshift(shown);
  return (
    <select class="text" aria-label={t("plots.source")} data-source value={shown} onFocus={look}
      onChange={(event) => {
        const name = event.currentTarget.value;
        if (name) void attempt(() => openRecording(name));
        else closeRecording();
      }}>
      <option value="">{t("plots.live")}</option>
      {names.map((name) => <option key={name} value={name}>{name}</option>)}
    </select>
  );
}

/** Which quantities of which joints. */
function Chips(): JSX.Element {
  const all = plottedJoints(), everything = all.map((_, index) => index);
  return (
    <>
      <div class="chips" role="group" aria-label={t("plots.quantities")}>
        {QUANTITIES.map((each) => (
          <Chip key={each} label={t(SHORT[each] ?? TITLES[each])} title={t(TITLES[each])} on={quantities.value.includes(each)} name={each}
            onToggle={(on) => (quantities.value = QUANTITIES.filter((other) => (other === each ? on : quantities.value.includes(other))))} />
        ))}
      </div>
      <div class="chips" role="group" aria-label={t("plots.joints")}>
        {all.map((joint, index) => (
          <Chip key={joint.name} label={jointLabel(joint.name)} title={joint.name} on={joints.value.includes(index)} name={joint.name}
            onToggle={(on) => (joints.value = everything.filter((other) => (other === index ? on : joints.value.includes(other))))} />
        ))}
        <button type="button" class="chip" onClick={() => (joints.value = joints.value.length < all.length ? everything : [0])}>
          {joints.value.length < all.length ? t("plots.allJoints") : t("plots.oneJoint")}
        </button>
      </div>
    </>
  );
}

interface ChipProps {
  readonly label: string;
  readonly name: string;
  readonly title?: string;
  readonly on: boolean;
  readonly onToggle: (on: boolean) => void;
}

function Chip({ label, name, title, on, onToggle }: ChipProps): JSX.Element {
  return <button type="button" class="chip" data-chip={name} title={title} aria-pressed={on} onClick={() => onToggle(!on)}>{label}</button>;
}

function fileName(): string {
  return opened.value ? opened.value.name.replace(/\.\w+$/, "") : robot.value?.name ?? "robot";
}

async function exportPng(): Promise<void> {
  const name = fileName(); // before the picture is made: something else may be seen then
  const shots = [...drawers].map((drawer) => drawer.shot()).filter((shot) => shot !== null);
  const picture = await png(shots, paletteNow());
  if (picture) download(picture, stamped(name, "png"));
}

/** Every sample that is seen, of every line. */
async function exportCsv(): Promise<void> {
  const now = drawn();
  if (!now) return;
  const [from, end] = seenSamples(now.history, now.origin, seenRange());
  const lines = [...drawers].flatMap((drawer) => drawer.lines());
  const text = csv(now.history.ring, lines, from, end, opened.value ? 0 : now.history.ring.at(0, from));
  download(new Blob([text], { type: "text/csv" }), stamped(fileName(), "csv"));
}
