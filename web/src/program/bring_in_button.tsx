/** Choose a file to bring in; asks before it takes the place of a program. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "../texts";
import { bringIn, type Brought, readChosen } from "./bring_in";

interface Props {
  readonly language: "gcode" | "script"; // of a file whose name does not tell
  readonly onDone: () => void;
}

export function BringIn({ language, onDone }: Props): JSX.Element {
  const [asked, setAsked] = useState<Brought | null>(null);
  const [busy, setBusy] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const take = async (brought: Brought): Promise<void> => {
    setBusy(true);
    const done = await bringIn(brought);
    setBusy(false);
    setAsked(null);
    if (done) onDone();
  };
  const choose = async (chosen: File | undefined): Promise<void> => {
    setAsked(null);
    const brought = chosen ? await readChosen(chosen, language) : null;
    if (chooser.current) chooser.current.value = ""; // the same file can be chosen again
    if (!brought) return;
    if (brought.version === null) await take(brought);
    else setAsked(brought);
  };
  return (
    <>
      <label class="button program-bring">
        {t("program.bringIn")}
        <input ref={chooser} type="file" class="hidden-file" data-bring-in disabled={busy} onChange={(event) => void choose(event.currentTarget.files?.[0])} />
      </label>
      {asked && (
        <div class="program-notice bad" role="alertdialog" aria-label={t("program.bringIn")} data-replaces>
          <span>{t("program.reallyReplace", { name: asked.name })}</span>
          <button type="button" class="button bad" data-replace disabled={busy} onClick={() => void take(asked)}>{t("program.replace")}</button>
          <button type="button" class="button" disabled={busy} onClick={() => setAsked(null)}>{t("common.cancel")}</button>
        </div>
      )}
    </>
  );
}
