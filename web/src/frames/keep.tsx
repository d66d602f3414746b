/** Keep a result: asked once; what must be done so that it holds is said in the cell's words. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { may } from "../cell";
import { inWords, type Refused } from "../refused";
import { Ask } from "../teach/ask";
import { canBeName } from "../teach/names";
import { t } from "../texts";
import { end, frameName, keep, kept, kind, notKept, oriented, pose, turned, zeros } from "./calibration";
import { frames, lookAtFrames } from "./frames_of_cell";
import { OwnCell } from "./own_cell";
import { OF_TURN } from "./tool_touches";

export function Keep(): JSX.Element | null {
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState("");
  const answer = kept.value;
  if (answer)
    return (
      <div class="card keeps" role="status" data-kept>
        <b class="goodly">{t("frames.kept")}</b>
        <p>{t("frames.keptIn", { file: answer.file })}</p>
        <pre>{answer.lines}</pre>
        {answer.restart && <p><b>{t("frames.restart")}</b></p>}
        <button type="button" class="button do" onClick={end}>{t("common.ok")}</button>
      </div>
    );
  if (!pose.value && !zeros.value) return null;
  const missing = kind.value === "frame" && !canBeName(frameName.value) ? t("frames.nameFirst") : kind.value === "tool" && oriented.value && turned.value < OF_TURN ? t("frames.turnFirst") : "";
  if (!asks)
    return (
      <>
        <button type="button" class="button do big" data-keep disabled={!may("programmer") || missing !== ""} onClick={() => setAsks(true)}>{t("frames.keep")}</button>
        {missing && <p class="note quiet">{missing}</p>}
        {notKept.value && <NotKept why={notKept.value} />}
      </>
    );
  return (
    <Ask yes={t("frames.keep")} onNo={() => setAsks(false)} onYes={() => void keep(reason).then(() => setAsks(false))}>
      <p>{kind.value === "tool" ? t("frames.askTool") : kind.value === "frame" ? t("frames.askFrame", { name: frameName.value }) : t("frames.askZeros")}</p>
      <label class="field"><span>{t("frames.reason")}</span><input name="reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
    </Ask>
  );
}

/** Why, and a button where the robot only lacks a cell of its own. */
function NotKept({ why }: { readonly why: Refused }): JSX.Element {
  const lacks = why.kind === "NoOwnCell", has = Boolean(frames.value?.file);
  useEffect(() => {
    if (lacks) void lookAtFrames(); // says where one could be made
  }, [lacks]);
  return (
    <>
      {!(lacks && has) && <div class="card refused" role="alert" data-not-kept><b>{t("frames.notKept")}</b><p class="note">{inWords(why)}</p></div>}
      {lacks && <OwnCell />}
    </>
  );
}
