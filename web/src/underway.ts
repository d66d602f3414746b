/** A press answers at once: the button that asked the cell for something shows that this is under way, until the answer is there. */

const SOON = 60; // ms after a press in which what is asked counts as asked by it
const asking = new WeakMap<Element, number>(); // how much each button waits for
let pressed: { readonly button: Element; readonly at: number } | null = null;

/** Notice which button was pressed last, wherever it is. */
export function watchPresses(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    pressed = button ? { button, at: performance.now() } : null;
  }, true);
}

/** Do something that takes time, shown on the button that was pressed for it. */
export async function underway<T>(work: () => Promise<T>): Promise<T> {
  const button = pressed && performance.now() - pressed.at < SOON ? pressed.button : null;
  if (!button) return work();
  asking.set(button, (asking.get(button) ?? 0) + 1);
  button.setAttribute("aria-busy", "true");
  try {
    return await work();
  } finally {
    const left = (asking.get(button) ?? 1) - 1;
    asking.set(button, left);
    if (left === 0) button.removeAttribute("aria-busy");
  }
}
