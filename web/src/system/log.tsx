/** What has happened to the robot, the newest first, and only what holds a word that was typed. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { spoken } from "../spoken";
import { CATALOGUE, type Key, t } from "../texts";
import { eventName, type Happened, rowsOf } from "./happened";
import { useLooked } from "./look_again";
import { LookedPart } from "./looked_part";
import { moment } from "../moment";

export function Log(): JSX.Element {
  const found = useLooked<readonly Happened[]>("/logs?most=1000", 2);
  const [word, setWord] = useState("");
  const wanted = word.trim().toLowerCase();
  return (
    <>
      <input class="text" type="search" aria-label={t("system.search")} placeholder={t("system.search")} value={word} onInput={(event) => setWord(event.currentTarget.value)} />
      <LookedPart of={found}>
        {(all) => {
          const shown = rowsOf(all.filter((each) => `${each.event} ${eventName(each.event)} ${each.state} ${each.text} ${spoken(each.text)}`.toLowerCase().includes(wanted)));
          const worded = shown.some((each) => each.text !== ""); // a column of nothing says nothing
          if (shown.length === 0) return <p class="quiet">{all.length ? t("system.notFound") : t("system.nothingHappened")}</p>;
          return (
            <table class="plain" data-log>
              <thead><tr><th>{t("system.when")}</th><th>{t("system.event")}</th><th>{t("system.state")}</th>{worded && <th>{t("users.what")}</th>}</tr></thead>
              <tbody>
                {shown.map((each) => (
                  <tr key={`${each.time}${each.event}${each.text}`}>
                    <td class="quiet when">{each.at ? moment(each.at) : each.time.toFixed(3)}</td>
                    <td class={each.event === "FAULT" ? "badly" : ""}>{eventName(each.event)}{each.times > 1 && <span class="quiet"> ×{each.times}</span>}</td>
                    <td class="quiet">{`state.${each.state}` in CATALOGUE ? t(`state.${each.state}` as Key) : each.state}</td>
                    {worded && <td>{spoken(each.text)}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </LookedPart>
    </>
  );
}
