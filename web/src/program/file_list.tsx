/** All programs: open, make, bring in, hand out, rename, delete; and what was run lately. It takes the editor's place, so that STOP stays in sight. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { attempt, may } from "../cell";
import { bytes, clock, moment } from "../moment";
import { languageOf } from "../editor/languages";
import { Choice } from "../parts/choice";
import { spoken } from "../spoken";
import { type Key, t } from "../texts";
import type { FileEntry, RunEntry } from "./answers";
import { handOut } from "./bring_in";
import { BringIn } from "./bring_in_button";
import { newName, withEnding } from "./file_names";
import { deleteFile, file, files, listFiles, makeFile, openFile, renameFile } from "./open_file";
import { movesKey } from "./run_state";

export function FileList({ onDone }: { onDone: () => void }): JSX.Element {
  const [tab, setTab] = useState<"files" | "runs">("files");
  useEffect(() => void attempt(listFiles), []);
  return (
    <div class="program-list">
      <div class="row">
        <Choice label={t("program.files")} value={tab} onChoose={setTab} of={[{ value: "files", label: t("program.files") }, { value: "runs", label: t("program.recent") }]} />
        <span class="space" />
        <button type="button" class="button" data-back onClick={onDone}>{t("common.close")}</button>
      </div>
      {tab === "files" ? <Files onDone={onDone} /> : <Runs onDone={onDone} />}
    </div>
  );
}

function Files({ onDone }: { onDone: () => void }): JSX.Element {
  const known = files.value;
  const [changing, setChanging] = useState<{ readonly name: string; readonly how: "rename" | "delete" } | null>(null);
  const close = (): void => setChanging(null);
  return (
    <>
      {may("programmer") && <NewFile taken={known?.map((each) => each.name) ?? []} onDone={onDone} />}
      {known?.length === 0 && <p class="quiet">{t("program.noFiles")}</p>}
      <div class="list">
        {known?.map((each) => {
          const mine = changing?.name === each.name ? changing.how : null;
          return mine === "rename" ? <Rename key={each.name} name={each.name} onDone={close} />
            : mine === "delete" ? <Delete key={each.name} name={each.name} onDone={close} />
            : <FileRow key={each.name} entry={each} onDone={onDone} onChange={(how) => setChanging({ name: each.name, how })} />;
        })}
      </div>
    </>
  );
}

function FileRow({ entry, onDone, onChange }: { entry: FileEntry; onDone: () => void; onChange: (how: "rename" | "delete") => void }): JSX.Element {
  const open = async (): Promise<void> => {
    if (file.value?.name === entry.name || (await openFile(entry.name))) onDone();
  };
  return (
    <div class="item" data-entry={entry.name}>
      <button type="button" class="program-open name" aria-current={file.value?.name === entry.name} onClick={() => void open()}>
        <b>{entry.name}</b>
        <small class="quiet">{bytes(entry.size)} · {moment(entry.changed)}</small>
      </button>
      <button type="button" class="button" data-hand-out onClick={() => void handOut(entry.name)}>{t("system.download")}</button>
      {may("programmer") && (
        <>
          <button type="button" class="button" onClick={() => onChange("rename")}>{t("common.rename")}</button>
          <button type="button" class="button" onClick={() => onChange("delete")}>{t("common.delete")}</button>
        </>
      )}
    </div>
  );
}

function Rename({ name, onDone }: { name: string; onDone: () => void }): JSX.Element {
  const [to, setTo] = useState(name);
  const rename = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (to.trim() === name || (await renameFile(name, to.trim()))) onDone();
  };
  return (
    <form class="item" onSubmit={(event) => void rename(event)}>
      <input class="text" value={to} aria-label={t("common.name")} autocapitalize="off" spellcheck={false} onInput={(event) => setTo(event.currentTarget.value)} />
      <button type="submit" class="button do" disabled={!to.trim()}>{t("common.rename")}</button>
      <button type="button" class="button" onClick={onDone}>{t("common.cancel")}</button>
    </form>
  );
}

function Delete({ name, onDone }: { name: string; onDone: () => void }): JSX.Element {
  return (
    <div class="item" role="alert">
      <span class="name badly">{t("program.reallyDelete", { name })}</span>
      <button type="button" class="button bad" onClick={() => void deleteFile(name).then(onDone)}>{t("common.delete")}</button>
      <button type="button" class="button" onClick={onDone}>{t("common.cancel")}</button>
    </div>
  );
}

function NewFile({ taken, onDone }: { taken: readonly string[]; onDone: () => void }): JSX.Element {
  const [language, setLanguage] = useState<"gcode" | "script">("gcode");
  const [typed, setTyped] = useState("");
  const proposed = newName(taken, language);
  const name = withEnding(typed, language, languageOf) || proposed;
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await makeFile(name)) onDone();
  };
  return (
    <form class="program-new" onSubmit={(event) => void make(event)}>
      <input class="text" value={typed} placeholder={proposed} aria-label={t("common.name")} autocapitalize="off" spellcheck={false} onInput={(event) => setTyped(event.currentTarget.value)} />
      <Choice label={t("program.language")} value={language} onChoose={setLanguage} of={[{ value: "gcode", label: t("program.gcode") }, { value: "script", label: t("program.script") }]} />
      <button type="submit" class="button do" disabled={taken.includes(name)}>{t("program.new")}</button>
      <BringIn language={language} onDone={onDone} />
    </form>
  );
}

const ENDS: Readonly<Record<string, Key | undefined>> = { ended: "program.didEnd", stopped: "program.didStop", failed: "program.didFail", running: "program.doesRun", lost: "program.gotLost" };

function Runs({ onDone }: { onDone: () => void }): JSX.Element {
  const [runs, setRuns] = useState<readonly RunEntry[] | null>(null);
  useEffect(() => void attempt(() => get<readonly RunEntry[]>("/runs")).then((found) => setRuns(found ?? [])), []);
  const known = files.value?.map((each) => each.name) ?? [];
  if (runs?.length === 0) return <p class="quiet">{t("program.noRuns")}</p>;
  return (
    <div class="list">
      {runs?.map((each, index) => (
        <div class="item" key={index}>
          <span class="name">
            <b>{each.name}</b> <span class={each.ended === "failed" ? "badly" : "quiet"}>{t(ENDS[each.ended] ?? "program.gotLost")}</span>
            <small class="quiet">{moment(each.at)} · {each.who} · {clock(each.seconds)} · {t(movesKey(each.moves), { count: each.moves })}</small>
            {each.ended === "failed" && each.error && <small class="badly">{spoken(each.error.split("\n")[0] ?? "")}</small>}
          </span>
          <button type="button" class="button" disabled={!known.includes(each.name)} onClick={() => void openFile(each.name).then((done) => done && onDone())}>{t("program.open")}</button>
        </div>
      ))}
    </div>
  );
}
