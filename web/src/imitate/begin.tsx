/** Whose motion, and how it is carried over: what is chosen before anything moves. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { inControl, may, needsKey } from "../cell";
import { Choice } from "../parts/choice";
import { bytes } from "../moment";
import { SureButton } from "../system/sure_button";
import { t } from "../texts";
import { bringIn, choose, discard, files, type Mapping, type MotionFile } from "./imitation";
import { NotProven } from "./not_proven";
import { SpeedRow } from "./speed_row";

const ADDRESSES = ["tcp://127.0.0.1:7001", "udp://:7002"] as const;

const kind = signal<"file" | "live">("file");
const file = signal("");
const address = signal<string>(ADDRESSES[0]);
const mapping = signal<Mapping>("general");
const mirrored = signal(false);
const arm = signal<"left" | "right">("right");
const speed = signal(1);

export function Begin(): JSX.Element {
  const [busy, setBusy] = useState(false);
  const all = files.value, only = all?.length === 1 ? all[0]!.name : "";
  const name = kind.value === "live" ? address.value.trim() : all?.some((each) => each.name === file.value) ? file.value : only;
  const begin = async (): Promise<void> => {
    setBusy(true);
    await choose({ kind: kind.value, name, mapping: mapping.value, mirrored: mirrored.value, arm: arm.value, speed: speed.value });
    setBusy(false);
  };
  return (
    <>
      <h2>{t("imitate.source")}</h2>
      <Choice label={t("imitate.source")} value={kind.value} onChoose={(value) => (kind.value = value)}
        of={[{ value: "file", label: t("imitate.fromFile") }, { value: "live", label: t("imitate.fromLive") }]} />
      {kind.value === "file" ? <Files all={all} chosen={name} /> : <Address />}
      <h2>{t("imitate.mapping")}</h2>
      <Choice label={t("imitate.mapping")} value={mapping.value} onChoose={(value) => (mapping.value = value)}
        of={[{ value: "general", label: t("imitate.general") }, { value: "paper", label: t("imitate.paper") }]} />
      <p class="note quiet">{mapping.value === "general" ? t("imitate.generalHint") : t("imitate.paperHint")}</p>
      <h2>{t("imitate.sides")}</h2>
      <Choice label={t("imitate.sides")} value={mirrored.value ? "mirrored" : "as"} onChoose={(value) => (mirrored.value = value === "mirrored")}
        of={[{ value: "as", label: t("imitate.asIs") }, { value: "mirrored", label: t("imitate.mirrored") }]} />
      <h2>{t("imitate.arm")}</h2>
      <Choice label={t("imitate.arm")} value={arm.value} onChoose={(value) => (arm.value = value)}
        of={[{ value: "left", label: t("imitate.leftArm") }, { value: "right", label: t("imitate.rightArm") }]} />
      <SpeedRow value={speed.value} onChange={(value) => (speed.value = value)} />
      <button type="button" class="button do big" data-choose disabled={!inControl.value || !name || busy} aria-busy={busy} onClick={() => void begin()}>{t("imitate.choose", { name: name || "…" })}</button>
      <p class="note quiet">{inControl.value ? t("imitate.chooseHint") : t(needsKey())}</p>
      <NotProven />
    </>
  );
}

function Files({ all, chosen }: { readonly all: readonly MotionFile[] | null; readonly chosen: string }): JSX.Element {
  return (
    <>
      {!all && <p class="quiet note">…</p>}
      {all?.length === 0 && <p class="note quiet">{t("imitate.noFiles")}</p>}
      <div class="list motions" role="radiogroup" aria-label={t("imitate.source")}>
        {all?.map((each) => (
          <div class="motion" key={each.name}>
            <button type="button" class={`source ${each.name === chosen ? "chosen" : ""}`} role="radio" aria-checked={each.name === chosen} data-motion={each.name} onClick={() => (file.value = each.name)}>
              <b>{each.name}</b>
              <span class="quiet note">{bytes(each.size)}</span>
            </button>
            {may("programmer") && <SureButton question={t("imitate.sureDelete")} onSure={() => void discard(each.name)}>{t("common.delete")}</SureButton>}
          </div>
        ))}
      </div>
      {may("programmer") && <BringIn known={all ?? []} />}
    </>
  );
}

/** A file from the machine of who sits here; it asks before it takes another's place. */
function BringIn({ known }: { readonly known: readonly MotionFile[] }): JSX.Element {
  const [asked, setAsked] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const take = async (chosen: File): Promise<void> => {
    setBusy(true);
    if (await bringIn(chosen)) file.value = chosen.name;
    setBusy(false);
    setAsked(null);
    if (chooser.current) chooser.current.value = ""; // the same file can be chosen again
  };
  const chose = (chosen: File | undefined): void => {
    if (chosen && known.some((each) => each.name === chosen.name)) setAsked(chosen);
    else if (chosen) void take(chosen);
  };
  return (
    <>
      <label class="button bring">
        {t("imitate.bringIn")}
        <input ref={chooser} type="file" accept=".bvh" class="hidden-file" data-bring-in disabled={busy} onChange={(event) => chose(event.currentTarget.files?.[0])} />
      </label>
      {asked && (
        <div class="ask loses" role="alertdialog" aria-label={t("imitate.bringIn")}>
          <p>{t("imitate.reallyReplace", { name: asked.name })}</p>
          <div class="row fill">
            <button type="button" class="button bad" disabled={busy} onClick={() => void take(asked)}>{t("imitate.replace")}</button>
            <button type="button" class="button" disabled={busy} onClick={() => setAsked(null)}>{t("common.cancel")}</button>
          </div>
        </div>
      )}
    </>
  );
}

function Address(): JSX.Element {
  return (
    <>
      <label class="field">
        <span>{t("imitate.address")}</span>
        <input name="address" value={address.value} spellcheck={false} autocapitalize="off" autocomplete="off" onInput={(event) => (address.value = event.currentTarget.value)} />
      </label>
      <div class="chips">
        {ADDRESSES.map((each) => <button key={each} type="button" class="button" onClick={() => (address.value = each)}>{each}</button>)}
      </div>
      <p class="note quiet">{t("imitate.addressHint")}</p>
    </>
  );
}
