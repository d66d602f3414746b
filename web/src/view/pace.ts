/** How finely the view is drawn, so that it keeps up: by the time that frames take. */

const SLOW = 40; // ms a frame: coarser
const QUICK = 18; // ms a frame: finer, after a while
const LOOKED_AT = 6; // frames
const ENOUGH = 400; // ms: nobody waits for six frames of a second each
const STEPS = [1.5, 1.25, 1, 0.8, 0.65, 0.5] as const;

export class Pace {
  private readonly ratios: readonly number[];
  private level = 0;
  private sum = 0;
  private seen = 0;
  private quick = 0;
  private patience = 120; // quick frames in a row before finer is tried
  private pardoned = 0;

  /** @param full px of the screen for a px of the page, at most 2 */
  constructor(screen: number) {
    const full = Math.min(2, Math.max(0.5, screen));
    this.ratios = [full, ...STEPS.filter((step) => step < full)];
  }

  get full(): number {
    return this.ratios[0]!;
  }

  get least(): number {
    return this.ratios[this.ratios.length - 1]!;
  }

  get ratio(): number {
    return this.ratios[this.level]!;
  }

  /** Something was loaded or compiled: the next frames say nothing. */
  pardon(frames = 2): void {
    this.pardoned = Math.max(this.pardoned, frames);
    this.sum = this.seen = 0;
  }

  /** A frame took so long [ms]; whether `ratio` is another now. */
  took(time: number): boolean {
    if (this.pardoned > 0) {
      this.pardoned -= 1;
      return false;
    }
    this.sum += time;
    this.seen += 1;
    this.quick = time < QUICK ? this.quick + 1 : 0;
    if (this.quick >= this.patience && this.level > 0) return this.goTo(this.level - 1);
    if (this.seen < LOOKED_AT && !(this.seen > 1 && this.sum > ENOUGH)) return false;
    const mean = this.sum / this.seen;
    this.sum = this.seen = 0;
    if (mean <= SLOW || this.level === this.ratios.length - 1) return false;
    this.patience *= 2; // what was too fine once is not tried again soon
    return this.goTo(Math.min(this.ratios.length - 1, this.level + (mean > 4 * SLOW ? 3 : mean > 2 * SLOW ? 2 : 1)));
  }

  private goTo(level: number): boolean {
    this.level = level;
    this.quick = 0;
    this.pardon(1); // the first frame of another size is slower
    return true;
  }
}
