/** Back-up and restore: all that people have made of this cell, as one file. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { fetchRaw } from "../api";
import { attempt, recogniseMe, say } from "../cell";
import { download, stamped } from "../plots/picture";
import { t } from "../texts";
import { bytes } from "../moment";
import { refusalOf } from "../refused";

interface Restored {
  readonly restored: readonly string[];
  readonly kept: string; // file with what was there before
  readonly restart: boolean;
}

const LARGEST = 32 * 2 ** 20; // bytes that the cell takes

async function takeBackUp(): Promise<void> {
  const answer = await fetchRaw("/backup");
  const named = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "");
  download(await answer.blob(), named?.[1] ?? stamped("armillary", "zip"));
}

async function bringBack(file: File): Promise<Restored> {
  const headers = { "x-armillary": "1", "content-type": "application/zip" };
  const answer = await fetch("/api/restore", { method: "POST", headers, body: file });
  if (!answer.ok) throw await refusalOf(answer);
  const said = (await answer.json()) as Partial<Restored>;
  return { restored: said.restored ?? [], kept: said.kept ?? "", restart: said.restart ?? false };
}

export function BackUp(): JSX.Element {
  return (
    <>
      <section class="card">
        <h2>{t("system.backUp")}</h2>
        <p>{t("system.backUpWhat")}</p>
        <p class="quiet">{t("system.backUpSafe")}</p>
        <button type="button" class="button do" data-backup onClick={() => void attempt(takeBackUp)}>{t("system.backUpTake")}</button>
      </section>
      <Restore />
    </>
  );
}

function Restore(): JSX.Element {
  const [file, setFile] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Restored | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const forget = (): void => {
    setFile(null);
    if (chooser.current) chooser.current.value = "";
  };
  const choose = (chosen: File | undefined): void => {
    setDone(null);
    if (chosen && chosen.size > LARGEST) {
      say("refused", t("system.tooLarge", { size: bytes(LARGEST) }));
      forget();
    } else setFile(chosen ?? null);
  };
  const restore = async (chosen: File): Promise<void> => {
    setBusy(true);
    const found = await attempt(() => bringBack(chosen));
    setBusy(false);
    if (!found) return;
    setDone(found);
    forget();
    await attempt(recogniseMe);
  };
  return (
    <section class="card">
      <h2>{t("system.restore")}</h2>
      <label class="button">
        {t("system.restoreChoose")}
        <input ref={chooser} type="file" accept=".zip,application/zip" class="hidden-file" data-restore onChange={(event) => choose(event.currentTarget.files?.[0])} />
      </label>
      {file && (
        <div class="card warning" role="alertdialog" aria-label={t("system.restore")}>
          <b>{file.name} · {bytes(file.size)}</b>
          <p class="badly">{t("system.restoreWarning")}</p>
          <p class="quiet">{t("system.restoreKept")}</p>
          <div class="row fill">
            <button type="button" class="button bad" data-restore-now disabled={busy} onClick={() => void restore(file)}>{busy ? "…" : t("system.restoreNow")}</button>
            <button type="button" class="button" disabled={busy} onClick={forget}>{t("common.cancel")}</button>
          </div>
        </div>
      )}
      {done && (
        <div role="status">
          <p class="goodly">● {t("system.restored", { what: done.restored.join(", ") })}</p>
          {done.restart && <p class="badly">{t("system.restart")}</p>}
          <p class="quiet">{t("system.keptIn", { file: done.kept })}</p>
        </div>
      )}
    </section>
  );
}
