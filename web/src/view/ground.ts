/** What the robot stands on: a grid that fades away, and the robot's shadow. */

import { BufferAttribute, BufferGeometry, CircleGeometry, Group, LineBasicMaterial, LineSegments, Mesh, ShadowMaterial } from "three";
import type { Palette } from "./colours";

const PIECES = 24; // of a grid line, each with its own opacity

export class Ground {
  readonly group = new Group();
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly shadow: Mesh<CircleGeometry, ShadowMaterial>;

  /** @param size of what stands on it [m] */
  constructor(size: number) {
    const cell = size > 3 ? 1 : size > 0.7 ? 0.25 : 0.1;
    const reach = cell * Math.ceil((2.2 * size) / cell);
    this.lines = new LineSegments(fadingGrid(cell, reach), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.shadow = new Mesh(new CircleGeometry(size, 48), new ShadowMaterial({ depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.shadow.position.z = -0.001;
    this.shadow.renderOrder = -2;
    this.lines.renderOrder = -1;
    this.group.add(this.lines, this.shadow);
  }

  /** Whether the shadow is seen on it. */
  set shaded(shaded: boolean) {
    this.shadow.visible = shaded;
  }

  dress(palette: Palette): void {
    this.lines.material.color.set(palette.grid);
    this.lines.material.opacity = palette.gridOpacity;
    this.shadow.material.opacity = palette.shadowOpacity;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const part of [this.lines, this.shadow]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

/** Lines both ways, each opaque in the middle and gone at `reach` [m]. */
function fadingGrid(cell: number, reach: number): BufferGeometry {
  const places: number[] = [], colours: number[] = [];
  const corner = (x: number, y: number): void => {
    const away = Math.min(1, Math.hypot(x, y) / reach);
    places.push(x, y, 0);
    colours.push(1, 1, 1, (1 - away) ** 1.6);
  };
  for (let across = -reach; across <= reach + cell / 2; across += cell) {
    for (let piece = 0; piece < PIECES; piece++) {
      const from = reach * ((2 * piece) / PIECES - 1), to = reach * ((2 * (piece + 1)) / PIECES - 1);
      corner(from, across);
      corner(to, across);
      corner(across, from);
      corner(across, to);
    }
  }
  const grid = new BufferGeometry();
  grid.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  grid.setAttribute("color", new BufferAttribute(new Float32Array(colours), 4));
  return grid;
}
