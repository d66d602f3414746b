/** How well it goes, as bars and tables. */

import type { JSX } from "preact";
import { CATALOGUE, type Key, t } from "../texts";
import type { Matched, PartError, Stage } from "./imitation";
import { barOf, inOrderOfLimbs, partWords, sideOf } from "./part_errors";

/** How far each limb is off the person's. */
export function Errors({ errors }: { readonly errors: readonly PartError[] }): JSX.Element {
  return (
    <section class="part" data-errors={errors.length}>
      <h2>{t("imitate.errors")}</h2>
      {errors.length === 0 && <p class="note quiet">{t("imitate.noErrors")}</p>}
      {errors.length > 0 && (
        <div class="errors">
          {inOrderOfLimbs(errors).map((each) => {
            const bar = barOf(each);
            return (
              <div class="error" key={each.part} data-part={each.part}>
                <span>{partWords(each.part)}</span>
                <span class={`off ${sideOf(each.part)}`}><i style={{ width: `${(100 * bar.share).toFixed(1)}%` }} /></span>
                <b class="number">{bar.text} {bar.unit}</b>
              </div>
            );
          })}
        </div>
      )}
    </section>
  );
}

export function MatchTable({ matched }: { readonly matched: readonly Matched[] }): JSX.Element {
  return (
    <details class="part">
      <summary>{t("imitate.matching")} <span class="quiet">{matched.length}</span></summary>
      <table class="plain matched">
        <thead><tr><th>{t("imitate.part")}</th><th>{t("imitate.bones")}</th><th>{t("imitate.by")}</th></tr></thead>
        <tbody>
          {matched.map((each) => (
            <tr key={each.part}><td>{partWords(each.part)}</td><td class="bones">{each.bones}</td><td class="quiet">{known(`imitate.by.${each.how}`, each.how)}</td></tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const ms = (seconds: number): string => (1000 * seconds).toFixed(seconds < 0.01 ? 2 : 1);

export function LatencyTable({ stages }: { readonly stages: readonly Stage[] }): JSX.Element {
  return (
    <details class="part" data-latency>
      <summary>{t("imitate.latency")}</summary>
      {stages.length === 0 ? <p class="note quiet">{t("imitate.noLatency")}</p> : (
        <table class="plain">
          <thead><tr><th /><th class="number">{t("imitate.median")}</th><th class="number">p99</th><th class="number">{t("imitate.most")}</th></tr></thead>
          <tbody>
            {stages.map((each) => (
              <tr key={each.name}><td>{known(`imitate.stage.${each.name}`, each.name)}</td><td class="number">{ms(each.p50)}</td><td class="number">{ms(each.p99)}</td><td class="number">{ms(each.most)}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

const known = (key: string, otherwise: string): string => (key in CATALOGUE ? t(key as Key) : otherwise);
