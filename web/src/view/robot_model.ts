/** The robot of the cell, as its description and meshes draw it. */

import { Box3, type BufferGeometry, type Camera, Group, LoadingManager, type Object3D, TextureLoader, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import URDFLoader, { type URDFJoint, type URDFRobot } from "urdf-loader";
import { fetchRaw } from "../api";
import type { RobotInfo } from "../cell";
import { t } from "../texts";
import { Paints, type Shell, shellOf } from "./shell";

const APART = 0.025; // of the robot's size, between points that stand for a part: less than a word is high
const MOST_ACROSS = 20; // points along an edge of a part's box

/** The description cannot be drawn; the text says why. */
export class Undrawable extends Error {
  constructor(
    readonly key: "view.notUrdf" | "view.noShapes" | null,
    message = "",
  ) {
    super(message);
  }

  /** In the page's words, where it has some. */
  get words(): string {
    return this.key ? t(this.key) : this.message;
  }
}

/** Joints by the model's order, and links: what can be put into a configuration. */
export class Skeleton {
  readonly joints: readonly (URDFJoint | undefined)[];

  constructor(
    readonly root: URDFRobot,
    names: readonly string[],
  ) {
    this.joints = names.map((name) => root.joints[name]);
    // What the cell says is shown, also where it is beyond a limit of the description.
    for (const joint of Object.values(root.joints)) joint.ignoreLimits = true;
  }

  /** Put every joint where q says [rad or m]; mimics follow. */
  place(q: readonly number[]): void {
    for (let at = 0; at < this.joints.length; at++) {
      const value = q[at];
      if (value !== undefined && Number.isFinite(value)) this.joints[at]?.setJointValue(value);
    }
  }

  link(name: string): Object3D | undefined {
    return this.root.links[name];
  }
}

export class RobotModel extends Skeleton {
  private grids: readonly (readonly Vector3[])[] | null = null; // of points in the box of each shell, in its link's frame [m]

  constructor(
    root: URDFRobot,
    readonly info: RobotInfo,
    readonly shells: readonly Shell[],
    readonly paints: Paints,
    readonly missing: number, // meshes that could not be read
    private readonly document: Document,
  ) {
    super(root, info.joints.map((joint) => joint.name));
  }

  /** What the arm stands on: poses of the cell are given in it. */
  get base(): Object3D {
    return this.link(this.info.base) ?? this.root;
  }

  /** Another one of the same, without anything to see. */
  skeleton(): Skeleton {
    const loader = new URDFLoader();
    loader.parseVisual = false;
    return new Skeleton(loader.parse(this.document), this.info.joints.map((joint) => joint.name));
  }

  /** Grow a box by all that is seen, as it stands. */
  growBox(box: Box3, of: Skeleton = this): Box3 {
    of.root.updateWorldMatrix(true, true);
    const part = new Box3();
    for (const { link, whole } of this.shells) {
      if (!whole.boundingBox) whole.computeBoundingBox();
      const there = of.link(link.name);
      if (there && whole.boundingBox) box.union(part.copy(whole.boundingBox).applyMatrix4(there.matrixWorld));
    }
    return box;
  }

  /** Where it covers the picture: points of the boxes around its parts, x and y of each [px]. Poses must be up to date. */
  covered(camera: Camera, width: number, height: number): readonly number[] {
    this.grids ??= this.shells.map(({ whole }) => gridIn(whole, APART * this.growBox(new Box3()).getSize(new Vector3()).length()));
    const found: number[] = [], point = new Vector3();
    this.shells.forEach(({ link }, number) => {
      for (const place of this.grids![number]!) {
        point.copy(place).applyMatrix4(link.matrixWorld).project(camera);
        found.push(((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height);
      }
    });
    return found;
  }

  dispose(): void {
    this.root.removeFromParent();
    for (const { meshes, whole } of this.shells) {
      whole.dispose();
      for (const mesh of meshes) {
        mesh.geometry.dispose();
        for (const material of [mesh.material].flat()) material.dispose();
      }
    }
    this.paints.dispose();
  }
}

/** Points in the box around a geometry, so far apart [m] at most. */
export function gridIn(geometry: BufferGeometry, apart: number): readonly Vector3[] {
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox!, size = max.clone().sub(min);
  const steps = size.toArray().map((length) => Math.min(MOST_ACROSS, Math.max(1, Math.ceil(length / apart))));
  const [across = 1, along = 1, up = 1] = steps, found: Vector3[] = [];
  for (let i = 0; i <= across; i++)
    for (let j = 0; j <= along; j++)
      for (let k = 0; k <= up; k++) found.push(new Vector3(min.x + (i / across) * size.x, min.y + (j / along) * size.y, min.z + (k / up) * size.z));
  return found;
}

/** Fetch, read and melt together; fails with words that a person can act on. */
export async function loadRobot(info: RobotInfo, plain: number, modest: boolean): Promise<RobotModel> {
  const text = await (await fetchRaw("/robot/urdf")).text();
  const document = new DOMParser().parseFromString(text, "text/xml");
  if (document.documentElement.nodeName !== "robot") throw new Undrawable("view.notUrdf");
  const loader = new URDFLoader(new LoadingManager());
  const meshes = new Meshes();
  loader.loadMeshCb = (file, _, done) => meshes.want(file, done);
  let root: URDFRobot;
  try {
    root = loader.parse(document);
  } catch (error) {
    throw new Undrawable(null, error instanceof Error ? error.message : String(error));
  }
  await meshes.all();
  root.updateMatrixWorld(true);
  const paints = new Paints(plain, modest);
  const shells = Object.values(root.links).flatMap((link) => shellOf(link, paints) ?? []);
  if (!shells.length) throw new Undrawable("view.noShapes");
  return new RobotModel(root, info, shells, paints, meshes.missing, document);
}

/** Reads GLB. Its pictures come as images, since the page's policy lets nothing be fetched from a blob. */
export function meshLoader(): GLTFLoader {
  return new GLTFLoader().register((parser) => {
    parser.textureLoader = new TextureLoader(parser.options.manager);
    return { name: "pictures-as-images" };
  });
}

/** The mesh files of a description, each fetched once. */
class Meshes {
  missing = 0;
  private readonly loader = meshLoader();
  private readonly files = new Map<string, Promise<Object3D>>();
  private readonly waiting: Promise<void>[] = [];

  want(file: string, done: (mesh: Object3D) => void): void {
    let found = this.files.get(file);
    if (!found) this.files.set(file, (found = this.fetch(`/robot/${file}`)));
    this.waiting.push(
      found.then(
        (mesh) => done(new Group().add(mesh.clone())), // its own pose must stay, and the loader sets that of what it gets
        () => void (this.missing += 1), // the rest of the robot is still worth seeing
      ),
    );
  }

  async all(): Promise<void> {
    await Promise.all(this.waiting);
  }

  private async fetch(path: string): Promise<Object3D> {
    const bytes = await (await fetchRaw(path)).arrayBuffer();
    return (await this.loader.parseAsync(bytes, "")).scene;
  }
}
