/** The page program: a file in the editor with its problems, what runs of it, and one typed line. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { program } from "../cell";
import { FileChips, RunChips } from "../program/chips";
import { beginLooking } from "../program/checking";
import { ConflictNotice, DraftNotice } from "../program/conflict_notice";
import { EditorPane } from "../program/editor_pane";
import { FileList } from "../program/file_list";
import { Mdi } from "../program/mdi";
import { file, openFirst } from "../program/open_file";
import { HowItStands, RunButtons } from "../program/run_buttons";
import { runs } from "../program/run_state";
import { t } from "../texts";
import "./program.css";

export function ProgramPage(): JSX.Element {
  const [lists, setLists] = useState(false);
  useEffect(() => {
    const now = program.peek();
    if (!file.peek()) void openFirst(runs(now) && now ? now.name : "");
    return beginLooking();
  }, []);
  return (
    <div class="program">
      <FileChips onList={() => setLists(!lists)} />
      <DraftNotice />
      <ConflictNotice />
      {lists ? <FileList onDone={() => setLists(false)} /> : file.value ? <EditorPane /> : <div class="program-editor empty"><p class="quiet">{t("program.noneOpen")}</p></div>}
      <RunChips />
      <HowItStands />
      <RunButtons />
      <Mdi />
    </div>
  );
}
