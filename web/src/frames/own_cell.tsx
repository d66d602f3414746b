/** A robot that came without a cell of its own: that it is so, what one is for, and a button that makes one. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { may } from "../cell";
import { t } from "../texts";
import { frames, made, makeOwnCell } from "./frames_of_cell";
import "./own_cell.css";

/** Nothing where the robot has one; why it has none where none can be made. */
export function OwnCell(): JSX.Element | null {
  const all = frames.value;
  if (made.value)
    return (
      <div class="card keeps own-cell" role="status" data-own-cell="made">
        <b class="goodly">{t("frames.cellMade")}</b>
        <p class="note"><code>{made.value}</code></p>
        <p class="note">{t("frames.cellTaken")}</p>
        <button type="button" class="button" onClick={() => (made.value = "")}>{t("common.ok")}</button>
      </div>
    );
  if (all?.file !== "") return null;
  if (!all.could) return <p class="note quiet">{t("frames.noFile")}</p>;
  return (
    <div class="card own-cell" data-own-cell="could">
      <b>{t("frames.noCell")}</b>
      <p class="note">{t("frames.cellFor")}</p>
      <p class="note quiet">{t("frames.cellWhere")} <code>{all.could}</code></p>
      <MakeOne />
    </div>
  );
}

function MakeOne(): JSX.Element {
  const [busy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    await makeOwnCell();
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button do" data-make-cell disabled={busy || !may("programmer")} onClick={() => void make()}>{t("frames.makeCell")}</button>
      {!may("programmer") && <p class="note quiet">{t("frames.makeNeedsProgrammer")}</p>}
    </>
  );
}
