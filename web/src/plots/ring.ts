/** The newest samples of many columns, in memory that is taken once: nothing is allocated for a sample. */

export class Ring {
  readonly columns: readonly Float64Array[];
  private written = 0;

  constructor(
    readonly capacity: number,
    readonly width: number,
  ) {
    this.columns = Array.from({ length: width }, () => new Float64Array(capacity));
  }

  /** Where the next sample's values go: what stood there `capacity` samples ago is gone. */
  next(): number {
    const slot = this.written % this.capacity;
    this.written += 1;
    return slot;
  }

  /** Number of the oldest sample that is still there. */
  get first(): number {
    return Math.max(0, this.written - this.capacity);
  }

  /** Number of the next sample: one more than the newest's. */
  get end(): number {
    return this.written;
  }

  /** A value by its column and its sample's number; NaN for one that is not there. */
  at(column: number, sample: number): number {
    if (sample < this.first || sample >= this.written) return NaN;
    return this.columns[column]?.[sample % this.capacity] ?? NaN;
  }

  /** The first sample whose value in a rising column is `value` or more. */
  find(column: number, value: number): number {
    let low = this.first, high = this.written;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(column, middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  clear(): void {
    this.written = 0;
  }

  /** As it is now, for somebody who wants to look at it in peace. */
  copy(): Ring {
    const still = new Ring(this.capacity, this.width);
    this.columns.forEach((column, index) => still.columns[index]!.set(column));
    still.written = this.written;
    return still;
  }
}
