import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EVERY, Repeated } from "../../src/parts/repeated";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is done at once and again until it is ended, also from within", () => {
  const repeated = new Repeated(), work = vi.fn();
  repeated.begin(work);
  repeated.begin(work); // one hand holds it once
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(3 * EVERY);
  expect(work).toHaveBeenCalledTimes(4);
  expect([repeated.end(), repeated.end(), repeated.goesOn]).toEqual([true, false, false]);
  vi.advanceTimersByTime(10 * EVERY);
  expect(work).toHaveBeenCalledTimes(4);
  repeated.begin(() => void repeated.end());
  expect(repeated.goesOn).toBe(false);
});
