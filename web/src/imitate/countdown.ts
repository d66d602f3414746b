/** Three seconds to take a stance, told; then the work. */

import { signal } from "@preact/signals";

const SECOND = 1000; // ms

export class Countdown {
  /** Seconds that are left; 0 where nothing is counted. */
  readonly left = signal(0);
  private timer = 0;

  constructor(
    private readonly from: number,
    private readonly work: () => void,
  ) {}

  begin(): void {
    this.end();
    this.left.value = this.from;
    this.timer = window.setInterval(() => {
      this.left.value -= 1;
      if (this.left.value > 0) return;
      this.end();
      this.work();
    }, SECOND);
  }

  /** Nothing comes of it. Any number of times. */
  end(): void {
    window.clearInterval(this.timer);
    this.left.value = 0;
  }
}
