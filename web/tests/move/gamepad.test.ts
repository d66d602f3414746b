import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { letGo } from "../../src/cell";
import { DEAD_MAN, type Pad, padName, padShares, plainName, watchPad } from "../../src/gamepad";
import type { Six } from "../../src/move/shares";

function pad(axes: number[], ...pressed: number[]): Pad {
  return { id: "Pad (Vendor: 1)", connected: true, axes, buttons: Array.from({ length: 17 }, (_, index) => ({ pressed: pressed.includes(index) })) };
}

describe("what a pad asks for", () => {
  it("is nothing while its dead-man button is not held, however it is pushed", () => {
    expect(padShares(pad([1, 1, 1, 1], 0, 1, 2, 3, 4, 6, 7, 12, 14))).toEqual([0, 0, 0, 0, 0, 0]);
  });
  it("is nothing for a pad that lies still with a little drift", () => {
    expect(padShares(pad([0.05, -0.06, 0.1, 0.02], DEAD_MAN))).toEqual([0, 0, 0, 0, 0, 0]);
  });
  it("is forward, left, up and a turn to the left for sticks pushed so", () => {
    expect(padShares(pad([0, -1, 0, 0], DEAD_MAN))).toEqual([1, 0, 0, 0, 0, 0]);
    expect(padShares(pad([-1, 0, 0, 0], DEAD_MAN))).toEqual([0, 1, 0, 0, 0, 0]);
    expect(padShares(pad([0, 0, -1, -1], DEAD_MAN))).toEqual([0, 0, 1, 0, 0, 1]);
  });
  it("is no motion for axes that are missing or no numbers", () => {
    expect(padShares(pad([Number.NaN], DEAD_MAN))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe("a pad that is watched", () => {
  let now: Pad | null, asked: Six[], released: number, end: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    [now, asked, released] = [null, [], 0];
    vi.stubGlobal("isSecureContext", true);
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    Object.defineProperty(navigator, "getGamepads", { configurable: true, value: () => [null, now] });
    end = watchPad((shares) => void asked.push(shares), () => void (released += 1));
  });
  afterEach(() => {
    end();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it("is named, moves while it is held, and releases once", () => {
    now = pad([0, -1, 0, 0], DEAD_MAN);
    vi.advanceTimersByTime(100);
    expect(padName.value).toBe("Pad");
    expect(asked.length).toBeGreaterThan(1);
    now = pad([0, -1, 0, 0]);
    vi.advanceTimersByTime(100);
    expect(released).toBe(1);
  });
  it("releases when it is unplugged", () => {
    now = pad([0, -1, 0, 0], DEAD_MAN);
    vi.advanceTimersByTime(50);
    now = null;
    vi.advanceTimersByTime(50);
    expect(released).toBe(1);
  });
  it("needs its dead-man button anew after everything was let go", () => {
    now = pad([0, -1, 0, 0], DEAD_MAN);
    vi.advanceTimersByTime(50);
    letGo();
    const before = asked.length;
    expect(released).toBe(1);
    vi.advanceTimersByTime(200);
    expect(asked).toHaveLength(before);
    now = pad([0, 0, 0, 0]);
    vi.advanceTimersByTime(50);
    now = pad([0, -1, 0, 0], DEAD_MAN);
    vi.advanceTimersByTime(50);
    expect(asked.length).toBeGreaterThan(before);
  });
});

it("leaves out what browsers add to a pad's name", () => {
  expect(plainName("Xbox Wireless Controller (STANDARD GAMEPAD Vendor: 045e Product: 02fd)")).toBe("Xbox Wireless Controller");
  expect(plainName("(odd)")).toBe("(odd)");
});
