/** Running while something is held: begun once, kept going by presses, paused by letting go, and gone on with by holding again. */

export interface HeldWork {
  /** Whether a program is there that a press lets go on. */
  readonly goesOn: () => boolean;
  /** Start it; whether that was done. */
  readonly begin: () => Promise<boolean>;
  readonly press: () => void;
  readonly release: () => void;
}

export class HeldRun {
  private held = false;
  private refused = false;
  private beginning = false;

  constructor(
    private readonly work: () => HeldWork,
    /** Nothing is pressed until it has begun: where a press alone would do something else. */
    private readonly waits = false,
  ) {}

  get isHeld(): boolean {
    return this.held;
  }

  /** Called at once, and again and again while it is held. */
  readonly hold = (): void => {
    const work = this.work();
    if (!this.held) {
      this.held = true;
      this.refused = this.waits;
      if (!this.beginning && (this.waits || !work.goesOn())) void this.beginOnce(work);
    }
    if (!this.refused) work.press();
  };

  readonly release = (): void => {
    if (!this.held) return;
    this.held = false;
    this.work().release();
  };

  private async beginOnce(work: HeldWork): Promise<void> {
    this.beginning = true;
    const begun = await work.begin();
    this.beginning = false;
    this.refused = !begun;
    if (begun && !this.held) work.release(); // let go while it was being begun
  }
}
