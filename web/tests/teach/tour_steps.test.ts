import { describe, expect, it } from "vitest";
import { hasMoved, next, type Seen, stepsFor } from "../../src/teach/tour_steps";

const seen = (change: Partial<Seen> = {}): Seen => ({ page: "move", control: true, state: "READY", mode: "manual", ...change });

describe("the tour's next hint", () => {
  it("leads to control, power and manual mode before it says to hold a button", () => {
    expect(next("jog", seen({ control: false, state: "OFF" }))).toEqual(["tour.jogControl", "control"]);
    expect(next("jog", seen({ state: "OFF" }))).toEqual(["tour.jogPower", "way-out"]);
    expect(next("jog", seen({ state: "FAULTED" }))).toEqual(["tour.jogFault", "way-out"]);
    expect(next("jog", seen({ mode: "automatic" }))).toEqual(["tour.jogManual", "mode"]);
    expect(next("jog", seen({ page: "io" }))).toEqual(["tour.jogPage", "page-move"]);
    expect(next("jog", seen())).toEqual(["tour.jogHold", "jog"]);
  });

  it("needs no control to teach", () => {
    expect(next("teach", seen({ control: false }))).toEqual(["tour.teachPage", "page-teach"]);
    expect(next("teach", seen({ control: false, page: "teach" }))).toEqual(["tour.teachHere", "teach"]);
  });

  it("says to hold in manual mode, and to press in automatic", () => {
    expect(next("run", seen({ page: "program" }))?.[0]).toBe("tour.runHold");
    expect(next("run", seen({ page: "program", mode: "automatic" }))?.[0]).toBe("tour.runPress");
    expect(next("run", seen())?.[1]).toBe("page-program");
  });

  it("is none at the end", () => expect(next("done", seen())).toBeNull());
});

it("an operator is not asked to teach", () => expect(stepsFor(false)).not.toContain("teach"));

describe("a robot has moved", () => {
  it("when one joint went half a degree", () => expect(hasMoved([0, 1], [0, 1.009])).toBe(true));
  it("not when it trembles", () => expect(hasMoved([0, 1], [0.0005, 1.0005])).toBe(false));
  it("not when it became another robot", () => expect(hasMoved([0, 1], [1])).toBe(false));
});
