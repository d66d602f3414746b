/** Lines of a width in px: the tool's trace, the path it would take, the nearest distance, axes, edges. */

import { Color, InstancedInterleavedBuffer, InterleavedBufferAttribute } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { AXES, nearLook, type Palette } from "./colours";
import type { Nearest } from "../messages";
import { pathSegments } from "./thinning";
import type { Preview } from "./shown";
import type { Trace } from "./trace";

const LINE_ORDER = 3;
const OVER_ORDER = 8; // over everything

interface Look {
  readonly color?: number;
  readonly width: number; // px
  readonly opacity?: number;
  readonly over?: boolean; // also seen through what is in front of it
  readonly dashed?: boolean;
  readonly colours?: boolean; // each segment has its own
}

/** Segments of one look. */
export class Lines extends LineSegments2 {
  override material: LineMaterial;

  constructor(look: Look) {
    const material = new LineMaterial({
      linewidth: look.width, transparent: true, opacity: look.opacity ?? 1, depthTest: !look.over, depthWrite: false,
      vertexColors: look.colours ?? false, dashed: look.dashed ?? false,
    }); // prettier-ignore
    if (look.color !== undefined) material.color.set(look.color);
    super(new LineSegmentsGeometry(), material);
    this.material = material;
    this.frustumCulled = false;
    this.visible = false;
    this.renderOrder = look.over ? OVER_ORDER : LINE_ORDER;
  }

  /** Six numbers a segment [m]; another geometry is made, so this is for what changes seldom. */
  draw(segments: Float32Array, colours?: Float32Array): void {
    this.geometry.dispose();
    this.geometry = new LineSegmentsGeometry();
    this.visible = segments.length > 0;
    if (!this.visible) return;
    this.geometry.setPositions(segments);
    if (colours) this.geometry.setColors(colours);
    if (this.material.dashed) this.computeLineDistances();
  }

  dispose(): void {
    this.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }
}

/** The tool's way, drawn out of the trace's own numbers. */
export class TraceLine extends Lines {
  private readonly buffer: InstancedInterleavedBuffer;

  constructor(private readonly trace: Trace) {
    super({ width: 1.8, opacity: 0.9 });
    this.buffer = new InstancedInterleavedBuffer(trace.segments, 6, 1);
    this.geometry.setAttribute("instanceStart", new InterleavedBufferAttribute(this.buffer, 3, 0));
    this.geometry.setAttribute("instanceEnd", new InterleavedBufferAttribute(this.buffer, 3, 3));
  }

  refresh(shown: boolean): void {
    this.visible = shown && this.trace.count > 0;
    this.geometry.instanceCount = this.trace.count;
    this.buffer.needsUpdate = true;
  }
}

/** Where the tool would go: dashed, the chosen line of the program brighter. */
export class PathLine {
  readonly rest = new Lines({ width: 2, dashed: true, opacity: 0.85 });
  readonly chosen = new Lines({ width: 3.2, opacity: 1 });

  constructor(size: number) {
    this.rest.material.dashSize = 0.014 * size;
    this.rest.material.gapSize = 0.01 * size;
  }

  show(preview: Preview | null): void {
    const segments = preview && preview.points.length > 1 ? pathSegments(preview) : null;
    this.rest.draw(segments?.rest ?? new Float32Array());
    this.chosen.draw(segments?.chosen ?? new Float32Array());
  }

  dress(palette: Palette): void {
    this.rest.material.color.set(palette.path);
    this.chosen.material.color.set(palette.chosen);
  }

  dispose(): void {
    this.rest.dispose();
    this.chosen.dispose();
  }
}

/** Between the two nearest parts. */
export class NearestLine extends Lines {
  private readonly ends = new Float32Array(6);
  private readonly buffer = new InstancedInterleavedBuffer(this.ends, 6, 1);

  constructor() {
    super({ width: 1.6, over: true });
    this.geometry.setAttribute("instanceStart", new InterleavedBufferAttribute(this.buffer, 3, 0));
    this.geometry.setAttribute("instanceEnd", new InterleavedBufferAttribute(this.buffer, 3, 3));
    this.geometry.instanceCount = 1;
  }

  show(nearest: Nearest | null, palette: Palette): boolean {
    const look = nearest ? nearLook(nearest.distance) : "none";
    this.visible = nearest !== null && look !== "none";
    if (!nearest || look === "none") return false;
    this.material.color.set(palette[look]);
    for (let at = 0; at < 3; at++) {
      this.ends[at] = nearest.at_a[at] ?? 0;
      this.ends[at + 3] = nearest.at_b[at] ?? 0;
    }
    this.buffer.needsUpdate = true;
    return true;
  }
}

/** Three axes of a length [m]. */
export function axes(length: number, over: boolean): Lines {
  const lines = new Lines({ width: over ? 2.6 : 2, over, colours: true });
  const ends = new Float32Array(18), colours = new Float32Array(18), colour = new Color();
  AXES.forEach((hex, axis) => {
    ends[6 * axis + 3 + axis] = length;
    colour.set(hex).toArray(colours, 6 * axis);
    colour.toArray(colours, 6 * axis + 3);
  });
  lines.draw(ends, colours);
  return lines;
}
