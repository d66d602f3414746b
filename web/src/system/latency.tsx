/** How punctual the cell is: how long each step of a tick takes, and what lies beyond it, as numbers and on one scale. */

import type { JSX } from "preact";
import { CATALOGUE, type Key, t } from "../texts";
import { grantedWords } from "./granted";
import { useLooked } from "./look_again";
import { linkStage, type Stage } from "./link_times";
import { LookedPart } from "./looked_part";
import { place } from "../moment";

interface Statistics {
  readonly stages: readonly Stage[];
  readonly beyond: readonly Stage[]; // outside the tick
  readonly ticks: number;
  readonly overruns: number;
  readonly lost: number;
  readonly granted: string;
  readonly period: number; // s: what takes longer than a tick is late
}

const EVERY = 2; // s
const QUANTILES = ["p50", "p99", "p999", "most"] as const;

export function Latency(): JSX.Element {
  const found = useLooked<Statistics>("/statistics", EVERY);
  return <LookedPart of={found}>{(statistics) => <Table statistics={statistics} />}</LookedPart>;
}

function Table({ statistics }: { readonly statistics: Statistics }): JSX.Element {
  return (
    <>
      <div class="row">
        <span class="pill">{t("system.ticks")} <b>{statistics.ticks.toLocaleString("en").replaceAll(",", " ")}</b></span>
        <span class={`pill ${statistics.overruns ? "bad" : ""}`}>{t("system.overruns")} <b>{statistics.overruns}</b></span>
        <span class={`pill ${statistics.lost ? "bad" : ""}`}>{t("system.lostRecords")} <b>{statistics.lost}</b></span>
      </div>
      <p class="quiet">{grantedWords(statistics.granted)}</p>
      <table class="plain latency" data-latency>
        <thead>
          <tr>
            <th>[µs]</th>
            {QUANTILES.map((each) => <th key={each} class={`number ${each}`}>{each === "p50" ? t("system.median") : each === "most" ? t("system.most") : each === "p999" ? "p99.9" : each}</th>)}
            <th class="scale"><span>0.1 µs</span><span>1 ms</span><span>1 s</span></th>
          </tr>
        </thead>
        <tbody>{statistics.stages.map((stage) => <Row key={stage.name} stage={stage} period={statistics.period} />)}</tbody>
        <tbody data-beyond>
          <tr><th colSpan={6}>{t("system.beyond")}</th></tr>
          {[...statistics.beyond, linkStage()].map((stage) => <Row key={stage.name} stage={stage} period={null} />)}
        </tbody>
      </table>
      <p class="quiet small">{t("system.latencyHow")}</p>
    </>
  );
}

const percent = (seconds: number): string => `${(100 * place(seconds)).toFixed(1)}%`;

/** One stage; with a period, what is longer than it is late. */
function Row({ stage, period }: { readonly stage: Stage; readonly period: number | null }): JSX.Element {
  const late = (seconds: number): boolean => period !== null && seconds > period;
  const key = `system.stage.${stage.name}`, name = key in CATALOGUE ? t(key as Key) : stage.name;
  const left = place(stage.p50), width = Math.max(0.012, place(stage.p99) - left);
  return (
    <tr>
      <td>{name}</td>
      {QUANTILES.map((each) => <td key={each} class={`number ${each} ${late(stage[each]) ? "badly" : ""}`}>{stage.count ? (stage[each] * 1e6).toFixed(stage[each] < 0.01 ? 1 : 0) : "—"}</td>)}
      <td>
        <span class="times" title={`${name}: ${stage.count}`}>
          {period !== null && <u style={{ left: percent(period) }} />}
          <s style={{ left: percent(stage.p50), width: `${(100 * Math.max(0, place(stage.most) - left)).toFixed(1)}%` }} />
          <i style={{ left: percent(stage.p50), width: `${(100 * width).toFixed(1)}%` }} />
          <b class={late(stage.most) ? "bad" : ""} style={{ left: percent(stage.most) }} />
        </span>
      </td>
    </tr>
  );
}
