/** Lines that were typed, to be had again with the arrow keys. */

const MOST = 100;

export class TypedLines {
  private at: number;
  private typing = "";

  constructor(private lines: string[] = []) {
    this.at = lines.length;
  }

  get all(): readonly string[] {
    return this.lines;
  }

  /** Remember a line; the same one twice in a row counts once. */
  add(line: string): void {
    if (line.trim() && this.lines.at(-1) !== line) this.lines = [...this.lines, line].slice(-MOST);
    this.at = this.lines.length;
    this.typing = "";
  }

  /** The line before; what is being typed waits below all. */
  older(now: string): string {
    if (this.at === this.lines.length) this.typing = now;
    this.at = Math.max(0, this.at - 1);
    return this.lines[this.at] ?? now;
  }

  /** The line behind, and at last what was being typed. */
  newer(now: string): string {
    if (this.at >= this.lines.length) return now;
    this.at += 1;
    return this.lines[this.at] ?? this.typing;
  }
}
