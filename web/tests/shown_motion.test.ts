import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { motion } from "../src/cell";
import { shownMotion, sparsely } from "../src/shown_motion";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("shows few of many values, and always the last", () => {
  const source = signal<number | null>(null), seen: (number | null)[] = [];
  const [shown, end] = sparsely(source, 100);
  const off = shown.subscribe((value) => seen.push(value));
  for (let at = 0; at < 60; at++) {
    source.value = at;
    vi.advanceTimersByTime(16);
  }
  vi.advanceTimersByTime(200);
  expect(seen.length).toBeLessThan(14);
  expect(seen.length).toBeGreaterThan(6);
  expect(seen.at(-1)).toBe(59);
  source.value = 1000;
  vi.advanceTimersByTime(500);
  source.value = null; // no cell, no figures: at once
  expect(shown.value).toBeNull();
  off();
  end();
});

it("a graphics card has every one", () => expect(shownMotion).toBe(motion));
