/** Obstacles in grey, and the edges of where the tool may be in red. */

import {
  Box3,
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  type Object3D,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { fetchRaw } from "../api";
import { type Palette, RED } from "./colours";
import { Lines } from "./lines";
import { meshLoader } from "./robot_model";
import type { Workspace, World, WorldObject } from "./world";

export class Surroundings {
  readonly group = new Group();
  readonly limits = new Group(); // of the workspace, so that they can be hidden
  private readonly grey = new MeshLambertMaterial();
  private readonly red = new MeshLambertMaterial({ color: RED });
  private readonly pane = new MeshBasicMaterial({ transparent: true, depthWrite: false, side: 2 });
  private readonly edges: Lines[] = [];
  private gone = false;
  private typed = false;

  constructor(
    private readonly world: World,
    private readonly size: number, // of the robot [m]
    private readonly loaded: () => void, // a mesh came later: draw again
  ) {
    this.group.add(this.limits);
    for (const object of world.objects) this.group.add(this.obstacle(object));
    this.workspace(world.workspace, world.base.xyz);
  }

  /** Limits as somebody types them, as what would be; null for those that hold. */
  showLimits(typed: Workspace | null, palette: Palette): void {
    this.limits.traverse((part) => part instanceof Mesh && part.geometry.dispose());
    for (const edge of this.edges.splice(0)) edge.dispose();
    this.limits.clear();
    this.typed = typed !== null;
    this.workspace(typed ?? this.world.workspace, this.world.base.xyz);
    this.dress(palette);
  }

  /** How far what is drawn may be from the middle of the robot's box [m]; the ground is wider than the rest as a rule. */
  reach(robot: Box3): number {
    const all = new Box3().setFromObject(this.group).union(robot);
    const middle = robot.getCenter(new Vector3());
    return 3.5 * this.size + Math.max(all.max.distanceTo(middle), all.min.distanceTo(middle));
  }

  /** Obstacles of these names in red, the others grey. */
  redden(names: readonly string[]): void {
    for (const object of this.group.children) {
      if (object === this.limits) continue;
      const material = names.includes(object.name) ? this.red : this.grey;
      object.traverse((part) => part instanceof Mesh && (part.material = material));
    }
  }

  dress(palette: Palette): void {
    this.grey.color.set(palette.obstacle);
    const colour = this.typed ? palette.path : palette.limit;
    this.pane.color.set(colour);
    this.pane.opacity = palette.limitOpacity * 0.06;
    for (const edge of this.edges) {
      edge.material.color.set(colour);
      edge.material.opacity = palette.limitOpacity;
    }
  }

  dispose(): void {
    this.gone = true;
    this.group.removeFromParent();
    this.group.traverse((part) => part instanceof Mesh && part.geometry.dispose());
    for (const edge of this.edges) edge.dispose();
    for (const material of [this.grey, this.red, this.pane]) material.dispose();
  }

  private obstacle(object: WorldObject): Object3D {
    const place = new Group();
    place.name = object.name;
    const [w = 1, x = 0, y = 0, z = 0] = object.quaternion;
    place.position.fromArray(object.xyz);
    place.quaternion.set(x, y, z, w);
    if (object.mesh) void this.mesh(object, object.mesh, place);
    else place.add(this.solid(geometryOf(object)));
    return place;
  }

  private solid(geometry: BufferGeometry): Mesh {
    const mesh = new Mesh(geometry, this.grey);
    mesh.castShadow = true;
    return mesh;
  }

  private async mesh(object: WorldObject, file: string, place: Group): Promise<void> {
    const bytes = await (await fetchRaw(file.replace(/^\/api/, ""))).arrayBuffer().catch(() => null);
    if (!bytes || this.gone) return;
    const { scene } = await meshLoader().parseAsync(bytes, "");
    scene.traverse((part) => part instanceof Mesh && ((part.material = this.grey), (part.castShadow = true)));
    if (object.size.length === 3) scene.scale.fromArray(object.size);
    place.add(scene);
    this.loaded();
  }

  private workspace({ box_min, box_max, planes }: Workspace, base: readonly number[]): void {
    if (box_min && box_max) this.limits.add(this.edge(boxEdges(box_min, box_max)));
    for (const { point, normal } of planes) this.limits.add(this.plane(point, normal, base));
  }

  /** A square of a plane, before what the arm stands on, with its normal to the allowed side. */
  private plane(point: readonly number[], normal: readonly number[], base: readonly number[]): Object3D {
    const half = 0.75 * this.size;
    const up = new Vector3().fromArray(normal).normalize();
    const away = new Vector3().fromArray(base).sub(new Vector3().fromArray(point)).dot(up);
    const square = new Group();
    square.position.fromArray(base).addScaledVector(up, -away);
    square.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up));
    square.add(this.edge(squareEdges(half, 0.06 * this.size)));
    const pane = new Mesh(new PlaneGeometry(2 * half, 2 * half), this.pane);
    pane.renderOrder = 2;
    square.add(pane);
    return square;
  }

  private edge(segments: Float32Array): Lines {
    const edge = new Lines({ width: 1.4 });
    edge.draw(segments);
    this.edges.push(edge);
    return edge;
  }
}

function geometryOf({ shape, size }: WorldObject): BufferGeometry {
  const [a = 0.1, b = 0.1, c = 0.1] = size;
  // These stand along y in three.js, and along z everywhere else.
  if (shape === "cylinder") return new CylinderGeometry(a, a, b, 48).rotateX(Math.PI / 2);
  if (shape === "capsule") return new CapsuleGeometry(a, b, 12, 32).rotateX(Math.PI / 2);
  return shape === "sphere" ? new SphereGeometry(a, 40, 28) : new BoxGeometry(a, b, c);
}

/** The four sides of a square, and a tick upwards at each corner. */
function squareEdges(half: number, tick: number): Float32Array {
  const corners = [[-half, -half], [half, -half], [half, half], [-half, half]] as const;
  return new Float32Array(corners.flatMap(([x, y], number) => [x, y, 0, ...corners[(number + 1) % 4]!, 0, x, y, 0, x, y, tick]));
}

/** The twelve edges between two corners. */
export function boxEdges(min: readonly number[], max: readonly number[]): Float32Array {
  const found: number[] = [];
  const corner = (bits: number): number[] => [0, 1, 2].map((axis) => ((bits >> axis) & 1 ? max : min)[axis] ?? 0);
  for (let from = 0; from < 8; from++) {
    for (let axis = 0; axis < 3; axis++) if (!((from >> axis) & 1)) found.push(...corner(from), ...corner(from | (1 << axis)));
  }
  return new Float32Array(found);
}
