/** Jogging the tool: along and about the axes of the base, of the tool or of a frame. */

import type { JSX } from "preact";
import { t } from "../texts";
import { activeFrame, otherFrames } from "./active_frame";
import { only, stepOf } from "./increments";
import { JogButton } from "./jog_button";
import { alongChosen, increment } from "./jogging";
import { AXES, unitOf } from "./pose";
import { chooseFrame } from "./pose_boxes";
import { oneAxis } from "./speeds";

export function ToolRows(): JSX.Element {
  return (
    <section class="move-tool" aria-label={t("move.tool")}>
      {[0, 3, 1, 4, 2, 5].map((axis) => <AxisRow key={axis} axis={axis} />)}
    </section>
  );
}

function AxisRow({ axis }: { axis: number }): JSX.Element {
  const name = AXES[axis] ?? "";
  const button = (way: -1 | 1): JSX.Element => (
    <JogButton name={name} way={way} wanted={() => alongChosen(oneAxis(axis, way))}
      by={() => only(6, axis, way * stepOf(increment.value === "hold" ? "small" : increment.value, unitOf(axis)))} />
  );
  return (
    <div class="move-axis" data-axis={name} title={t(`move.axis${name as "X"}`)}>
      {button(-1)}
      <span><b>{name}</b><small class="quiet">{axis < 3 ? "mm" : "°"}</small></span>
      {button(1)}
    </div>
  );
}

/** Along whose axes. */
export function AlongSelect(): JSX.Element {
  return (
    <label class="field move-along">
      <span>{t("move.along")}</span>
      <select value={activeFrame.value} aria-label={t("move.along")} data-along onChange={(event) => void chooseFrame(event.currentTarget.value)}>
        <option value="base">{t("move.base")}</option>
        <option value="tool">{t("move.tool")}</option>
        {otherFrames.value.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
}
