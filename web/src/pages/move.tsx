/** The page move: jog the joints and the tool, see the limits, and go to where the ghost is. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { inControl, may, motion, programName, robot, status } from "../cell";
import { isMineElsewhere, takeControl } from "../control";
import { Devices } from "../move/devices";
import { GoButton } from "../move/go_button";
import { GoTo, GoToSelect } from "../move/go_to";
import { type Increment, stepsFor } from "../move/increments";
import { hindrance, increment, stream, type Way, way } from "../move/jogging";
import { JointRows } from "../move/joint_rows";
import { canBeName } from "../teach/names";
import { freeName, nextName, teachHere } from "../move/points";
import { forgetTyped, PoseBoxes } from "../move/pose_boxes";
import { SpeedRow } from "../move/speed_row";
import { Sticks } from "../move/sticks";
import { clearTarget, drawTarget, target } from "../move/target";
import { AlongSelect, ToolRows } from "../move/tool_rows";
import { WaysRow } from "../move/ways_row";
import { Choice } from "../parts/choice";
import { spoken } from "../spoken";
import { t } from "../texts";
import "./move.css";

export function MovePage(): JSX.Element {
  const arm = robot.value?.tip !== "";
  const shown = arm ? way.value : "joints";
  useEffect(() => drawTarget(() => { clearTarget(); forgetTyped(); }), []);
  useEffect(() => () => {
    stream.endAll();
    forgetTyped();
  }, []);
  return (
    <div class="move">
      <header class="move-top">{inControl.value ? <Head arm={arm} shown={shown} /> : <TakeControl />}</header>
      {shown === "joints" || !inControl.value ? <JointRows /> : shown === "tool" ? <ToolRows /> : <Sticks />}
      {inControl.value && !arm && <SpeedRow />}
      {arm && <PoseBoxes beside={inControl.value && <SpeedRow />} />}
      {arm && <WaysRow />}
      {inControl.value && <GoTo />}
      {inControl.value && arm && <Devices />}
      {inControl.value && <Foot />}
    </div>
  );
}

/** What is jogged, and by how much. */
function Head({ arm, shown }: { arm: boolean; shown: Way }): JSX.Element {
  const joints = robot.value?.joints ?? [];
  const units = new Set(shown === "joints" ? joints.map((joint) => joint.unit) : (["m", "rad"] as const));
  const steps = stepsFor(units);
  const chosen: Increment = steps.some((each) => each.value === increment.value) ? increment.value : "hold";
  useEffect(() => void (increment.value = chosen), [chosen]);
  return (
    <>
      <Choice label={t("page.move")} value={shown} onChoose={(value) => { stream.endAll(); way.value = value; }}
        of={[
          { value: "joints", label: t("move.joints") },
          { value: "tool", label: t("move.tool"), disabled: !arm },
          { value: "stick", label: t("move.stick"), disabled: !arm },
        ]} />
      {shown !== "joints" && <AlongSelect />}
      {shown !== "stick" && (
        <span class={`move-steps ${units.size > 1 ? "both" : ""}`}>
          <Choice label={t("move.step")} value={chosen} onChoose={(value) => { stream.endAll(); increment.value = value; }}
            of={[{ value: "hold" as Increment, label: t("move.hold") }, ...steps]} />
        </span>
      )}
    </>
  );
}

/** Instead of buttons that would do nothing: the one that gives control, for who may have it. */
function TakeControl(): JSX.Element {
  const holder = status.value?.control.name;
  return (
    <>
      {may("operator") ? (
        <button type="button" class="button big do" data-take onClick={() => void takeControl()}>{t("move.takeControl")}</button>
      ) : (
        <p>{t("move.watching")}</p>
      )}
      <p class="quiet">{isMineElsewhere() ? t("move.youHave") : holder ? t("move.hasControl", { name: programName(holder) }) : t("move.nobodyHas")}</p>
    </>
  );
}

/** Always in sight: teach, go; and what is in the way, in words. */
function Foot(): JSX.Element {
  const name = nextName.value.trim() || freeName.value;
  return (
    <footer class="move-foot">
      <Words />
      {may("programmer") && (
        <button type="button" class="button big" data-teach disabled={!canBeName(name) || !motion.value} onClick={() => void teachHere()}>
          <span>{t("move.teach")}<small class="quiet">{name}</small></span>
        </button>
      )}
      <GoToSelect />
      <GoButton />
    </footer>
  );
}

/** Why nothing moves, what slows the jog, or what is wrong with the way to the ghost. What passes soon lies over the panel: nothing jumps. */
function Words(): JSX.Element | null {
  const now = status.value, here = target.value;
  const why = hindrance.value;
  if (here?.plan === "refused") return <p class="move-words lasting badly" role="status">{here.said.map(spoken).join("; ")}</p>;
  if (stream.active.value && now?.held_by) return <p class="move-words badly" role="status">{spoken(now.held_by)}</p>;
  if (why) return <p class="move-words lasting" role="status">{t(why)}</p>;
  if (here?.plan === "asked") return <p class="move-words wouldly" role="status">{t("move.planning")}</p>;
  if (here && here.said.length > 0) return <p class="move-words wouldly" role="status">{here.said.map(spoken).join("; ")}</p>;
  return null;
}
