/** What the robot did lately, or in a recording: SI units, one column for each quantity of each joint. */

import type { Motion } from "../messages";
import { Ring } from "./ring";

export const SOURCES = ["q", "v", "a", "torque", "measured_q", "measured_torque", "error"] as const;
export type Source = (typeof SOURCES)[number];

export const RATE = 60; // samples a second, as the cell sends them
const SECONDS = 60;
const GAP = 0.5; // s without a sample after which the line is broken
const TIME = 0, LATE = 1, FIRST = 2; // columns

export class History {
  constructor(
    readonly joints: number,
    readonly ring = new Ring(SECONDS * RATE + 60, FIRST + SOURCES.length * joints),
  ) {}

  static readonly time = TIME;
  static readonly late = LATE;

  /** One with room for so many samples. */
  static ofSize(joints: number, samples: number): History {
    return new History(joints, new Ring(Math.max(1, samples), FIRST + SOURCES.length * joints));
  }

  column(source: Source, joint: number): number {
    return FIRST + SOURCES.indexOf(source) * this.joints + joint;
  }

  get newest(): number {
    return this.ring.at(TIME, this.ring.end - 1);
  }

  get oldest(): number {
    return this.ring.at(TIME, this.ring.first);
  }

  get empty(): boolean {
    return this.ring.end === 0;
  }

  /** Take a sample in. One that was there already is passed over; a clock that went back begins anew. */
  add(motion: Motion): void {
    const before = this.newest;
    if (motion.time === before) return;
    if (motion.time < before) this.ring.clear();
    else if (motion.time - before > GAP) this.breakLine(before + GAP / 2);
    const { ring, joints } = this, slot = ring.next();
    ring.columns[TIME]![slot] = motion.time;
    ring.columns[LATE]![slot] = motion.late;
    for (let joint = 0; joint < joints; joint += 1) {
      const q = motion.q[joint] ?? NaN, measured = motion.measured_q[joint] ?? NaN;
      ring.columns[FIRST + joint]![slot] = q;
      ring.columns[FIRST + joints + joint]![slot] = motion.v[joint] ?? NaN;
      ring.columns[FIRST + 2 * joints + joint]![slot] = motion.a[joint] ?? NaN;
      ring.columns[FIRST + 3 * joints + joint]![slot] = motion.torque[joint] ?? NaN;
      ring.columns[FIRST + 4 * joints + joint]![slot] = measured;
      ring.columns[FIRST + 5 * joints + joint]![slot] = motion.measured_torque[joint] ?? NaN;
      ring.columns[FIRST + 6 * joints + joint]![slot] = q - measured;
    }
  }

  private breakLine(time: number): void {
    const slot = this.ring.next();
    for (const column of this.ring.columns) column[slot] = NaN;
    this.ring.columns[TIME]![slot] = time;
  }

  copy(): History {
    return new History(this.joints, this.ring.copy());
  }
}
