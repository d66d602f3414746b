import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HoldButton, isOff } from "../../src/parts/hold";

let place: HTMLElement, button: HTMLButtonElement;
const held = vi.fn(), released = vi.fn();
const point = (kind: string, x: number, y: number): void =>
  void act(() => void button.dispatchEvent(Object.assign(new Event(kind, { bubbles: true }), { button: 0, pointerId: 1, clientX: x, clientY: y })));

beforeEach(() => {
  vi.useFakeTimers();
  place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<HoldButton onHold={held} onRelease={released}>+</HoldButton>, place));
  button = place.querySelector("button")!;
  button.setPointerCapture = () => undefined;
  button.getBoundingClientRect = () => ({ left: 100, right: 160, top: 100, bottom: 160 }) as DOMRect;
});
afterEach(() => {
  void act(() => render(null, place));
  vi.useRealTimers();
  vi.clearAllMocks();
});

it("who slides off lets go, and sliding back on is no press", () => {
  point("pointerdown", 130, 130);
  vi.advanceTimersByTime(100);
  expect(held).toHaveBeenCalledTimes(4);
  point("pointermove", 150, 120);
  expect(released).not.toHaveBeenCalled();
  point("pointermove", 200, 130);
  expect(released).toHaveBeenCalledOnce();
  point("pointermove", 130, 130);
  vi.advanceTimersByTime(1000);
  expect(held).toHaveBeenCalledTimes(4);
  point("pointerup", 130, 130);
  point("pointerdown", 130, 130); // a new press
  expect(held).toHaveBeenCalledTimes(5);
});

it("a finger that rolls over the edge is still on it", () => {
  const box = { left: 0, right: 56, top: 0, bottom: 56 };
  expect([isOff({ clientX: 60, clientY: 28 }, box), isOff({ clientX: 70, clientY: 28 }, box), isOff({ clientX: 28, clientY: -10 }, box)]).toEqual([false, true, true]);
});
