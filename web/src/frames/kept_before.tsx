/** What was calibrated before, newest first, and the way back to it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { may } from "../cell";
import { Ask } from "../teach/ask";
import { moment } from "../moment";
import { poseLine } from "../teach/figures";
import { type Key, t } from "../texts";
import { type Calibrated, goBack } from "./frames_of_cell";

const NAMES: Record<string, Key> = { tool: "frames.toolTitle", frame: "frames.frameTitle", zero: "frames.zerosTitle" };
const QUESTIONS: Record<string, Key> = { tool: "frames.backTool", frame: "frames.backFrame", zero: "frames.backZeros" };

const rows = (value: unknown): readonly number[] => (Array.isArray(value) ? (value as number[]) : []);

export function KeptBefore({ of }: { readonly of: readonly Calibrated[] }): JSX.Element {
  const [asked, setAsked] = useState<number | null>(null);
  return (
    <>
      <h2>{t("frames.history")}</h2>
      <ol class="history">
        {of.map((each) => (
          <li key={each.number} data-calibration={each.number}>
            <b>{title(each)}</b> <span class="quiet">{t("frames.number", { number: each.number })} · {moment(each.at)} {t("teach.by")} {each.by}</span>
            {each.reason && <div class="note quiet">{each.reason}</div>}
            {each.kind !== "zero" && <div class="note quiet">{poseLine({ xyz: rows(each.value["xyz"]), rpy: rows(each.value["rpy"]) })}</div>}
            {asked === each.number
              ? <Back to={each} onDone={() => setAsked(null)} />
              : <button type="button" class="button" data-go-back disabled={!may("programmer")} onClick={() => setAsked(each.number)}>{t("frames.goBack")}</button>}
          </li>
        ))}
      </ol>
    </>
  );
}

const title = (of: Calibrated): string => {
  const name = NAMES[of.kind];
  return `${name ? t(name) : of.kind} ${of.name}`.trim();
};

function Back({ to, onDone }: { readonly to: Calibrated; readonly onDone: () => void }): JSX.Element {
  const [busy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    await goBack(to);
    onDone();
  };
  return (
    <Ask yes={t("frames.goBack")} disabled={busy} onNo={onDone} onYes={() => void go()}>
      <p>{t(QUESTIONS[to.kind] ?? "frames.backTool", { number: to.number, name: to.name })}</p>
    </Ask>
  );
}
