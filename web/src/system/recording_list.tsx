/** Recordings: to look at, to take along, to delete. */

import type { JSX } from "preact";
import { remove } from "../api";
import { attempt, may } from "../cell";
import { open } from "../pages";
import { openRecording, type RecordingEntry } from "../plots/recording";
import { t } from "../texts";
import { useLooked } from "./look_again";
import { LookedPart } from "./looked_part";
import { bytes, moment } from "../moment";
import { SureButton } from "./sure_button";

export function RecordingList(): JSX.Element {
  const found = useLooked<readonly RecordingEntry[]>("/recordings", 10);
  return (
    <LookedPart of={found}>
      {(recordings) => (
        <>
          <p class="quiet">{t(recordings.length === 1 ? "system.recordingSum" : "system.recordingsSum", { count: recordings.length, size: bytes(recordings.reduce((sum, each) => sum + each.size, 0)) })}</p>
          <div class="list">
            {recordings.map((each) => <Item key={each.name} recording={each} onChange={found.again} />)}
            {recordings.length === 0 && <p class="quiet">{t("system.noRecordings")}</p>}
          </div>
        </>
      )}
    </LookedPart>
  );
}

interface Props {
  readonly recording: RecordingEntry;
  readonly onChange: () => void;
}

function Item({ recording, onChange }: Props): JSX.Element {
  const query = `?name=${encodeURIComponent(recording.name)}`;
  const look = async (): Promise<void> => {
    const done = await attempt(async () => (await openRecording(recording.name), true));
    if (done) open("plots");
  };
  const discard = async (): Promise<void> => {
    await attempt(() => remove(`/recordings${query}`));
    onChange();
  };
  return (
    <div class="card recording" data-recording={recording.name}>
      <div class="row">
        <b class="name" title={recording.name}>{recording.robot} · {moment(recording.at)}</b>
        <span class="space" />
        {recording.written && <span class="goodly">● {t("system.isWritten")}</span>}
        <span class="quiet">{bytes(recording.size)}</span>
      </div>
      <div class="row">
        <button type="button" class="button" onClick={() => void look()}>{t("system.plot")}</button>
        <a class="button" href={`/api/recordings/file${query}`} download={recording.name}>{t("system.download")}</a>
        <span class="space" />
        {may("programmer") && !recording.written && <SureButton question={t("system.sureDelete")} onSure={() => void discard()}>{t("common.delete")}</SureButton>}
      </div>
    </div>
  );
}
