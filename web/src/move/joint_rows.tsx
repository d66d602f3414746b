/** A row for each joint: jog it, see where it is between its limits, and where the ghost has it. */

import { computed, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { inControl, type JointInfo, motion, robot } from "../cell";
import { shownMotion } from "../shown_motion";
import { t } from "../texts";
import { only, stepOf } from "./increments";
import { JogButton } from "./jog_button";
import { increment, pace } from "./jogging";
import { grouped, jointLabel } from "../joint_names";
import { closedWay, isNear, nearShare, placeOf } from "./limits";
import { oneJoint } from "./speeds";
import { target } from "./target";
import { asText, sign } from "./units";

export function JointRows(): JSX.Element {
  const joints = robot.value?.joints ?? [];
  const groups = useMemo(() => grouped(joints.map((joint) => joint.name)), [joints]);
  return (
    <section class="move-joints" aria-label={t("move.joints")}>
      {groups.map((group, number) => {
        const rows = group.joints.map((index) => <JointRow key={index} joints={joints} index={index} />);
        if (groups.length === 1) return rows;
        return (
          <details key={group.joints[0]} open={number === 0}>
            <summary><h2>{group.name}</h2> <span class="quiet">{group.joints.length}</span></summary>
            {rows}
          </details>
        );
      })}
    </section>
  );
}

function JointRow({ joints, index }: { joints: readonly JointInfo[]; index: number }): JSX.Element {
  const joint = joints[index]!;
  const closed = useMemo(() => computed(() => closedWay(joint, motion.value?.q[index] ?? Number.NaN)), [joint, index]);
  const name = jointLabel(joint.name);
  const controls = inControl.value;
  const button = (way: -1 | 1): JSX.Element => (
    <JogButton name={joint.name} way={way} closed={closed.value === way} {...(closed.value === -way ? { hint: t("move.jogOut") } : {})}
      wanted={() => ({ kind: "joints", frame: "", speeds: oneJoint(joints, index, way, pace.value) })}
      by={() => only(joints.length, index, way * stepOf(increment.value === "hold" ? "small" : increment.value, joint.unit))} />
  );
  return (
    <div class={`move-joint ${name.length > 3 ? "long" : ""} ${controls ? "" : "watched"}`} data-joint={joint.name}>
      <b class="name" title={joint.name}>{name}</b>
      {controls && button(-1)}
      <LimitBar joint={joint} index={index} />
      <JointValue joint={joint} index={index} />
      {controls && button(1)}
    </div>
  );
}

/** The value as text: only the text changes, sixty times a second at most. */
function JointValue({ joint, index }: { joint: JointInfo; index: number }): JSX.Element {
  const text = useMemo(() => computed(() => {
    const value = shownMotion.value?.q[index];
    return value === undefined ? "—" : asText(value, joint.unit) + sign(joint.unit);
  }), [joint, index]);
  return <span class="value" title={t("move.commanded")}>{text}</span>;
}

/** The way between the limits: red marks where near begins, the value where it is, the ghost in blue. */
function LimitBar({ joint, index }: { joint: JointInfo; index: number }): JSX.Element {
  const marker = useRef<HTMLElement>(null), would = useRef<HTMLElement>(null);
  useSignalEffect(() => place(marker.current, joint, shownMotion.value?.q[index]));
  useSignalEffect(() => place(would.current, joint, target.value?.q?.[index]));
  const near = nearShare(joint);
  if (near === 0) return <div class="bar endless" title={t("move.noLimits")} />;
  const ends = `${asText(joint.lower ?? 0, joint.unit)} … ${asText(joint.upper ?? 0, joint.unit)}${sign(joint.unit)}`;
  return (
    <div class="bar" title={ends}>
      <u style={{ left: `${100 * near}%` }} />
      <u style={{ left: `${100 * (1 - near)}%` }} />
      <i class="would" ref={would} hidden />
      <i ref={marker} hidden />
    </div>
  );
}

function place(mark: HTMLElement | null, joint: JointInfo, value: number | undefined): void {
  if (!mark) return;
  const at = value === undefined ? null : placeOf(joint, value);
  mark.hidden = at === null;
  if (at === null || value === undefined) return;
  mark.style.left = `${(100 * at).toFixed(1)}%`;
  mark.classList.toggle("bad", !mark.classList.contains("would") && isNear(joint, value));
}
