/** The robot of the cell, as its description and meshes draw it. */

import { Box3, type Camera, Group, LoadingManager, type Object3D, TextureLoader, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import URDFLoader, { type URDFJoint, type URDFRobot } from "urdf-loader";
import { fetchRaw } from "../api";
import type { RobotInfo } from "../cell";
import { t } from "../texts";
import { Paints, type Shell, shellOf } from "./shell";

const ACROSS = 6; // points along each edge of a part's box

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
    const found: number[] = [], point = new Vector3();
    for (const { link, whole } of this.shells) {
      if (!whole.boundingBox) whole.computeBoundingBox();
      const { min, max } = whole.boundingBox!;
      for (let at = 0; at < ACROSS ** 3; at++) {
        const [i, j, k] = [at % ACROSS, Math.floor(at / ACROSS) % ACROSS, Math.floor(at / ACROSS ** 2)].map((step) => step / (ACROSS - 1)) as [number, number, number];
        point.set(min.x + i * (max.x - min.x), min.y + j * (max.y - min.y), min.z + k * (max.z - min.z));
        point.applyMatrix4(link.matrixWorld).project(camera);
        found.push(((point.x + 1) / 2) * width, ((1 - point.y) / 2) * height);
      }
    }
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
