/** Where the processor draws: when the next picture may be drawn, and how. The hand comes first, and the cell may run on this computer too. */

const LEAST = 95; // ms between pictures
const LONGEST = 400; // ms
const SHARE = 3; // and so many times as long as the last picture took
const WHILE_HELD = 330; // ms between pictures while a hand holds something: a release is heard between two of them
const GIVES_WAY = 150; // ms after a touch without a picture

export class Sparing {
  private drawnAt = -Infinity; // [ms]
  private touchedAt = -Infinity;
  private gap = LEAST;
  private readonly holding = new Set<string>();

  /** Whether a hand is on something: a button, a key. */
  get held(): boolean {
    return this.holding.size > 0;
  }

  /** Somebody pressed something beside the view. */
  press(what: string, now: number): void {
    this.touchedAt = now;
    this.holding.add(what);
  }

  release(what: string): void {
    this.holding.delete(what);
  }

  releaseAll(): void {
    this.holding.clear();
  }

  drew(now: number): void {
    this.drawnAt = now;
  }

  /** The last picture took so long [ms]. */
  took(time: number): void {
    this.gap = Math.min(LONGEST, Math.max(LEAST, SHARE * time));
  }

  /** Whether a picture of what moves may be drawn now. */
  may(now: number): boolean {
    const gap = this.held ? Math.max(this.gap, WHILE_HELD) : this.gap;
    return now - this.drawnAt >= gap && now - this.touchedAt >= GIVES_WAY;
  }

  /** Whether a picture that stays, which takes longest, may be drawn now. */
  mayRest(now: number, after: number): boolean {
    return !this.held && now - this.touchedAt >= after;
  }
}
