/** Keep where the robot is, under a name that is proposed. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api";
import { attempt, may, robot, say, status } from "../cell";
import { shownMotion } from "../shown_motion";
import { t } from "../texts";
import { canBeName, isFree, proposedName } from "./names";
import { PoseFields } from "./pose_fields";
import { points, readPoints } from "./taught";

export function TeachHere({ onTaught }: { readonly onTaught: (name: string) => void }): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  const taken = (points.value ?? []).map((each) => each.name);
  const name = typed ?? proposedName(taken, "p1");
  const here = shownMotion.value;
  const trouble = !canBeName(name) ? t("teach.badName") : !isFree(name, taken) ? t("teach.taken", { name }) : "";
  const moves = status.value?.moves ?? false;
  const teach = async (event: Event): Promise<void> => {
    event.preventDefault();
    const done = await attempt(async () => {
      await post("/points", { name });
      await readPoints();
      return true;
    });
    if (!done) return;
    setTyped(null);
    say("info", t("teach.taught", { name }));
    onTaught(name);
  };
  return (
    <form class="here" onSubmit={(event) => void teach(event)}>
      <h2>{t("teach.toolIn", { tool: robot.value?.tool || status.value?.tool || "", frame: status.value?.frame ?? "" })}</h2>
      <PoseFields pose={here ?? { xyz: [0, 0, 0], rpy: [0, 0, 0] }} />
      <div class="row name-and-do">
        <label class="field">
          <span>{t("teach.newName")}</span>
          <input name="point" value={name} spellcheck={false} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <button type="submit" class="button do big" data-teach disabled={!may("programmer") || !here || trouble !== "" || moves}>{t("teach.here")}</button>
      </div>
      <p class={`note ${trouble ? "badly" : "quiet"}`}>{trouble || (!may("programmer") ? t("teach.needsProgrammer") : moves ? t("teach.moves") : t("teach.hereHint"))}</p>
    </form>
  );
}
