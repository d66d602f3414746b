import { Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { changeOf, newWords } from "../../src/editor/fixes";
import { placed } from "../../src/editor/problems";

const TEXT = Text.of(["G0 X1200 Y0", "M2"]);
const problem = (line: number, column: number) => ({ line, column, text: "wrong", fix: null });

describe("problems at their lines", () => {
  it("stand at the word of their column", () => {
    expect(placed([problem(1, 4)], TEXT)[0]).toMatchObject({ line: 1, from: 3, to: 8, end: 11 });
  });

  it("stand at the whole line where they have no column", () => {
    expect(placed([problem(2, 0)], TEXT)[0]).toMatchObject({ from: 12, to: 12, end: 14 });
  });

  it("stand at the nearest line and column there is", () => {
    expect(placed([problem(99, 99)], TEXT)[0]).toMatchObject({ line: 2, from: 14, to: 14 });
    expect(placed([problem(0, 1)], TEXT)[0]).toMatchObject({ line: 1, from: 0 });
  });

  it("come in the order of the text", () => {
    expect(placed([problem(2, 1), problem(1, 4), problem(1, 1)], TEXT).map((each) => [each.line, each.column])).toEqual([[1, 1], [1, 4], [2, 1]]);
  });
});

describe("fixes", () => {
  const fix = { label: "Use X932", was: "G0 X1200 Y0", text: "G0 X932 Y0" };

  it("change no more of the line than differs", () => {
    const change = changeOf(fix, fix.was)!;
    expect(fix.was.slice(0, change.from) + change.insert + fix.was.slice(change.to)).toBe(fix.text);
    expect(change).toEqual({ from: 4, to: 8, insert: "932" });
  });

  it("change nothing where somebody has typed in the line since", () => {
    expect(changeOf(fix, "G0 X1200 Y01")).toBeNull();
  });

  it("are named by the words that come in", () => {
    expect(newWords("G0 X1200 Y0", "G0 X932 Y0")).toBe("X932");
    expect(newWords("MOVJ home", "MOVEJ home")).toBe("MOVEJ");
    expect(newWords("G0 X[1", "G0 X[1]")).toBe("1]");
    expect(newWords("G77", "")).toBe("");
  });
});
