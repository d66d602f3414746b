/** What needs a choice before typing goes on: a draft that was kept, or a file that somebody else saved meanwhile. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { moment } from "../moment";
import { t } from "../texts";
import { difference } from "./difference";
import { conflict, draft, dropOffered, file, settle, takeDraft } from "./open_file";

export function DraftNotice(): JSX.Element | null {
  const offered = draft.value;
  if (!offered) return null;
  const at = moment(offered.at);
  const other = offered.version !== file.value?.version;
  return (
    <div class="program-notice" role="status" data-draft>
      <span>{t("program.draft", { at })}{other && ` ${t("program.draftOld")}`}</span>
      <button type="button" class="button do" onClick={takeDraft}>{t("program.takeUp")}</button>
      <button type="button" class="button" onClick={dropOffered}>{t("program.throwAway")}</button>
    </div>
  );
}

const MOST = 200; // lines that are shown of a difference

export function ConflictNotice(): JSX.Element | null {
  const both = conflict.value;
  const [looks, setLooks] = useState(false);
  if (!both) return null;
  const found = looks ? difference(both.mine, both.theirs.text) : null;
  return (
    <div class="program-notice bad" role="alert" data-conflict>
      <span>{t("program.conflict", { name: both.theirs.name })}</span>
      <button type="button" class="button" aria-pressed={looks} onClick={() => setLooks(!looks)}>{t("program.lookAt")}</button>
      <button type="button" class="button" onClick={() => void settle("theirs")}>{t("program.takeTheirs")}</button>
      <button type="button" class="button bad" onClick={() => void settle("mine")}>{t("program.takeOver")}</button>
      <button type="button" class="button" onClick={() => (conflict.value = null)}>{t("common.cancel")}</button>
      {found && (
        <div class="program-difference" tabIndex={0}>
          <p class="quiet">{t("program.differsFrom", { line: found.line })}</p>
          <pre class="mine" aria-label={t("program.mine")}>{found.mine.slice(0, MOST).map((each) => `− ${each}\n`)}</pre>
          <pre class="theirs" aria-label={t("program.theirs")}>{found.theirs.slice(0, MOST).map((each) => `+ ${each}\n`)}</pre>
        </div>
      )}
    </div>
  );
}
