/** Teach: points and paths, and programs made of them. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Choice } from "../parts/choice";
import { Paths } from "../teach/paths";
import { PointList } from "../teach/point_list";
import { Sequence } from "../teach/sequence";
import { recording } from "../teach/taught";
import { t } from "../texts";
import "./teach.css";

type Part = "points" | "paths" | "sequence";
const part = signal<Part>("points");

export function TeachPage(): JSX.Element {
  return (
    <div class="teaching">
      <Choice label={t("page.teach")} value={part.value} onChoose={(value) => (part.value = value)}
        of={[
          { value: "points", label: t("teach.points") },
          { value: "paths", label: recording.value ? `● ${t("teach.paths")}` : t("teach.paths") },
          { value: "sequence", label: t("teach.sequence") },
        ]} />
      {part.value === "points" ? <PointList /> : part.value === "paths" ? <Paths /> : <Sequence />}
    </div>
  );
}
