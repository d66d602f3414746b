/** Who did what, the newest first. */

import type { JSX } from "preact";
import { t } from "../texts";
import { useLooked } from "./look_again";
import { LookedPart } from "./looked_part";
import { moment } from "./moment";

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
            {entries.map((entry, index) => (
              <tr key={index}><td class="quiet when">{moment(entry.at)}</td><td>{entry.who}</td><td>{entry.what}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </LookedPart>
  );
}
