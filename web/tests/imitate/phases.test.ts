import { describe, expect, it } from "vitest";
import { ableIn, lookOf } from "../../src/imitate/phases";
import type { Phase } from "../../src/imitate/imitation";

const PHASES: readonly Phase[] = ["released", "easing", "following", "frozen", "waiting"];

describe("phases of the clutch", () => {
  it("it is closed while the robot does what the person does, or waits for it", () => {
    expect(PHASES.filter((phase) => ableIn(phase, true, true).closed)).toEqual(["easing", "following", "waiting"]);
    expect(PHASES.filter((phase) => ableIn(phase, true, true).engage)).toEqual(["released", "frozen"]);
    expect(PHASES.filter((phase) => ableIn(phase, true, true).freeze)).toEqual(["easing", "following", "waiting"]);
    expect(PHASES.filter((phase) => ableIn(phase, true, true).release)).toEqual(["easing", "following", "frozen", "waiting"]);
  });

  it.each(PHASES)("%s: nothing without control; a robot that cannot move can still be let go", (phase) => {
    const { closed, ...orders } = ableIn(phase, false, true);
    expect(Object.values(orders)).toEqual([false, false, false]);
    const still = ableIn(phase, true, false);
    expect([still.engage, still.freeze, still.release]).toEqual([false, closed, phase !== "released"]);
  });

  it("a clutch that opened by itself looks bad until it is closed again", () => {
    expect(lookOf({ phase: "released", lost: "nobody holds to run" })).toBe("bad");
    expect(PHASES.map((phase) => lookOf({ phase, lost: "" }))).toEqual(["", "good", "good", "", "warns"]);
  });
});
