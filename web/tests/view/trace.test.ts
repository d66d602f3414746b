import { describe, expect, it } from "vitest";
import { Trace } from "../../src/view/trace";

const segment = (trace: Trace, number: number): number[] => Array.from(trace.segments.slice(6 * number, 6 * number + 6)).map((value) => Number(value.toFixed(4)));

describe("the trace", () => {
  it("joins each place to the one before", () => {
    const trace = new Trace();
    expect(trace.add(0, 0, 0, 0)).toBe(false);
    expect(trace.add(0.1, 0.01, 0, 0)).toBe(true);
    expect(trace.add(0.2, 0.01, 0.02, 0)).toBe(true);
    expect(trace.count).toBe(2);
    expect(segment(trace, 0)).toEqual([0, 0, 0, 0.01, 0, 0]);
    expect(segment(trace, 1)).toEqual([0.01, 0, 0, 0.01, 0.02, 0]);
  });

  it("does not grow while the tool stands still or trembles", () => {
    const trace = new Trace(20, 0.002);
    for (let at = 0; at < 500; at++) trace.add(at / 60, 0.0009 * (at % 2), 0, 0);
    expect(trace.count).toBe(0);
  });

  it("sees slow motion too, once it adds up", () => {
    const trace = new Trace(20, 0.002);
    for (let at = 0; at <= 600; at++) trace.add(at / 60, 0.0001 * at, 0, 0);
    expect(trace.count).toBeGreaterThan(25);
    expect(trace.count).toBeLessThanOrEqual(30);
  });

  it("forgets what is older than its seconds, and nothing else", () => {
    const trace = new Trace(2);
    for (let at = 0; at <= 40; at++) trace.add(at / 10, 0.01 * at, 0, 0);
    expect(trace.trim(4)).toBe(true);
    expect(trace.trim(4)).toBe(false);
    expect(trace.count).toBe(21);
    expect(segment(trace, 0)).toEqual([0.19, 0, 0, 0.2, 0, 0]);
    expect(segment(trace, trace.count - 1)).toEqual([0.39, 0, 0, 0.4, 0, 0]);
  });

  it("draws no line over a time of which it knows nothing", () => {
    const trace = new Trace();
    trace.add(0, 0, 0, 0);
    trace.add(0.1, 0.01, 0, 0);
    trace.add(5, 1, 1, 1);
    trace.add(5.1, 1, 1, 1.01);
    expect(trace.count).toBe(2);
    expect(segment(trace, 1)).toEqual([1, 1, 1, 1, 1, 1.01]);
  });

  it("begins anew when the clock does", () => {
    const trace = new Trace();
    trace.add(100, 0, 0, 0);
    trace.add(100.1, 0.01, 0, 0);
    expect(trace.add(0, 0.5, 0, 0)).toBe(true);
    expect(trace.count).toBe(0);
    trace.add(0.1, 0.51, 0, 0);
    expect(trace.count).toBe(1);
  });

  it("keeps the newest when it is full", () => {
    const trace = new Trace(1000, 0.001, 16);
    for (let at = 0; at <= 200; at++) trace.add(at / 60, 0.01 * at, 0, 0);
    expect(trace.count).toBeLessThanOrEqual(16);
    expect(segment(trace, trace.count - 1)).toEqual([1.99, 0, 0, 2, 0, 0]);
  });
});
