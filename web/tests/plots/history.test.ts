import { describe, expect, it } from "vitest";
import { History, RATE } from "../../src/plots/history";
import { motionAt } from "./motion";

describe("the last minute", () => {
  it("holds sixty seconds at sixty a second, whatever came before", () => {
    const history = new History(2);
    for (let sample = 0; sample < 200 * RATE; sample += 1) history.add(motionAt(sample / RATE));
    expect(history.newest - history.oldest).toBeGreaterThanOrEqual(60);
    expect(history.ring.end - history.ring.first).toBe(history.ring.capacity);
  });

  it("knows each quantity of each joint, and what is not measured is not a number", () => {
    const history = new History(2);
    history.add(motionAt(1));
    const at = (source: "q" | "error" | "torque" | "measured_torque", joint: number): number => history.ring.at(history.column(source, joint), 0);
    expect(at("q", 1)).toBe(2);
    expect(at("error", 0)).toBeCloseTo(0.01);
    expect(at("torque", 1)).toBe(4);
    expect(at("measured_torque", 1)).toBeNaN();
    expect(at("error", 1)).toBeNaN();
  });

  it("passes over what it has heard already", () => {
    const history = new History(2);
    history.add(motionAt(1));
    history.add(motionAt(1));
    expect(history.ring.end).toBe(1);
  });

  it("breaks the line where the link was lost", () => {
    const history = new History(2);
    history.add(motionAt(1));
    history.add(motionAt(4));
    expect(history.ring.end).toBe(3);
    expect(history.ring.at(history.column("q", 0), 1)).toBeNaN();
    expect([0, 1, 2].map((sample) => history.ring.at(History.time, sample))).toEqual([1, 1.25, 4]);
  });

  it("begins anew when the cell's clock does", () => {
    const history = new History(2);
    history.add(motionAt(100));
    history.add(motionAt(0.5));
    expect([history.oldest, history.newest]).toEqual([0.5, 0.5]);
  });
});

