/** Alarms: what went wrong, which joint, by how much, and what to do. */

import type { JSX } from "preact";
import { post } from "../api";
import { alarms, attempt, may, robot, status } from "../cell";
import type { Alarm } from "../messages";
import { type JointUnit } from "../plots/quantities";
import { jointLabel } from "../joint_names";
import { spoken } from "../spoken";
import { CATALOGUE, type Key, t } from "../texts";
import { amount } from "./amount";
import { moment } from "../moment";

export function AlarmList(): JSX.Element {
  const found = alarms.value, unseen = status.value?.alarms ?? 0;
  return (
    <>
      <div class="row">
        <span class={unseen ? "badly" : "goodly"}>● {unseen ? t("system.unseen", { count: unseen }) : t("system.noneUnseen")}</span>
        <span class="space" />
        <button type="button" class={`button ${unseen ? "do" : ""}`} data-seen disabled={!unseen || !may("operator")} onClick={() => void attempt(() => post("/alarms/seen"))}>
          {t("system.seen")}
        </button>
      </div>
      <div class="list">
        {found.map((alarm, index) => <AlarmItem key={alarm.number} alarm={alarm} fresh={index < unseen} />)}
        {found.length === 0 && <p class="quiet">{t("system.noAlarms")}</p>}
      </div>
    </>
  );
}

/** What an alarm is about, in words where the page has some. */
const about = (cause: string): string => (`alarm.${cause}` in CATALOGUE ? t(`alarm.${cause}` as Key) : cause);

function AlarmItem({ alarm, fresh }: { readonly alarm: Alarm; readonly fresh: boolean }): JSX.Element {
  const unit: JointUnit = robot.value?.joints.find((joint) => joint.name === alarm.joint)?.unit ?? "rad";
  return (
    <article class={`card alarm ${fresh ? "fresh" : ""}`} data-alarm={alarm.number}>
      <header class="row">
        <strong class={fresh ? "badly" : ""}>{about(alarm.cause)}{alarm.joint && ` · ${jointLabel(alarm.joint)}`}</strong>
        <span class="space" />
        <time class="quiet" dateTime={alarm.at}>{moment(alarm.at)}</time>
      </header>
      <p>{spoken(alarm.text)}</p>
      {(Boolean(alarm.value) || Boolean(alarm.limit)) && (
        <p class="row">
          <span><span class="quiet">{t("system.value")}</span> <b>{amount(alarm.cause, alarm.value, unit)}</b></span>
          <span><span class="quiet">{t("system.limit")}</span> <b>{amount(alarm.cause, alarm.limit, unit)}</b></span>
        </p>
      )}
      <p><span class="quiet">{t("system.remedy")}</span> {spoken(alarm.remedy)}</p>
    </article>
  );
}
