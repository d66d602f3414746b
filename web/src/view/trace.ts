/** The tool's way of the last seconds: thinned as it comes, and kept as line segments that can be drawn as they are. */

const GAP = 0.5; // s without a word after which a new line begins: nobody knows what was in between

export class Trace {
  /** Six numbers a segment: from, to [m, world]. */
  readonly segments: Float32Array;
  /** How many segments there are, oldest first. */
  count = 0;
  private readonly times: Float64Array; // at which each segment ends [s]
  private heard = Number.NaN;
  private x = 0;
  private y = 0;
  private z = 0;

  constructor(
    readonly seconds = 20,
    readonly step = 0.002, // m: less than this is no way
    readonly capacity = 1500,
  ) {
    this.segments = new Float32Array(6 * capacity);
    this.times = new Float64Array(capacity);
  }

  /** Where the tool is at a time [s]; whether there is something new to draw. */
  add(time: number, x: number, y: number, z: number): boolean {
    const gone = time < this.heard; // the clock began anew
    if (gone) this.clear();
    const begins = !(time - this.heard <= GAP);
    this.heard = time;
    if (begins) {
      this.moveTo(x, y, z);
      return gone;
    }
    const dx = x - this.x, dy = y - this.y, dz = z - this.z;
    if (dx * dx + dy * dy + dz * dz < this.step * this.step) return false;
    if (this.count === this.capacity) this.drop(Math.ceil(this.capacity / 8));
    const at = 6 * this.count;
    this.segments[at] = this.x;
    this.segments[at + 1] = this.y;
    this.segments[at + 2] = this.z;
    this.segments[at + 3] = x;
    this.segments[at + 4] = y;
    this.segments[at + 5] = z;
    this.times[this.count] = time;
    this.count += 1;
    this.moveTo(x, y, z);
    return true;
  }

  /** Forget what is too old; whether anything was. */
  trim(now: number): boolean {
    let old = 0;
    while (old < this.count && this.times[old]! < now - this.seconds) old += 1;
    if (old > 0) this.drop(old);
    return old > 0;
  }

  clear(): void {
    this.count = 0;
    this.heard = Number.NaN;
  }

  private moveTo(x: number, y: number, z: number): void {
    this.x = x;
    this.y = y;
    this.z = z;
  }

  private drop(old: number): void {
    this.segments.copyWithin(0, 6 * old, 6 * this.count);
    this.times.copyWithin(0, old, this.count);
    this.count -= old;
  }
}
