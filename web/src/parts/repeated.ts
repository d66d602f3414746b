/** What is said again and again while something is held. */

export const EVERY = 33; // ms between two: the cell stops a tenth of a second after the last

export class Repeated {
  private timer = 0;

  get goesOn(): boolean {
    return this.timer !== 0;
  }

  /** Do something at once, and again and again until the end. Harmless where it goes on already. */
  begin(work: () => void): void {
    if (this.timer) return;
    this.timer = window.setInterval(work, EVERY);
    work();
  }

  /** Whether there was something to end. */
  end(): boolean {
    if (!this.timer) return false;
    window.clearInterval(this.timer);
    this.timer = 0;
    return true;
  }
}
