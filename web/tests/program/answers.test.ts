import { describe, expect, it } from "vitest";
import { problemOfError, readProblem } from "../../src/program/answers";
import { difference } from "../../src/program/difference";
import { newName, withEnding } from "../../src/program/file_names";
import { languageOf } from "../../src/editor/languages";
import { ghostAt, pathWith } from "../../src/program/path_preview";
import { TypedLines } from "../../src/program/typed_lines";

const use = (text: string): string => `Use ${text}`;

describe("problems from the cell", () => {
  it("have the fix of their line, named by what is new in it", () => {
    const read = readProblem({ line: 8, column: 4, text: "beyond reach", fix: "G0 X932 Y0" }, () => "G0 X1200 Y0", use);
    expect(read).toEqual({ line: 8, column: 4, text: "beyond reach", fix: { label: "Use X932", was: "G0 X1200 Y0", text: "G0 X932 Y0" } });
  });

  it("have no fix where there is none, or none that changes anything", () => {
    expect(readProblem({ text: "wrong" }, () => "", use)).toEqual({ line: 0, column: 0, text: "wrong", fix: null });
    expect(readProblem({ line: 1, column: 1, text: "wrong", fix: "M2" }, () => "M2", use).fix).toBeNull();
  });

  it("of a run stand at the line that its error names", () => {
    expect(problemOfError("/place/programs/a.ngc:8:4: too far; move it\n  G0\n  ^", "a.ngc", 3)).toEqual({ line: 8, column: 4, text: "too far; move it", fix: null });
    expect(problemOfError("the station is gone", "a.ngc", 3)).toMatchObject({ line: 3, text: "the station is gone" });
    expect(problemOfError("/place/programs/sub.ngc:8: too far", "a.ngc", 3)).toBeNull();
    expect(problemOfError("", "a.ngc", 3)).toBeNull();
    expect(problemOfError("program:1:1: there is no G77", "a.ngc", 0, true)).toMatchObject({ line: 1, text: "there is no G77" });
    expect(problemOfError("program:1:1: there is no G77", "a.ngc", 0, false)).toBeNull(); // another one was run
  });
});

describe("names of files", () => {
  it("get the ending of their language unless they have one", () => {
    expect(withEnding(" rows ", "script", languageOf)).toBe("rows.arm");
    expect(withEnding("rows.nc", "script", languageOf)).toBe("rows.nc");
    expect(withEnding("v1.2", "gcode", languageOf)).toBe("v1.2.ngc");
    expect(withEnding("  ", "gcode", languageOf)).toBe("");
  });

  it("are proposed where none has them", () => {
    expect(newName(["program1.ngc"], "gcode")).toBe("program2.ngc");
    expect(newName(["program1.ngc"], "script")).toBe("program1.arm");
  });
});

describe("two texts", () => {
  it("differ between what both begin and end with", () => {
    expect(difference("a\nb\nc", "a\nx\ny\nc")).toEqual({ line: 2, mine: ["b"], theirs: ["x", "y"] });
    expect(difference("a\na", "a\na\na")).toEqual({ line: 3, mine: [], theirs: ["a"] });
    expect(difference("same", "same")).toEqual({ line: 2, mine: [], theirs: [] });
  });
});

describe("the path of a program", () => {
  const answer = { points: [[0, 0, 0], [1, 0, 0]] as [number, number, number][], lines: [4, 5], ends: [{ line: 4, q: [1] }, { line: 4, q: [2] }], seconds: 1, problem: null, whole: true };

  it("is brighter at a line that moves, and at no other", () => {
    expect(pathWith(answer, 5).chosen).toBe(5);
    expect(pathWith(answer, 6)).not.toHaveProperty("chosen");
  });

  it("ends at a line where the robot is the last time that it comes by", () => {
    expect(ghostAt(answer.ends, 4, "line 4")).toEqual({ q: [2], label: "line 4" });
    expect(ghostAt(answer.ends, 5, "line 5")).toBeNull();
  });
});

describe("typed lines", () => {
  it("come back with the arrows, and what was being typed last", () => {
    const lines = new TypedLines(["G0 X1"]);
    lines.add("G0 X2");
    expect(lines.older("G0 X")).toBe("G0 X2");
    expect(lines.older("G0 X2")).toBe("G0 X1");
    expect(lines.older("G0 X1")).toBe("G0 X1");
    expect(lines.newer("G0 X1")).toBe("G0 X2");
    expect(lines.newer("G0 X2")).toBe("G0 X");
    expect(lines.newer("G0 X")).toBe("G0 X");
  });

  it("are kept once in a row, never empty, and a hundred at most", () => {
    const lines = new TypedLines();
    ["a", "a", " ", "b"].forEach((each) => lines.add(each));
    expect(lines.all).toEqual(["a", "b"]);
    for (let number = 0; number < 150; number += 1) lines.add(`G0 X${number}`);
    expect(lines.all).toHaveLength(100);
    expect(lines.older("")).toBe("G0 X149");
  });
});
