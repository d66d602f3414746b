/** The frames and tools that there are, and the ways to new ones. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { may, robot, status } from "../cell";
import { degrees, mm } from "../teach/figures";
import { type Key, t } from "../texts";
import { begin, type Kind, touches } from "./calibration";
import { type Frame, frames, lookAtFrames } from "./frames_of_cell";
import { KeptBefore } from "./kept_before";
import { OwnCell } from "./own_cell";

const WAYS: readonly { readonly kind: Kind; readonly title: Key; readonly words: Key }[] = [
  { kind: "tool", title: "frames.toolTitle", words: "frames.toolWords" },
  { kind: "frame", title: "frames.frameTitle", words: "frames.frameWords" },
  { kind: "zeros", title: "frames.zerosTitle", words: "frames.zerosWords" },
];

export function FrameList(): JSX.Element {
  const all = frames.value;
  useEffect(() => void lookAtFrames(), []);
  return (
    <>
      {all?.restart && <div class="card refused"><b>{t("frames.differs")}</b><p class="note">{t("frames.restart")}</p></div>}
      <h2 class="head-row">{t("frames.tool")} <span class="units">X Y Z mm · A B C °</span></h2>
      <Rows of={all ? [all.tool] : undefined} active={status.value?.tool ?? ""} none="" called={robot.value?.tool} />
      <h2 class="head-row">{t("frames.frames")} <span class="units">X Y Z mm · A B C °</span></h2>
      <Rows of={all?.frames} active={status.value?.frame ?? ""} none={t("frames.noFrames")} />
      <h2>{t("frames.calibrate")}</h2>
      <OwnCell />
      {!may("programmer") && <p class="note quiet">{t("frames.needsProgrammer")}</p>}
      <div class="list">
        {WAYS.map((way) => (
          <button key={way.kind} type="button" class="way" data-wizard={way.kind} disabled={!may("programmer")} onClick={() => begin(way.kind)}>
            <b>{t(way.title)}</b>
            <span class="quiet note">{t(way.words)}{touches.value[way.kind].length > 0 && <b class="wouldly"> {t("frames.under", { count: touches.value[way.kind].length })}</b>}</span>
          </button>
        ))}
      </div>
      {all && all.calibrations.length > 0 && <KeptBefore of={all.calibrations} />}
    </>
  );
}

interface RowsOf { readonly of: readonly Frame[] | undefined; readonly active: string; readonly none: string; readonly called?: string | undefined }

/** called: What everybody calls the one that there is, where that is not its frame's name. */
function Rows({ of, active, none, called }: RowsOf): JSX.Element {
  if (!of) return <p class="note quiet">…</p>;
  if (!of.length) return <p class="note quiet">{none}</p>;
  return (
    <div class="list frame-rows">
      {of.map((frame) => (
        <div key={frame.name} class="item">
          <span class="name"><b>{called || frame.name}</b> <span class="quiet note">{t("frames.in", { parent: frame.parent })}</span></span>
          <span class="quiet note figures">{frame.xyz.map((value) => mm(value)).join("  ")}<br />{frame.rpy.map((value) => degrees(value, 1)).join("  ")}</span>
          {frame.name === active && <span class="pill">{t("frames.active")}</span>}
        </div>
      ))}
    </div>
  );
}
