/** Limits of the workspace as numbers that are typed, in millimetres; metres inside. */

import type { Key } from "../texts";

/** Where the tool may be (GET /workspace): metres, in the world. */
export interface Workspace {
  readonly box_min: readonly number[] | null;
  readonly box_max: readonly number[] | null;
  readonly planes: readonly { readonly point: readonly number[]; readonly normal: readonly number[] }[];
  readonly tool_speed: number | null; // m/s
}

/** As it is typed. A plane's normal has no unit. */
export interface WorkspaceForm {
  readonly box: { readonly low: readonly string[]; readonly high: readonly string[] } | null;
  readonly planes: readonly { readonly point: readonly string[]; readonly normal: readonly string[] }[];
  readonly speed: string; // mm/s; "" for no limit
}

export type FormProblem = { readonly text: Key; readonly where: string };

const trimmed = (value: number): string => String(Number(value.toFixed(3)));
const millimetres = (values: readonly number[]): string[] => values.map((value) => trimmed(value * 1000));

export function formOf(space: Workspace): WorkspaceForm {
  return {
    box: space.box_min && space.box_max ? { low: millimetres(space.box_min), high: millimetres(space.box_max) } : null,
    planes: space.planes.map((plane) => ({ point: millimetres(plane.point), normal: plane.normal.map((value) => String(Number(value.toFixed(6)))) })),
    speed: space.tool_speed === null ? "" : trimmed(space.tool_speed * 1000),
  };
}

/** A number that was typed, with a point or a comma; NaN for something else. */
export function typed(text: string): number {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
}

/** What was typed in metres, or what is wrong with it. */
export function workspaceOf(form: WorkspaceForm): Workspace | FormProblem {
  const metres = (texts: readonly string[]): number[] => texts.map((text) => typed(text) / 1000);
  const low = form.box && metres(form.box.low), high = form.box && metres(form.box.high);
  if (low && high) {
    if ([...low, ...high].some(Number.isNaN)) return { text: "system.notNumber", where: "box" };
    if (low.some((value, axis) => !(value < high[axis]!))) return { text: "system.boxEmpty", where: "box" };
  }
  const planes = form.planes.map((plane) => ({ point: metres(plane.point), normal: plane.normal.map(typed) }));
  for (const [index, plane] of planes.entries()) {
    if ([...plane.point, ...plane.normal].some(Number.isNaN)) return { text: "system.notNumber", where: `plane${index}` };
    if (Math.hypot(...plane.normal) < 1e-6) return { text: "system.noNormal", where: `plane${index}` };
  }
  const speed = form.speed.trim() === "" ? null : typed(form.speed) / 1000;
  if (speed !== null && !(speed > 0)) return { text: "system.badSpeed", where: "speed" };
  return { box_min: low, box_max: high, planes, tool_speed: speed };
}

export function isProblem(found: Workspace | FormProblem): found is FormProblem {
  return "where" in found;
}
