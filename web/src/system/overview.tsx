/** The system at a glance: what is wrong first, then versions, processes, real time, disks and the recording. */

import type { JSX } from "preact";
import { driverName } from "../bottom";
import { status } from "../cell";
import { spoken } from "../spoken";
import { t } from "../texts";
import { grantedWords, processName } from "./granted";
import { useLooked } from "./look_again";
import { LookedPart } from "./looked_part";
import { bytes, clock } from "../moment";

interface Process {
  readonly name: string;
  readonly pid: number; // 0: it has ended
  readonly restarts: number;
  readonly said: string; // why it was started again
}

interface System {
  readonly robot: string;
  readonly source: string;
  readonly driver: string;
  readonly pace: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
  readonly processes: readonly Process[];
  readonly granted: string;
  readonly uptime: number; // s
  readonly disks: readonly { readonly place: string; readonly free: number; readonly total: number }[];
  readonly place: string;
  readonly recordings: string;
  readonly recording: { readonly file: string; readonly written: number; readonly lost: number; readonly problem: string };
  readonly assumptions: readonly string[];
  readonly troubles: readonly string[];
}

export function Overview(): JSX.Element {
  const found = useLooked<System>("/system", 5);
  return <LookedPart of={found}>{(system) => <Shown system={system} />}</LookedPart>;
}

function Shown({ system }: { readonly system: System }): JSX.Element {
  return (
    <>
      {system.troubles.map((trouble) => <div key={trouble} class="card warning badly" role="alert">{spoken(trouble)}</div>)}
      <div class="facts">
        <Fact name={t("system.version")} value={system.versions["armillary"] ?? ""} />
        <Fact name={t("top.cell")} value={system.robot} />
        <Fact name={t("top.drives")} value={driverName(system.driver)} />
        <Fact name={t("system.uptime")} value={clock(system.uptime)} />
        <Fact name={t("system.viewers")} value={String(status.value?.viewers ?? 0)} />
        <Fact name={t("system.machine")} value={system.machine} />
      </div>
      <section class="card">
        <h2>{t("system.realTime")}</h2>
        <p>{grantedWords(system.granted)}</p>
      </section>
      <Processes processes={system.processes} />
      <Disks system={system} />
      <details class="card">
        <summary>{t("system.more")}</summary>
        <table class="plain"><tbody>
          <tr><td class="quiet">{t("system.source")}</td><td>{system.source}</td></tr>
          <tr><td class="quiet">{t("system.place")}</td><td>{system.place}</td></tr>
          <tr><td class="quiet">{t("system.tab.recordings")}</td><td>{system.recordings}</td></tr>
          {Object.entries(system.versions).map(([name, version]) => <tr key={name}><td class="quiet">{name}</td><td>{version}</td></tr>)}
        </tbody></table>
        {system.assumptions.length > 0 && <h2>{t("system.assumptions")}</h2>}
        {system.assumptions.map((text) => <p key={text} class="quiet">{spoken(text)}</p>)}
      </details>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return <div class="field fact"><span>{name}</span><b>{value}</b></div>;
}

function Processes({ processes }: { readonly processes: readonly Process[] }): JSX.Element {
  return (
    <section class="card">
      <h2>{t("system.processes")}</h2>
      <table class="plain" data-processes>
        <thead><tr><th>{t("common.name")}</th><th class="number">{t("system.pid")}</th><th class="number">{t("system.restarts")}</th><th>{t("system.why")}</th></tr></thead>
        <tbody>
          {processes.map((each) => (
            <tr key={each.name}>
              <td><span class={each.pid ? "goodly" : "badly"}>●</span> <span title={each.name}>{processName(each.name)}</span></td>
              <td class="number">{each.pid || <span class="badly">{t("system.ended")}</span>}</td>
              <td class={`number ${each.restarts ? "badly" : ""}`}>{each.restarts}</td>
              <td>{spoken(each.said) || <span class="quiet">—</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const FULL = 0.93; // of a disk, from which on it is shown in red

function Disks({ system }: { readonly system: System }): JSX.Element {
  const { recording } = system;
  return (
    <section class="card">
      <h2>{t("system.disk")}</h2>
      {system.disks.map((disk) => {
        const used = disk.total > 0 ? 1 - disk.free / disk.total : 0;
        return (
          <div key={disk.place} class="disk">
            <span class="quiet">{disk.place}</span>
            <span class="gauge"><i class={used > FULL ? "bad" : ""} style={{ width: `${(100 * used).toFixed(1)}%` }} /></span>
            <span class={used > FULL ? "badly" : ""}>{t("system.free", { free: bytes(disk.free), total: bytes(disk.total) })}</span>
          </div>
        );
      })}
      <p>
        <span class="quiet">{t("bottom.recording")}</span>{" "}
        {recording.file ? <><b>{recording.file.split("/").pop()}</b> · {bytes(recording.written)}</> : t("bottom.notRecording")}
        {recording.lost > 0 && <span class="badly"> · {t("system.lost", { count: recording.lost })}</span>}
      </p>
    </section>
  );
}
