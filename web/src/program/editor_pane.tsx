/** Where the editor stands on the page. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { may, program } from "../cell";
import { t } from "../texts";
import { draft, file, opened } from "./open_file";
import { linesIn, runs } from "./run_state";
import { follows, theEditor } from "./the_editor";

export function EditorPane(): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const { host, editor } = theEditor();
  const now = program.value;
  const name = file.value?.name ?? "";
  // Lines that are typed in while the program runs would carry its marks to wrong places;
  // those that are typed before a draft is taken or thrown away would be kept over it.
  const locked = !may("programmer") || (runs(now) && now?.name === name) || draft.value !== null;
  const moving = linesIn(now, name).moving;
  useEffect(() => {
    place.current?.prepend(host);
    editor.view.requestMeasure();
    return () => host.remove();
  }, []);
  useEffect(() => editor.lock(locked), [locked, opened.value]);
  return (
    <div class="program-editor" ref={place}>
      {moving > 0 && !follows.value && (
        <button type="button" class="button would" data-follow onClick={() => editor.follow(true)}>{t("program.backTo", { line: moving })}</button>
      )}
    </div>
  );
}
