import { afterEach, describe, expect, it, vi } from "vitest";
import { Refused } from "../../src/refused";
import { placeOf, programRefusal, typedRefusal } from "../../src/program/refusal";

afterEach(() => vi.unstubAllGlobals());

describe("what a line or a program was refused for", () => {
  it("has its place taken off, wherever it stands", () => {
    expect(placeOf("bad.ngc:3:8: 'y' is no operator in an expression\n  G1 X[1 Y2\n         ^")).toEqual({ line: 3, column: 8, text: "'y' is no operator in an expression" });
    expect(placeOf(":1: there is no way there: beyond reach by 2 m (:1)")).toEqual({ line: 1, column: 0, text: "there is no way there: beyond reach by 2 m" });
    expect(placeOf("the cell is OFF; it must be READY")).toEqual({ line: 0, column: 0, text: "the cell is OFF; it must be READY" });
    expect(placeOf("the pose cannot be reached: beyond reach")).toMatchObject({ line: 0, text: "the pose cannot be reached: beyond reach" });
  });

  it("of a typed line says the column at most: there is one line", () => {
    expect(typedRefusal(new Error("program:1:4: there is no G77; the nearest is G97"))).toBe("column 4: there is no G77; the nearest is G97");
    expect(typedRefusal(new Error(":1: out of reach (:1)"))).toBe("out of reach");
  });

  it("of a program is its first problem, with its line", () => {
    expect(programRefusal(new Refused(409, "bad.ngc:4:1: there is no G77\n  G77\n  ^", "BadGcode"))).toBe("Line 4: there is no G77");
    expect(programRefusal(new Refused(409, "the cell is OFF", "Refused"))).toBeNull();
    expect(programRefusal(new Error("bad.ngc:4:1: wrong"))).toBeNull();
  });
});
