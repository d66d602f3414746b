/** Several points in order, made into a program: robot commands or G-code. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, put } from "../api";
import { attempt, may, say } from "../cell";
import { open } from "../pages";
import { Choice } from "../parts/choice";
import { openFile } from "../program/open_file";
import { t } from "../texts";
import { freeFile } from "./names";
import { points, readPoints, useReading } from "./taught";

type Kind = "script" | "gcode";
const ENDINGS: Record<Kind, string> = { script: ".arm", gcode: ".ngc" };

/** A point to go to, by joints or straight. */
interface Goal {
  readonly name: string;
  readonly straight: boolean;
}

interface Converted {
  readonly file: string;
  readonly text: string;
  readonly saved: boolean;
}

// They stay while other pages are looked at.
const order = signal<readonly Goal[]>([]);
const kind = signal<Kind>("script");
const made = signal<Converted | null>(null);

export function Sequence(): JSX.Element {
  useReading(readPoints);
  const all = points.value ?? [];
  const chosen = order.value.filter((goal) => all.some((each) => each.name === goal.name));
  const convert = (): Promise<unknown> =>
    attempt(async () => {
      const { text } = await post<{ text: string }>("/points/convert", { names: chosen.map(asMove), language: kind.value });
      const files = await get<readonly { readonly name: string }[]>("/programs");
      made.value = { file: freeFile("taught", ENDINGS[kind.value], files.map((each) => each.name)), text, saved: false };
    });
  return (
    <>
      <p class="note quiet">{t("teach.orderHint")}</p>
      {points.value?.length === 0 && <p class="quiet">{t("teach.noPoints")}</p>}
      <div class="chips">
        {all.map((point) => (
          <button key={point.name} type="button" class="button" data-add={point.name} disabled={!point.fits} onClick={() => (order.value = [...chosen, { name: point.name, straight: false }])}>{point.name}</button>
        ))}
      </div>
      <h2>{t("teach.order")} <span class="count">{chosen.length || ""}</span></h2>
      <Order chosen={chosen} />
      <div class="row">
        <Choice label={t("teach.language")} value={kind.value} onChoose={(value) => { kind.value = value; made.value = null; }}
          of={[{ value: "script", label: t("teach.script") }, { value: "gcode", label: t("teach.gcode") }]} />
        <button type="button" class="button do grow" data-convert disabled={!chosen.length} onClick={() => void convert()}>{t("teach.convert")}</button>
      </div>
      {made.value && <Made />}
    </>
  );
}

/** A goal in the cell's words: `pick`, or `line:pick`. */
const asMove = (goal: Goal): string => (goal.straight ? `line:${goal.name}` : goal.name);

/** The points that were chosen, in order; one is moved up or taken out at a touch. */
function Order({ chosen }: { readonly chosen: readonly Goal[] }): JSX.Element {
  if (!chosen.length) return <p class="note quiet">{t("teach.noOrder")}</p>;
  const raise = (place: number): void => {
    const next = [...chosen];
    next.splice(place - 1, 0, ...next.splice(place, 1));
    order.value = next;
  };
  return (
    <ol class="list order">
      {chosen.map(({ name, straight }, place) => (
        <li key={`${place} ${name}`} class="item">
          <span class="quiet number">{place + 1}</span>
          <b class="name">{name}</b>
          <button type="button" class="button" aria-label={t("teach.swap", { name })}
            onClick={() => (order.value = chosen.map((goal, each) => (each === place ? { name, straight: !straight } : goal)))}>{straight ? t("teach.straight") : t("teach.byJoints")}</button>
          <button type="button" class="button" disabled={place === 0} aria-label={t("teach.up", { name })} onClick={() => raise(place)}>↑</button>
          <button type="button" class="button" aria-label={t("teach.out", { name })} onClick={() => (order.value = chosen.filter((_, each) => each !== place))}>×</button>
        </li>
      ))}
    </ol>
  );
}

/** What was made: seen, named, saved, and then a way to the page that runs it. */
function Made(): JSX.Element {
  const now = made.value;
  const [typed, setTyped] = useState<string | null>(null);
  const file = typed ?? now?.file ?? "", saved = now?.saved === true && file === now.file;
  const save = (): Promise<unknown> =>
    attempt(async () => {
      await put("/programs/file", { name: file, text: now?.text ?? "", version: null });
      made.value = { file, text: now?.text ?? "", saved: true };
      say("info", t("teach.saved", { name: file }));
    });
  return (
    <div class="made">
      <textarea class="text code" readOnly rows={Math.min(10, (now?.text.split("\n").length ?? 1) + 1)} aria-label={file} value={now?.text ?? ""} />
      <div class="row name-and-do">
        <label class="field">
          <span>{t("teach.file")}</span>
          <input name="file" value={file} spellcheck={false} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        {saved ? (
          <button type="button" class="button do big" data-to-program onClick={() => void openFile(file).then(() => open("program"))}>{t("teach.toProgram")}</button>
        ) : (
          <button type="button" class="button do big" data-save disabled={!may("programmer") || !file.endsWith(ENDINGS[kind.value])} onClick={() => void save()}>{t("common.save")}</button>
        )}
      </div>
      {!saved && <p class="note quiet" data-hint>{file.endsWith(ENDINGS[kind.value]) ? t("teach.fileHint") : t("teach.ending", { ending: ENDINGS[kind.value] })}</p>}
    </div>
  );
}
