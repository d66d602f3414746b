/** An order that is given once when a button is pressed, and whose motion goes on only while it is held. */

export class HeldOrder {
  private held = false;
  private pending = false;

  /**
   * @param order Asks for the motion; settles when the cell has taken it, or not.
   * @param press Says that it is still held. `release` says that it no longer is.
   */
  constructor(
    private readonly order: () => Promise<unknown>,
    private readonly press: () => void,
    private readonly release: () => void,
  ) {}

  /** Called at once and again and again while the button is held. */
  hold(): void {
    // The press comes first: a motion that the cell takes while nobody is known to hold it stops at once.
    this.press();
    if (this.held) return;
    this.held = true;
    if (this.pending) return; // let go and pressed again while it was still being planned: one motion is enough
    this.pending = true;
    void this.order().finally(() => (this.pending = false));
  }

  letGo(): void {
    this.held = false;
    this.release();
  }
}
