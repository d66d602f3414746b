/** Where the robot would be: blue, translucent copies of it. */

import { Color, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, type Object3D } from "three";
import type { Palette } from "./colours";
import type { RobotModel, Skeleton } from "./robot_model";
import type { Ghost } from "./shown";

const MOST = 16; // copies that are drawn at once
/** After the lines, so that these are seen through a ghost; first its depth alone, so that nothing within it shows. */
const DEPTH_ORDER = 5;
const COLOUR_ORDER = 6;
/** Where a ghost's surface is the robot's (a joint turns a round link in itself), the robot is seen. */
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 } as const;

interface Part {
  readonly here: Object3D; // link of the ghost
  readonly real: Object3D; // the same link of the robot
  readonly depth: Mesh;
  readonly colour: Mesh;
}

interface Copy {
  readonly skeleton: Skeleton;
  readonly parts: readonly Part[];
}

export class Ghosts {
  readonly group = new Group();
  private readonly copies: Copy[] = [];
  private readonly depth = new MeshBasicMaterial({ colorWrite: false, ...BEHIND });
  private readonly chosen = look();
  private readonly other = look();

  constructor(
    private readonly model: RobotModel,
    palette: Palette,
  ) {
    this.dress(palette);
  }

  dress(palette: Palette): void {
    for (const [material, opacity] of [[this.chosen, palette.ghostOpacity], [this.other, palette.othersOpacity]] as const) {
      material.color.set(palette.ghost);
      material.emissive.copy(new Color(palette.ghost)).multiplyScalar(0.35);
      material.opacity = opacity;
    }
  }

  /** Show a ghost and its fainter others, or none. */
  show(ghost: Ghost | null): void {
    const wanted = ghost ? [ghost.q, ...(ghost.others ?? [])].slice(0, MOST) : [];
    wanted.forEach((q, number) => {
      const copy = (this.copies[number] ??= this.another(number === 0));
      copy.skeleton.root.visible = true;
      copy.skeleton.place(q);
    });
    for (const copy of this.copies.slice(wanted.length)) copy.skeleton.root.visible = false;
  }

  /** The one that is chosen, while it is shown. */
  get first(): Skeleton | undefined {
    const skeleton = this.copies[0]?.skeleton;
    return skeleton?.root.visible ? skeleton : undefined;
  }

  /** Hide the links that stand where the robot's own do: they would only flicker. Poses must be up to date. */
  hideWhatIsSame(): void {
    for (let number = 0; number < this.copies.length; number++) {
      const { skeleton, parts } = this.copies[number]!;
      if (!skeleton.root.visible) continue;
      for (let at = 0; at < parts.length; at++) {
        const part = parts[at]!;
        part.depth.visible = part.colour.visible = !same(part.here, part.real);
      }
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const material of [this.depth, this.chosen, this.other]) material.dispose();
  }

  private another(chosen: boolean): Copy {
    const skeleton = this.model.skeleton();
    const parts: Part[] = [];
    for (const { link, whole } of this.model.shells) {
      const here = skeleton.link(link.name);
      if (!here) continue;
      const depth = new Mesh(whole, this.depth), colour = new Mesh(whole, chosen ? this.chosen : this.other);
      depth.renderOrder = DEPTH_ORDER;
      colour.renderOrder = COLOUR_ORDER;
      here.add(depth, colour);
      parts.push({ here, real: link, depth, colour });
    }
    this.group.add(skeleton.root);
    return { skeleton, parts };
  }
}

function look(): MeshLambertMaterial {
  return new MeshLambertMaterial({ transparent: true, depthWrite: false, ...BEHIND });
}

function same(a: Object3D, b: Object3D): boolean {
  const p = a.matrixWorld.elements, q = b.matrixWorld.elements;
  for (let at = 0; at < 15; at++) if (Math.abs(p[at]! - q[at]!) > 5e-4) return false;
  return true;
}
