/** Words beside what is drawn: elements of the page over the canvas, so that they are sharp however coarse the picture is. */

import { Vector3, type Camera, type Object3D } from "three";
import { type Covered, LED, type PlacedLabel, placeLabels } from "./label_places";

export interface Label extends PlacedLabel {
  readonly element: HTMLElement;
  readonly at: Object3D | Vector3; // in the world
  wanted: boolean;
  text: string;
}

export class Labels {
  private all: Label[] = [];
  private readonly point = new Vector3();

  constructor(private readonly host: HTMLElement) {}

  /** A label; those that matter more (`first`) keep their place where it is crowded. */
  add(text: string, at: Object3D | Vector3, first = false): Label {
    const element = document.createElement("span");
    element.hidden = true;
    this.host.append(element);
    const label: Label = { element, at, wanted: true, text: "", shown: false, x: 0, y: 0, width: 0, height: 0, side: 0, left: 0, top: 0 };
    this.write(label, text);
    if (first) this.all.unshift(label);
    else this.all.push(label);
    return label;
  }

  write(label: Label, text: string): void {
    if (label.text === text) return;
    label.text = text;
    label.element.textContent = text;
    label.width = 0; // to be measured
  }

  remove(label: Label): void {
    label.element.remove();
    this.all = this.all.filter((each) => each !== label);
  }

  /** Put every label where it belongs, beside what is covered [px]. Poses must be up to date. */
  place(camera: Camera, width: number, height: number, covered: Covered): void {
    for (let number = 0; number < this.all.length; number++) {
      const label = this.all[number]!;
      const seen = label.wanted && this.sees(label, camera, width, height);
      if (label.shown === seen && !seen) continue;
      label.shown = seen;
      label.element.hidden = !seen;
      if (seen && label.width === 0) {
        label.width = label.element.offsetWidth;
        label.height = label.element.offsetHeight;
      }
    }
    placeLabels(this.all, width, height, covered);
    for (let number = 0; number < this.all.length; number++) {
      const label = this.all[number]!;
      if (label.shown) move(label);
    }
  }

  dispose(): void {
    this.host.replaceChildren();
    this.all = [];
  }

  private sees(label: Label, camera: Camera, width: number, height: number): boolean {
    const point = this.point;
    if (label.at instanceof Vector3) point.copy(label.at);
    else if (label.at.visible) point.setFromMatrixPosition(label.at.matrixWorld);
    else return false;
    point.project(camera);
    label.x = ((point.x + 1) / 2) * width;
    label.y = ((1 - point.y) / 2) * height;
    return point.z < 1 && Math.abs(point.x) <= 1 && Math.abs(point.y) <= 1;
  }
}

/** A thin line to what a label names, where it stands away from it. */
function lead(label: Label): void {
  const right = label.left >= label.x, below = label.top >= label.y;
  const fromX = right ? 0 : label.width, fromY = below ? 2 : label.height - 2; // the corner that is nearest
  const x = label.x - label.left - fromX, y = label.y - label.top - fromY, length = Math.hypot(x, y);
  const { style } = label.element;
  style.setProperty("--lead", length > LED ? `${length.toFixed(0)}px` : "0px");
  style.setProperty("--lead-x", `${fromX}px`);
  style.setProperty("--lead-y", `${fromY}px`);
  style.setProperty("--lead-turn", `${Math.atan2(y, x).toFixed(3)}rad`);
}

const drawn = new WeakMap<Label, { left: number; top: number; x: number; y: number }>();

/** Only where it went elsewhere: the page is laid out anew otherwise. */
function move(label: Label): void {
  let last = drawn.get(label);
  if (!last) drawn.set(label, (last = { left: Number.NaN, top: Number.NaN, x: Number.NaN, y: Number.NaN }));
  if (last.left === label.left && last.top === label.top && last.x === label.x && last.y === label.y) return;
  Object.assign(last, { left: label.left, top: label.top, x: label.x, y: label.y });
  label.element.style.transform = `translate(${label.left}px, ${label.top}px)`;
  lead(label);
}
