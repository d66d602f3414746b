import { afterEach, beforeEach, expect, it } from "vitest";
import { letGo } from "../../src/cell";
import { keyShares, watchKeys } from "../../src/keys";
import type { Six } from "../../src/move/shares";

let asked: Six[], released: number, end: () => void;
beforeEach(() => {
  [asked, released] = [[], 0];
  end = watchKeys((shares) => void asked.push(shares), () => void (released += 1));
});
afterEach(() => end());

function key(type: "keydown" | "keyup", name: string, more: KeyboardEventInit = {}, at: EventTarget = window): KeyboardEvent {
  const event = new KeyboardEvent(type, { key: name, shiftKey: true, bubbles: true, cancelable: true, ...more });
  at.dispatchEvent(event);
  return event;
}

it("moves along X, Y and Z", () => {
  expect(keyShares(new Set(["ArrowUp"]))).toEqual([1, 0, 0, 0, 0, 0]);
  expect(keyShares(new Set(["ArrowLeft", "PageDown"]))).toEqual([0, 1, -1, 0, 0, 0]);
  expect(keyShares(new Set(["ArrowUp", "ArrowDown"]))).toEqual([0, 0, 0, 0, 0, 0]);
});

it("does nothing without Shift, and leaves the key to the page", () => {
  expect(key("keydown", "ArrowUp", { shiftKey: false }).defaultPrevented).toBe(false);
  expect(asked).toEqual([]);
});

it("ends with the key, with Shift, and with lost focus", () => {
  key("keydown", "ArrowUp");
  key("keyup", "ArrowUp");
  expect([asked.length, released]).toEqual([1, 1]);
  key("keydown", "ArrowUp");
  key("keyup", "Shift", { shiftKey: false });
  expect([asked.length, released]).toEqual([2, 2]);
  key("keydown", "PageUp");
  window.dispatchEvent(new Event("blur"));
  expect([asked.length, released]).toEqual([3, 3]);
  key("keydown", "PageUp");
  letGo();
  expect([asked.length, released]).toEqual([4, 4]);
});

it("does not begin again by a key that repeats after it was let go", () => {
  key("keydown", "ArrowUp");
  letGo();
  key("keydown", "ArrowUp", { repeat: true });
  expect(asked).toHaveLength(1);
});

it("leaves arrows to who writes", () => {
  const box = document.createElement("input");
  document.body.append(box);
  key("keydown", "ArrowLeft", {}, box);
  box.remove();
  expect(asked).toEqual([]);
});

it("goes on with the key that is still down", () => {
  key("keydown", "ArrowUp");
  key("keydown", "PageUp");
  key("keyup", "ArrowUp");
  expect(asked.at(-1)).toEqual([0, 0, 1, 0, 0, 0]);
  expect(released).toBe(0);
});
