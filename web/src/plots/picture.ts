/** What is seen as a file: the plots as one PNG, or as CSV. */

import { scale } from "../parts/scale";
import type { Palette } from "./colours";

export interface Shot {
  readonly canvas: HTMLCanvasElement;
  readonly title: string;
  readonly note: string;
}

const HEAD = 24; // px above each plot

/** All plots below each other, with their heads, on the page's ground. */
export async function png(shots: readonly Shot[], palette: Palette): Promise<Blob | null> {
  const ratio = (window.devicePixelRatio || 1) * scale(), head = HEAD * ratio;
  const whole = document.createElement("canvas");
  whole.width = Math.max(1, ...shots.map((shot) => shot.canvas.width));
  whole.height = shots.reduce((sum, shot) => sum + shot.canvas.height + head, 0) || 1;
  const context = whole.getContext("2d");
  if (!context) return null;
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, whole.width, whole.height);
  context.textBaseline = "middle";
  let top = 0;
  for (const shot of shots) {
    context.font = `700 ${13 * ratio}px Inter, "DejaVu Sans", "Noto Sans CJK SC", system-ui, sans-serif`;
    context.fillStyle = palette.text;
    context.textAlign = "left";
    context.fillText(shot.title, 10 * ratio, top + head / 2);
    context.fillStyle = palette.quiet;
    context.textAlign = "right";
    context.fillText(shot.note, whole.width - 10 * ratio, top + head / 2);
    context.drawImage(shot.canvas, 0, top + head);
    top += shot.canvas.height + head;
  }
  return new Promise((done) => whole.toBlob(done, "image/png"));
}

/** Hand a file to whoever sits here. */
export function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A file's name with the moment in it. */
export function stamped(name: string, ending: string, at = new Date()): string {
  const moment = at.toISOString().slice(0, 19).replaceAll(":", "-").replace("T", "_");
  return `${name.replace(/[^\w.-]+/g, "-")}_${moment}.${ending}`;
}
