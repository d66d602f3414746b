/** The frames of the cell as thin axes with their names: what the arm stands on, the tool, and the cell's own. */

import { Euler, Group, type Object3D } from "three";
import type { Motion } from "../messages";
import type { Label, Labels } from "./labels";
import { axes, type Lines } from "./lines";
import type { RobotModel } from "./robot_model";
import type { WorldFrame } from "./world";

export class Frames {
  /** Where the tool is; hangs on what the arm stands on. */
  readonly tool = new Group();
  private readonly lines: Lines[] = [];
  private readonly places: Group[] = [this.tool];
  private readonly names: Label[] = [];
  private readonly turn = new Euler(0, 0, 0, "ZYX");

  constructor(
    model: RobotModel,
    private readonly world: Object3D,
    frames: readonly WorldFrame[],
    private readonly labels: Labels,
    size: number, // of the robot [m]
  ) {
    const base = new Group();
    this.tool.visible = false; // until somebody says where it is
    this.places.push(base);
    model.base.add(base, this.tool);
    this.mark(this.tool, model.info.tool || "tool", 0.1 * size, true);
    this.mark(base, model.info.base || "base", 0.13 * size, true);
    this.cellFrames(model, base, frames, 0.08 * size);
  }

  /** Put the tool where it is measured to be. */
  place(motion: Motion): void {
    const [x = 0, y = 0, z = 0] = motion.actual_xyz, [roll = 0, pitch = 0, yaw = 0] = motion.actual_rpy;
    this.tool.visible = true;
    this.tool.position.set(x, y, z);
    this.tool.quaternion.setFromEuler(this.turn.set(roll, pitch, yaw));
  }

  set shown(shown: boolean) {
    for (const lines of this.lines) lines.visible = shown;
    for (const name of this.names) name.wanted = shown;
  }

  dispose(): void {
    for (const place of this.places) place.removeFromParent();
    for (const lines of this.lines) lines.dispose();
    for (const name of this.names) this.labels.remove(name);
  }

  private cellFrames(model: RobotModel, base: Group, frames: readonly WorldFrame[], length: number): void {
    const known = new Map<string, Object3D>([["world", this.world], ["base", base]]);
    let waiting = [...frames];
    // One that stands in another comes after it, whatever their order.
    for (let before = -1; waiting.length !== before; ) {
      before = waiting.length;
      waiting = waiting.filter((frame) => {
        const parent = known.get(frame.parent) ?? model.link(frame.parent);
        if (!parent) return true;
        const place = new Group();
        place.position.fromArray(frame.xyz);
        const [roll = 0, pitch = 0, yaw = 0] = frame.rpy;
        place.quaternion.setFromEuler(this.turn.set(roll, pitch, yaw));
        parent.add(place);
        this.places.push(place);
        known.set(frame.name, place);
        this.mark(place, frame.name, length, false);
        return false;
      });
    }
  }

  private mark(place: Group, name: string, length: number, over: boolean): void {
    const lines = axes(length, over);
    place.add(lines);
    this.lines.push(lines);
    this.names.push(this.labels.add(name, place));
  }
}
