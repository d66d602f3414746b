/** The frames and tools that there are, and the ways to new ones. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { attempt, may, status } from "../cell";
import { degrees, mm, moment, type Pose } from "../teach/figures";
import { type Key, language, t } from "../texts";
import { begin, type Kind, touches } from "./calibration";

interface Frame extends Pose {
  readonly name: string;
  readonly parent: string;
}

interface Calibrated {
  readonly number: number;
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly at: string;
  readonly by: string;
}

interface Frames {
  readonly tool: Frame; // on the arm's tip
  readonly frames: readonly Frame[];
  readonly calibrations: readonly Calibrated[]; // newest first
  readonly file: string; // the cell.toml; "" for none
  readonly restart: boolean; // it says something else than what runs
}

const WAYS: readonly { readonly kind: Kind; readonly title: Key; readonly words: Key }[] = [
  { kind: "tool", title: "frames.toolTitle", words: "frames.toolWords" },
  { kind: "frame", title: "frames.frameTitle", words: "frames.frameWords" },
  { kind: "zeros", title: "frames.zerosTitle", words: "frames.zerosWords" },
];

export function FrameList(): JSX.Element {
  const [all, setAll] = useState<Frames | null>(null);
  useEffect(() => {
    void attempt(() => get<Frames>("/frames")).then((found) => found && setAll(found));
  }, []);
  return (
    <>
      {all?.restart && <div class="card refused"><b>{t("frames.differs")}</b><p class="note">{t("frames.restart")}</p></div>}
      <h2>{t("frames.tool")}</h2>
      <Rows of={all ? [all.tool] : undefined} active={status.value?.tool ?? ""} none="" />
      <h2>{t("frames.frames")}</h2>
      <Rows of={all?.frames} active={status.value?.frame ?? ""} none={t("frames.noFrames")} />
      <h2>{t("frames.calibrate")}</h2>
      {all?.file === "" && <p class="note quiet">{t("frames.noFile")}</p>}
      {!may("programmer") && <p class="note quiet">{t("frames.needsProgrammer")}</p>}
      <div class="list">
        {WAYS.map((way) => (
          <button key={way.kind} type="button" class="way" data-wizard={way.kind} disabled={!may("programmer")} onClick={() => begin(way.kind)}>
            <b>{t(way.title)}</b>
            <span class="quiet note">{t(way.words)}{touches.value[way.kind].length > 0 && <b class="wouldly"> {t("frames.under", { count: touches.value[way.kind].length })}</b>}</span>
          </button>
        ))}
      </div>
      {all && all.calibrations.length > 0 && <Kept of={all.calibrations} />}
    </>
  );
}

const NAMES: Record<string, Key> = { tool: "frames.toolTitle", frame: "frames.frameTitle", zero: "frames.zerosTitle" };

/** What was calibrated before, newest first. */
function Kept({ of }: { readonly of: readonly Calibrated[] }): JSX.Element {
  return (
    <>
      <h2>{t("frames.history")}</h2>
      <ol class="history">
        {of.map((each) => {
          const name = NAMES[each.kind];
          return (
            <li key={each.number}>
              <b>{name ? t(name) : each.kind} {each.name}</b> <span class="quiet">{moment(each.at, language.value)} {t("teach.by")} {each.by}</span>
              {each.reason && <div class="note quiet">{each.reason}</div>}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Rows({ of, active, none }: { readonly of: readonly Frame[] | undefined; readonly active: string; readonly none: string }): JSX.Element {
  if (!of) return <p class="note quiet">…</p>;
  if (!of.length) return <p class="note quiet">{none}</p>;
  return (
    <div class="list frame-rows">
      {of.map((frame) => (
        <div key={frame.name} class="item">
          <span class="name"><b>{frame.name}</b> <span class="quiet note">{t("frames.in", { parent: frame.parent })}</span></span>
          <span class="quiet note figures">{frame.xyz.map((value) => mm(value)).join("  ")}<br />{frame.rpy.map((value) => degrees(value, 1)).join("  ")}</span>
          {frame.name === active && <span class="pill">{t("frames.active")}</span>}
        </div>
      ))}
    </div>
  );
}
