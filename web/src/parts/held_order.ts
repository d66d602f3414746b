/** An order that is given once when something is pressed, and whose motion goes on only while it is held. */

import { send } from "../cell";

export interface HeldWork {
  /**
   * Asks for the motion; settles when the cell has taken it, or not.
   *
   * True says that something goes on that must be told of a release, false that nothing does: it is pressed no more until it is
   * held anew. With nothing said it is pressed on, and the cell alone stops what nobody holds.
   */
  readonly order: () => Promise<unknown>;
  /** Whether something is there already that a press alone lets go on. */
  readonly goesOn?: () => boolean;
  /** Nothing is pressed until it has begun: where a press alone would do something else. */
  readonly waits?: boolean;
  /** Says that it is still held. */
  readonly press?: () => void;
  /** Says that it no longer is. */
  readonly release?: () => void;
}

export const tellPress = (): void => void send({ key: "press" });
export const tellRelease = (): void => void send({ key: "release" });

export class HeldOrder {
  private held = false;
  private refused = false;
  private pending = false;
  private readonly work: Required<HeldWork>;

  constructor(work: HeldWork) {
    this.work = { goesOn: () => false, waits: false, press: tellPress, release: tellRelease, ...work };
  }

  get isHeld(): boolean {
    return this.held;
  }

  /** Called at once, and again and again while it is held. */
  readonly hold = (): void => {
    const { goesOn, waits, press } = this.work;
    const anew = !this.held;
    if (anew) this.refused = waits;
    this.held = true;
    // The press comes first: a motion that the cell takes while nobody is known to hold it stops at once.
    if (!this.refused) press();
    // Let go and pressed again while the first was still being planned: one motion is enough.
    if (anew && !this.pending && (waits || !goesOn())) void this.give();
  };

  /** Called when it is let go; harmless where it is not held. */
  readonly release = (): void => {
    if (!this.held) return;
    this.held = false;
    this.work.release();
  };

  private async give(): Promise<void> {
    this.pending = true;
    try {
      const begun = await this.work.order();
      this.refused = begun === false;
      if (begun === true && !this.held) this.work.release(); // let go while it was being begun
    } finally {
      this.pending = false;
    }
  }
}
