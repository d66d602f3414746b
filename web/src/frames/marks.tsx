/** Where the joints' marks are: a number for each. */

import type { JSX } from "preact";
import { robot } from "../cell";
import { marks, work } from "./calibration";

const DEGREE = Math.PI / 180;

export function MarksFields(): JSX.Element {
  const set = (number: number, text: string, unit: "rad" | "m"): void => {
    const value = Number(text.replace(",", ".").replace("\u2212", "-"));
    if (!Number.isFinite(value)) return;
    marks.value = marks.value.map((each, place) => (place === number ? value * (unit === "m" ? 1e-3 : DEGREE) : each));
    void work("zeros");
  };
  return (
    <div class="grid3">
      {robot.value?.joints.map((joint, number) => (
        <label key={joint.name} class="field">
          <span>{joint.name} {joint.unit === "m" ? "mm" : "°"}</span>
          <input inputMode="decimal" value={String(Number(((marks.value[number] ?? 0) / (joint.unit === "m" ? 1e-3 : DEGREE)).toFixed(4)))}
            onChange={(event) => set(number, event.currentTarget.value, joint.unit)} />
        </label>
      ))}
    </div>
  );
}
