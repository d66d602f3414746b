/** What was done to a point, newest first. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { attempt } from "../cell";
import { type Key, t } from "../texts";
import { moment } from "../moment";
import { poseLine } from "./figures";
import type { PointChange } from "./taught";

const WORDS: Record<string, Key> = {
  taught: "teach.didTeach", "touched up": "teach.didTouchUp", renamed: "teach.didRename", deleted: "teach.didDelete", imported: "teach.didImport",
};

export function PointHistory({ name }: { readonly name: string }): JSX.Element {
  const [changes, setChanges] = useState<readonly PointChange[] | null>(null);
  useEffect(() => {
    void attempt(() => get<readonly PointChange[]>(`/points/history?name=${encodeURIComponent(name)}`)).then((found) => found && setChanges(found));
  }, [name]);
  if (!changes) return <p class="note quiet">…</p>;
  return (
    <ol class="history">
      {[...changes].reverse().map((each, number) => {
        const word = WORDS[each.what];
        return (
          <li key={number}>
            <b>{word ? t(word) : each.what}</b> <span class="quiet">{moment(each.at)} {t("teach.by")} {each.by}</span>
            {each.before && <div class="note quiet">{t("teach.was")} {each.before.name !== each.name && <b>{each.before.name} </b>}{poseLine(each.before)}</div>}
          </li>
        );
      })}
    </ol>
  );
}
