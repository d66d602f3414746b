import { describe, expect, it } from "vitest";
import { canBeName, freeFile, freePoint, isFree, proposedName } from "../../src/teach/names";

describe("names", () => {
  it("are letters, digits and _, and begin with no digit", () => {
    expect(["pick_1", "_a", "A9"].every(canBeName)).toBe(true);
    expect(["", "1a", "a b", "a-b", "点", "x".repeat(65)].some(canBeName)).toBe(false);
  });

  it("of points are the first that is free, whatever the letters of those that are taken", () => {
    expect(freePoint([])).toBe("p1");
    expect(freePoint(["home", "P1", "p2", "p4"])).toBe("p3");
  });

  it("are taken in small and capital letters", () => {
    expect(isFree("Pick", ["pick"])).toBe(false);
    expect(isFree("pick2", ["pick"])).toBe(true);
  });
});

describe("the proposed name", () => {
  it("is the first where there is none", () => expect(proposedName([], "p1")).toBe("p1"));
  it("counts the last one on", () => expect(proposedName(["a", "pick_3"], "p1")).toBe("pick_4"));
  it("begins to count behind a name without a number", () => expect(proposedName(["home"], "p1")).toBe("home_2"));
  it("is always free and a name", () => {
    const taken: string[] = ["P3", "p2", "place"];
    for (let round = 0; round < 40; round++) {
      const name = proposedName(taken, "p1");
      expect(isFree(name, taken) && canBeName(name)).toBe(true);
      taken.push(name);
    }
  });
  it("jumps over what is taken", () => expect(proposedName(["P2", "p3", "p1"], "p1")).toBe("p4"));
});

it("a free file has the next number", () => {
  expect(freeFile("taught", ".ngc", ["taught_1.ngc", "TAUGHT_2.NGC", "taught_3.arm"])).toBe("taught_3.ngc");
});
