/** Who did what, the newest first. */

import type { JSX } from "preact";
import { spoken } from "../spoken";
import { t } from "../texts";
import { together } from "./happened";
import { useLooked } from "./look_again";
import { LookedPart } from "./looked_part";
import { moment } from "../moment";

interface Entry {
  readonly at: string;
  readonly who: string;
  readonly what: string;
}

export function AuditTrail(): JSX.Element {
  const found = useLooked<readonly Entry[]>("/audit?most=500", 5);
  return (
    <LookedPart of={found}>
      {(entries) => (
        <table class="plain" data-audit>
          <thead><tr><th>{t("system.when")}</th><th>{t("users.who")}</th><th>{t("users.what")}</th></tr></thead>
          <tbody>
            {together(entries, (each) => `${each.who} ${each.what}`, (each) => Date.parse(each.at) / 1000).map((entry, index) => (
              <tr key={index}><td class="quiet when">{moment(entry.at)}</td><td class="who">{spoken(entry.who)}</td><td>{spoken(entry.what)}{entry.times > 1 && <span class="quiet"> ×{entry.times}</span>}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </LookedPart>
  );
}
