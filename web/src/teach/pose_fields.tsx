/** A pose as six fields, each with its unit in the head. */

import type { JSX } from "preact";
import { degrees, mm, type Pose } from "./figures";

const AXES = ["X", "Y", "Z"] as const;
const TURNS = ["A", "B", "C"] as const;

export function PoseFields({ pose }: { readonly pose: Pose }): JSX.Element {
  return (
    <div class="grid3 pose">
      {AXES.map((axis, place) => <Field key={axis} head={`${axis} mm`} text={mm(pose.xyz[place] ?? 0)} />)}
      {TURNS.map((axis, place) => <Field key={axis} head={`${axis} °`} text={degrees(pose.rpy[place] ?? 0)} />)}
    </div>
  );
}

function Field({ head, text }: { readonly head: string; readonly text: string }): JSX.Element {
  return <div class="field"><span>{head}</span>{text}</div>;
}
