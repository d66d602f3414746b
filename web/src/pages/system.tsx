/** System: how the cell is, how punctual, what went wrong, what happened; recordings, back-up and the limits of the workspace. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { may, status } from "../cell";
import { AlarmList } from "../system/alarm_list";
import { BackUp } from "../system/back_up";
import { Latency } from "../system/latency";
import { Log } from "../system/log";
import { Overview } from "../system/overview";
import { RecordingList } from "../system/recording_list";
import { WorkspaceLimits } from "../system/workspace_limits";
import { type Key, t } from "../texts";
import "./system.css";

const TABS = {
  overview: Overview, latency: Latency, alarms: AlarmList, log: Log, recordings: RecordingList, backup: BackUp, workspace: WorkspaceLimits,
} as const;
type Tab = keyof typeof TABS;
const ADMINISTRATORS = new Set<Tab>(["backup", "workspace"]);

const tab = signal<Tab>("overview");

export function SystemPage(): JSX.Element {
  const unseen = status.value?.alarms ?? 0;
  // Who opens this page while there are alarms comes for them.
  const known = status.value !== null;
  useEffect(() => {
    if (unseen) tab.value = "alarms";
  }, [known]);
  const names = (Object.keys(TABS) as Tab[]).filter((each) => !ADMINISTRATORS.has(each) || may("administrator"));
  const here = names.includes(tab.value) ? tab.value : "overview", Here = TABS[here];
  return (
    <div class="system-page">
      <div class="choice tabs" role="tablist" aria-label={t("page.system")}>
        {names.map((each) => (
          <button key={each} type="button" role="tab" data-tab={each} aria-selected={each === here} aria-pressed={each === here} onClick={() => (tab.value = each)}>
            {t(`system.tab.${each}` as Key)}{each === "alarms" && unseen > 0 && <b class="count">{unseen}</b>}
          </button>
        ))}
      </div>
      <Here key={here} />
    </div>
  );
}
