/** The one stream of jog messages: whatever is held, pushed or pressed adds to it, and its end is a release. */

import { signal } from "@preact/signals";
import type { FromBrowser } from "../messages";
import { Repeated } from "../parts/repeated";

export interface Wanted {
  readonly kind: "joints" | "base" | "tool" | "frame";
  readonly frame: string;
  readonly speeds: readonly number[]; // rad/s or m/s of each joint, or a twist
}

export class JogStream {
  /** Whether something is asked for now. */
  readonly active = signal(false);
  private readonly sources = new Map<string, Wanted>();
  private readonly repeated = new Repeated();

  constructor(
    private readonly send: (message: FromBrowser) => boolean,
    private readonly allowed: () => boolean,
  ) {}

  /** One source wants this from now on. Two that move along different axes do not mix: the first goes on. */
  ask(source: string, wanted: Wanted): boolean {
    if (!this.allowed()) {
      this.endAll();
      return false;
    }
    for (const [name, other] of this.sources)
      if (name !== source && (other.kind !== wanted.kind || other.frame !== wanted.frame || other.speeds.length !== wanted.speeds.length)) return false;
    this.sources.set(source, wanted);
    if (!this.repeated.goesOn) {
      this.active.value = true;
      this.repeated.begin(() => this.tell());
    }
    return true;
  }

  /** One source wants nothing any more. */
  end(source: string): void {
    if (this.sources.delete(source) && this.sources.size === 0) this.finish();
  }

  endAll(): void {
    this.sources.clear();
    this.finish();
  }

  private tell(): void {
    const wanted = [...this.sources.values()];
    const first = wanted[0];
    if (!first || !this.allowed()) return this.endAll();
    const speeds = first.speeds.map((_, index) => wanted.reduce((sum, each) => sum + (each.speeds[index] ?? 0), 0));
    this.send({ key: "jog", kind: first.kind, speeds, frame: first.frame });
  }

  private finish(): void {
    if (!this.repeated.end()) return;
    this.active.value = false;
    this.send({ key: "release" });
  }
}
