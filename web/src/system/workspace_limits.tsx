/** Where the tool may be: a box and planes, as numbers; changed by an administrator with his password. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { put } from "../api";
import { attempt, say, who } from "../cell";
import { spoken } from "../spoken";
import { t } from "../texts";
import { typedLimits } from "../view/shown";
import { useLooked } from "./look_again";
import { LookedPart } from "./looked_part";
import { formOf, isProblem, type Workspace, type WorkspaceForm, workspaceOf } from "./workspace_form";

const AXES = ["X", "Y", "Z"] as const;
const NEW_PLANE = { point: ["0", "0", "0"], normal: ["0", "0", "1"] };
const NEW_BOX = { low: ["-1000", "-1000", "0"], high: ["1000", "1000", "1500"] };

/** What the cell says of its limits (GET /workspace). */
interface Limits {
  readonly running: Workspace; // what motions are held to now
  readonly kept: Workspace; // what holds when the cell is started again
  readonly file: string; // that they are written into; "" for none
  readonly restart: boolean; // the two differ
}

export function WorkspaceLimits(): JSX.Element {
  const found = useLooked<Limits>("/workspace");
  return <LookedPart of={found}>{(limits) => <Form limits={limits} onChange={found.again} />}</LookedPart>;
}

function Form({ limits, onChange }: { readonly limits: Limits; readonly onChange: () => void }): JSX.Element {
  const [form, setForm] = useState(() => formOf(limits.kept));
  const [password, setPassword] = useState("");
  const [notes, setNotes] = useState<readonly string[]>([]);
  useEffect(() => setForm(formOf(limits.kept)), [limits]);
  const read = workspaceOf(form), problem = isProblem(read) ? read : null;
  const changed = JSON.stringify(form) !== JSON.stringify(formOf(limits.kept));
  useEffect(() => {
    typedLimits.value = changed && !isProblem(read) ? read : null;
  }, [form, limits]);
  useEffect(() => () => void (typedLimits.value = null), []);
  const asked = who.value?.has_password ?? false, nameless = !asked && (who.value?.passwords ?? false);
  const keep = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isProblem(read)) return;
    const done = await attempt(() => put<{ readonly notes: readonly string[] }>("/workspace", asked ? { ...read, password } : read));
    if (!done) return;
    setPassword("");
    setNotes(done.notes);
    say("info", t("system.limitsKept"));
    onChange();
  };
  return (
    <form class="limits" onSubmit={(event) => void keep(event)}>
      <p class="quiet">{t("system.limitsHow")}</p>
      {limits.file ? <p class="quiet small">{limits.file}</p> : <p class="badly">{t("system.noCellFile")}</p>}
      {limits.restart && <p class="badly" role="status">{t("system.limitsRestart")}</p>}
      <Box form={form} onChange={setForm} wrong={problem?.where === "box" ? t(problem.text) : ""} />
      {form.planes.map((_, index) => (
        <Plane key={index} index={index} form={form} onChange={setForm} wrong={problem?.where === `plane${index}` ? t(problem.text) : ""} />
      ))}
      <button type="button" class="button" onClick={() => setForm({ ...form, planes: [...form.planes, NEW_PLANE] })}>{t("system.addPlane")}</button>
      <label class="field">
        <span>{t("system.toolSpeed")} mm/s</span>
        <input inputMode="decimal" name="speed" placeholder={t("system.noLimit")} value={form.speed} onInput={(event) => setForm({ ...form, speed: event.currentTarget.value })} />
      </label>
      {problem?.where === "speed" && <p class="badly" role="alert">{t(problem.text)}</p>}
      <section class="card">
        <p>{asked ? t("system.limitsPassword") : nameless ? t("system.limitsNameless") : t("system.limitsNoPassword")}</p>
        {asked && (
          <label class="field">
            <span>{t("login.password")}</span>
            <input name="password" type="password" autocomplete="current-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
          </label>
        )}
        <div class="row fill">
          <button type="submit" class="button do" data-keep disabled={!changed || problem !== null || nameless || (asked && !password) || !limits.file}>{t("common.save")}</button>
          <button type="button" class="button" disabled={!changed} onClick={() => setForm(formOf(limits.kept))}>{t("common.cancel")}</button>
        </div>
        {notes.map((note) => <p key={note} role="status">{spoken(note)}</p>)}
      </section>
    </form>
  );
}

interface PartProps {
  readonly form: WorkspaceForm;
  readonly onChange: (form: WorkspaceForm) => void;
  readonly wrong: string;
}

function Box({ form, onChange, wrong }: PartProps): JSX.Element {
  const { box } = form;
  return (
    <section class="card">
      <header class="row">
        <h2>{t("system.box")} <span class="unit">[mm]</span></h2>
        <span class="space" />
        <button type="button" class="button" onClick={() => onChange({ ...form, box: box ? null : NEW_BOX })}>{box ? t("system.noBox") : t("system.addBox")}</button>
      </header>
      {box && (
        <>
          <Three label={t("system.from")} values={box.low} onChange={(low) => onChange({ ...form, box: { ...box, low } })} />
          <Three label={t("system.to")} values={box.high} onChange={(high) => onChange({ ...form, box: { ...box, high } })} />
        </>
      )}
      {wrong && <p class="badly" role="alert">{wrong}</p>}
    </section>
  );
}

function Plane({ form, index, onChange, wrong }: PartProps & { readonly index: number }): JSX.Element {
  const plane = form.planes[index]!;
  const change = (part: Partial<typeof plane>): void => onChange({ ...form, planes: form.planes.map((each, k) => (k === index ? { ...each, ...part } : each)) });
  return (
    <section class="card">
      <header class="row">
        <h2>{t("system.plane")} {index + 1}</h2>
        <span class="space" />
        <button type="button" class="button" onClick={() => onChange({ ...form, planes: form.planes.filter((_, k) => k !== index) })}>{t("common.delete")}</button>
      </header>
      <Three label={`${t("system.point")} mm`} values={plane.point} onChange={(point) => change({ point })} />
      <Three label={t("system.normal")} values={plane.normal} onChange={(normal) => change({ normal })} />
      {wrong && <p class="badly" role="alert">{wrong}</p>}
    </section>
  );
}

interface ThreeProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function Three({ label, values, onChange }: ThreeProps): JSX.Element {
  return (
    <div class="grid3">
      {AXES.map((axis, k) => (
        <label key={axis} class="field">
          <span>{label} {axis}</span>
          <input inputMode="decimal" value={values[k]} onInput={(event) => onChange(values.map((value, j) => (j === k ? event.currentTarget.value : value)))} />
        </label>
      ))}
    </div>
  );
}
