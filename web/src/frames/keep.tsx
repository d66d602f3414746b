/** Keep a result: asked once; what must be done so that it holds is said in the cell's words. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { may } from "../cell";
import { Ask } from "../teach/ask";
import { canBeName } from "../teach/names";
import { t } from "../texts";
import { end, frameName, keep, kept, kind, notKept, pose, zeros } from "./calibration";

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
  if (!asks)
    return (
      <>
        <button type="button" class="button do big" data-keep disabled={!may("programmer") || (kind.value === "frame" && !canBeName(frameName.value))} onClick={() => setAsks(true)}>{t("frames.keep")}</button>
        {kind.value === "frame" && !canBeName(frameName.value) && <p class="note quiet">{t("frames.nameFirst")}</p>}
        {notKept.value && <div class="card refused" role="alert" data-not-kept><b>{t("frames.notKept")}</b><p class="note">{notKept.value}</p></div>}
      </>
    );
  return (
    <Ask yes={t("frames.keep")} onNo={() => setAsks(false)} onYes={() => void keep(reason).then(() => setAsks(false))}>
      <p>{kind.value === "tool" ? t("frames.askTool") : kind.value === "frame" ? t("frames.askFrame", { name: frameName.value }) : t("frames.askZeros")}</p>
      <label class="field"><span>{t("frames.reason")}</span><input name="reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
    </Ask>
  );
}
