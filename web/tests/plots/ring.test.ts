import { describe, expect, it } from "vitest";
import { Ring } from "../../src/plots/ring";

function filled(capacity: number, samples: number): Ring {
  const ring = new Ring(capacity, 2);
  for (let sample = 0; sample < samples; sample += 1) {
    const slot = ring.next();
    ring.columns[0]![slot] = sample / 10;
    ring.columns[1]![slot] = -sample;
  }
  return ring;
}

describe("a ring", () => {
  it("keeps the newest samples by their numbers, and forgets the oldest", () => {
    const ring = filled(4, 10);
    expect([ring.first, ring.end]).toEqual([6, 10]);
    expect([6, 7, 8, 9].map((sample) => ring.at(1, sample))).toEqual([-6, -7, -8, -9]);
    expect(ring.at(1, 5)).toBeNaN();
    expect(ring.at(1, 10)).toBeNaN();
  });

  it("never takes new memory", () => {
    const ring = new Ring(8, 2), before = ring.columns.map((column) => column.buffer);
    for (let sample = 0; sample < 100; sample += 1) ring.next();
    expect(ring.columns.map((column) => column.buffer)).toEqual(before);
    expect(ring.columns.every((column) => column.length === 8)).toBe(true);
  });

  it.each([3, 4, 7, 50])("finds a time among %i samples as a search from the front does", (samples) => {
    const ring = filled(4, samples);
    for (let time = -0.05; time < samples / 10 + 0.2; time += 0.05) {
      let slow = ring.first;
      while (slow < ring.end && ring.at(0, slow) < time) slow += 1;
      expect(ring.find(0, time)).toBe(slow);
    }
  });

  it("gives a copy that stands still", () => {
    const ring = filled(4, 6), still = ring.copy();
    ring.columns[1]![ring.next()] = 99;
    expect([still.first, still.end, still.at(1, 5)]).toEqual([2, 6, -5]);
  });
});
