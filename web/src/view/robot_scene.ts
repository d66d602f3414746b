/** The robot and everything around it, on its stage: whatever the cell or a page says is drawn with the next picture. */

import { effect, signal } from "@preact/signals";
import { Box3, type Material, type Mesh, MeshStandardMaterial, Vector3 } from "three";
import { get } from "../api";
import { motion, nearest, person, robot, say, type RobotInfo } from "../cell";
import { imitated, look as lookWhoIsImitated } from "../imitate/imitation";
import { standOf } from "../imitate/rods";
import { inWords } from "../refused";
import { actual } from "./actual";
import { t } from "../texts";
import { millimetres, type Palette, paletteOf, RED, touching } from "./colours";
import { Frames } from "./frames";
import { Ghosts } from "./ghosts";
import { Ground } from "./ground";
import { type Label, Labels } from "./labels";
import { NearestLine, PathLine, TraceLine } from "./lines";
import { Person } from "./person";
import { loadRobot, type RobotModel, Undrawable } from "./robot_model";
import { ghost, layers, preview, surroundingsChanged, typedLimits } from "./shown";
import { type Side, Stage } from "./stage";
import { Surroundings } from "./surroundings";
import { Trace } from "./trace";
import { NOTHING_AROUND, type World } from "./world";

/** What can be said of the view instead of, or beside, a picture. */
export interface Condition {
  readonly kind: "loading" | "ready" | "failed" | "noWebGL";
  readonly why: string;
  readonly missing: number; // meshes
}
export const condition = signal<Condition>({ kind: "loading", why: "", missing: 0 });

/** For tests: what has been drawn. */
export const seen = { frames: 0, triangles: 0, ready: false, ratio: 1, bones: 0 };

/** Of a status, which comes for many reasons, this alone is drawn. */
const MOVED = 1e-4; // rad or m: less is not seen, and what is measured is never quite still
const WHO_AGAIN = 1000; // ms until it is asked again who is imitated
const TRIM = 0.25; // s between looks at what of the trace is too old

/** What is there once the robot is loaded. */
interface Cast {
  readonly model: RobotModel;
  readonly ghosts: Ghosts;
  readonly ground: Ground;
  readonly path: PathLine;
  readonly size: number; // of the robot [m]
  readonly box: Box3; // that it stood in at first
  surroundings: Surroundings;
  frames: Frames;
}

export class RobotScene {
  private readonly stage: Stage;
  private readonly labels: Labels;
  private readonly trace = new Trace();
  private readonly traceLine = new TraceLine(this.trace);
  private readonly nearestLine = new NearestLine();
  private readonly nearestAt = new Vector3();
  private readonly nearestLabel: Label;
  private readonly red = new MeshStandardMaterial({ color: RED, emissive: RED, emissiveIntensity: 0.25, roughness: 0.5 });
  private readonly ends: (() => void)[] = [];
  private readonly theme: MutationObserver;
  private readonly tool = new Vector3();
  private palette: Palette = paletteOf(document.documentElement.dataset["theme"]);
  private cast: Cast | null = null;
  private person: Person | null = null;
  private drawnQ: readonly number[] = [];
  private painted = new Map<Mesh, Material | Material[]>(); // what a part looks like while it touches nothing
  private posed = true; // whether everything stands where the newest motion says
  private traced = true;
  private trimmedAt = 0;
  private asksWho = false;
  private asked = 0; // counts what is loaded, so that an older answer is not taken for a newer one

  constructor(canvas: HTMLCanvasElement, words: HTMLElement) {
    this.stage = new Stage(canvas, this);
    this.labels = new Labels(words);
    this.nearestLabel = this.labels.add("", this.nearestAt, true);
    this.nearestLabel.element.className = "near";
    this.stage.scene.matrixWorldAutoUpdate = false; // done once, before labels are placed
    this.stage.scene.add(this.traceLine, this.nearestLine);
    this.theme = new MutationObserver(() => this.dress());
    this.theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    this.dress();
    this.ends.push(
      effect(() => void (robot.value && this.load(robot.value))),
      effect(() => void (surroundingsChanged.value && this.reloadWorld())),
      effect(() => void (motion.value && this.move())),
      effect(() => this.showGhost(ghost.value, layers.value.ghost)),
      effect(() => this.showPath(preview.value)),
      effect(() => this.showNearest(nearest.value)),
      effect(() => this.showLayers(layers.value)),
      effect(() => this.showLimits(typedLimits.value)),
      effect(() => this.showPerson(person.value?.places ?? [], imitated.value)),
    );
  }

  look(side: Side): void {
    this.stage.look(side);
  }

  again(): void {
    if (robot.value) void this.load(robot.value);
  }

  // What the stage asks for

  bounds(): Box3 {
    const box = new Box3();
    const { cast } = this;
    if (!cast) return box.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
    cast.model.growBox(box);
    const would = cast.ghosts.group.visible && cast.ghosts.first;
    if (would) cast.model.growBox(box, would);
    this.person?.growBox(box);
    return box;
  }

  before(): void {
    const { cast, stage } = this;
    const now = motion.peek();
    if (cast && now && !this.posed) {
      cast.model.place(actual(now));
      cast.frames.place(now);
    }
    if (cast) cast.ground.shaded = !stage.hurried;
    stage.scene.updateMatrixWorld();
    stage.camera.updateMatrixWorld();
    if (!this.posed) cast?.ghosts.hideWhatIsSame();
    if (!this.traced) this.traceLine.refresh(layers.peek().trace);
    this.posed = this.traced = true;
    this.labels.place(stage.camera, stage.width, stage.height, cast?.model.covered(stage.camera, stage.width, stage.height) ?? []);
  }

  after(): void {
    seen.frames = this.stage.frames;
    seen.triangles = this.stage.renderer.info.render.triangles;
    seen.ratio = this.stage.renderer.getPixelRatio();
    seen.ready = this.cast !== null;
    seen.bones = this.person?.count ?? 0;
  }

  dispose(): void {
    this.asked += 1;
    for (const end of this.ends) end();
    this.theme.disconnect();
    this.strike();
    this.dismiss();
    this.traceLine.dispose();
    this.nearestLine.dispose();
    this.red.dispose();
    this.labels.dispose();
    this.stage.dispose();
    seen.ready = false;
  }

  // What comes from outside

  private move(): void {
    const now = motion.value, { cast } = this;
    if (!now || !cast) return;
    const q = actual(now);
    if (differs(q, this.drawnQ)) {
      this.drawnQ = q;
      this.posed = false;
      this.stage.moved();
    }
    const tool = this.tool.fromArray(now.actual_xyz).applyMatrix4(cast.model.base.matrixWorld);
    let traced = this.trace.add(now.time, tool.x, tool.y, tool.z);
    if (Math.abs(now.time - this.trimmedAt) > TRIM) {
      this.trimmedAt = now.time;
      traced = this.trace.trim(now.time) || traced;
    }
    if (traced) {
      this.traced = false;
      if (layers.peek().trace) this.stage.ask();
    }
  }

  private showGhost(shown: typeof ghost.value, wanted: boolean): void {
    if (!this.cast) return;
    this.cast.ghosts.group.visible = wanted && shown !== null;
    this.cast.ghosts.show(shown);
    this.posed = false;
    this.stage.ask();
  }

  /** Who is imitated stands beside the robot; the view is fitted anew when he comes. Told before what bones he has, it asks. */
  private showPerson(places: readonly number[], who: typeof imitated.value): void {
    const { cast } = this;
    if (!cast) return;
    if (!places.length) {
      if (this.person) this.dismiss();
      return;
    }
    if (who?.parents.length !== places.length / 3) {
      if (!this.asksWho) {
        this.asksWho = true;
        void lookWhoIsImitated().catch(() => undefined).finally(() => window.setTimeout(() => (this.asksWho = false), WHO_AGAIN));
      }
      return;
    }
    if (this.person?.parents !== who.parents && !same(this.person?.parents ?? [], who.parents)) {
      const known = this.person !== null;
      this.dismiss();
      this.person = new Person(who.parents, who.sides, places, standOf(places, cast.box, cast.size, cast.ground.group.position.z), this.palette);
      this.stage.scene.add(this.person.mesh);
      this.stage.lightOn(cast.box, cast.surroundings.reach(this.person.growBox(cast.box.clone())));
      if (!known) this.stage.look("fit");
    } else this.person?.place(places);
    this.stage.ask();
  }

  private dismiss(): void {
    this.person?.dispose();
    this.person = null;
    this.stage.ask();
  }

  private showPath(shown: typeof preview.value): void {
    this.cast?.path.show(shown);
    this.stage.ask();
  }

  private showNearest(shown: typeof nearest.value): void {
    const drawn = this.cast !== null && this.nearestLine.show(shown, this.palette);
    this.nearestLabel.wanted = drawn;
    if (shown && drawn) {
      this.nearestAt.set(0, 0, 0);
      for (let at = 0; at < 3; at++) this.nearestAt.setComponent(at, ((shown.at_a[at] ?? 0) + (shown.at_b[at] ?? 0)) / 2);
      this.labels.write(this.nearestLabel, millimetres(shown.distance));
    }
    this.redden(touching(shown));
    this.stage.ask();
  }

  private redden(names: readonly string[]): void {
    if (!this.cast) return;
    for (const [mesh, material] of this.painted) mesh.material = material;
    this.painted.clear();
    for (const { link, meshes } of this.cast.model.shells) {
      if (!names.includes(link.name)) continue;
      for (const mesh of meshes) {
        this.painted.set(mesh, mesh.material);
        mesh.material = this.red;
      }
    }
    this.cast.surroundings.redden(names);
  }

  private showLayers(shown: typeof layers.value): void {
    if (!this.cast) return;
    this.cast.frames.shown = shown.frames;
    this.cast.surroundings.limits.visible = shown.workspace;
    this.traced = false;
    this.stage.ask();
  }

  private showLimits(typed: typeof typedLimits.value): void {
    this.cast?.surroundings.showLimits(typed, this.palette);
    this.stage.moved();
  }

  private dress(): void {
    this.palette = paletteOf(document.documentElement.dataset["theme"]);
    this.traceLine.material.color.set(this.palette.trace);
    this.stage.dress(this.palette);
    const { cast } = this;
    for (const part of cast ? [cast.ghosts, cast.ground, cast.path, cast.surroundings] : []) part.dress(this.palette);
    this.person?.dress(this.palette);
    cast?.model.paints.repaint(this.palette.plain);
    this.showNearest(nearest.peek());
  }

  // Loading

  private async load(info: RobotInfo): Promise<void> {
    const turn = ++this.asked;
    condition.value = { kind: "loading", why: "", missing: 0 };
    try {
      const [model, world] = await Promise.all([loadRobot(info, this.palette.plain, this.stage.modest), askWorld()]);
      if (turn !== this.asked) return model.dispose();
      this.strike();
      this.enter(model, world ?? NOTHING_AROUND);
      condition.value = { kind: "ready", why: "", missing: model.missing };
    } catch (error) {
      if (turn !== this.asked) return;
      if (!(error instanceof Undrawable)) console.error(error);
      this.strike();
      condition.value = { kind: "failed", why: error instanceof Undrawable ? error.words : error instanceof Error ? error.message : String(error), missing: 0 };
      this.stage.ask();
    }
  }

  private enter(model: RobotModel, world: World): void {
    const { scene } = this.stage;
    const now = motion.peek();
    model.place(now ? actual(now) : model.info.home);
    scene.add(model.root); // its root is the world
    scene.updateMatrixWorld();
    const box = new Box3().setFromObject(model.root, true); // to the point: the ground must touch it
    const extent = box.getSize(new Vector3());
    const size = Math.max(extent.x, extent.y, extent.z);
    const ground = new Ground(size);
    ground.group.position.setFromMatrixPosition(model.base.matrixWorld).setZ(Math.min(0, box.min.z));
    const ghosts = new Ghosts(model, this.palette), path = new PathLine(size);
    model.base.add(path.rest, path.chosen); // it is told in what the arm stands on
    scene.add(ground.group, ghosts.group);
    const surroundings = new Surroundings(world, size, () => this.stage.moved());
    scene.add(surroundings.group);
    this.cast = { model, ghosts, ground, path, size, box, surroundings, frames: new Frames(model, scene, world.frames, this.labels, size) };
    this.drawnQ = [];
    this.stage.lightOn(box, surroundings.reach(box));
    this.tellAll();
    this.stage.pace.pardon(3);
    this.stage.look("fit");
  }

  /** Everything that was said before there was a robot. */
  private tellAll(): void {
    this.dress();
    this.posed = false;
    this.showGhost(ghost.peek(), layers.peek().ghost);
    this.showPath(preview.peek());
    this.showLayers(layers.peek());
    if (typedLimits.peek()) this.showLimits(typedLimits.peek());
    this.showPerson(person.peek()?.places ?? [], imitated.peek());
    const now = motion.peek();
    if (now) this.cast?.frames.place(now);
    this.move();
  }

  private async reloadWorld(): Promise<void> {
    const turn = this.asked;
    const world = await askWorld();
    const { cast } = this;
    if (!cast || !world || turn !== this.asked) return;
    cast.surroundings.dispose();
    cast.frames.dispose();
    cast.surroundings = new Surroundings(world, cast.size, () => this.stage.moved());
    cast.frames = new Frames(cast.model, this.stage.scene, world.frames, this.labels, cast.size);
    this.stage.scene.add(cast.surroundings.group);
    this.tellAll();
    this.stage.moved();
  }

  private strike(): void {
    const { cast } = this;
    if (!cast) return;
    this.redden([]);
    this.dismiss();
    this.trace.clear();
    this.traced = false;
    for (const part of [cast.frames, cast.surroundings, cast.path, cast.ghosts, cast.ground, cast.model]) part.dispose();
    this.cast = null;
  }
}

/** What stands around; where it is not told, that is said: the robot is worth seeing without it. */
async function askWorld(): Promise<World | null> {
  try {
    return await get<World>("/world");
  } catch (error) {
    say("refused", t("view.noWorld", { why: inWords(error) }));
    return null;
  }
}

function same(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

function differs(q: readonly number[], other: readonly number[]): boolean {
  if (q.length !== other.length) return true;
  for (let at = 0; at < q.length; at++) if (!(Math.abs(q[at]! - other[at]!) <= MOVED)) return true;
  return false;
}
