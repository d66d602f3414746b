import { describe, expect, it } from "vitest";
import type { ProgramState } from "../../src/messages";
import { isFile, linesIn, runs, whyOff } from "../../src/program/run_state";

const STATE: ProgramState = { key: "program", state: "running", name: "a.ngc", file: "/place/programs/a.ngc", line: 4, read_line: 9, moves: 2, seconds: 1, step: false, error: "", said: [] };

describe("a run", () => {
  it("runs until it has ended, stopped or failed", () => {
    expect(["ready", "running", "paused", "waiting", "ended", "stopped", "failed", ""].map((state) => runs({ ...STATE, state }))).toEqual([true, true, true, true, false, false, false, false]);
    expect(runs(null)).toBe(false);
  });

  it("marks lines of its own file only", () => {
    expect(linesIn(STATE, "a.ngc")).toEqual({ moving: 4, reading: 9 });
    expect(linesIn(STATE, "ba.ngc")).toEqual({ moving: 0, reading: 0 });
    expect(linesIn({ ...STATE, file: "/place/programs/sub.ngc" }, "a.ngc")).toEqual({ moving: 0, reading: 9 });
    expect(linesIn({ ...STATE, state: "ended" }, "a.ngc")).toEqual({ moving: 0, reading: 0 });
  });

  it("is of a file whose path ends with its whole name", () => {
    expect(isFile("/x/rows/a.ngc", "rows/a.ngc")).toBe(true);
    expect(isFile("/x/ba.ngc", "a.ngc")).toBe(false);
    expect(isFile("", "")).toBe(false);
  });
});

describe("why nothing can be run", () => {
  const fine = { operator: true, linked: true, control: true, holder: "me", state: "READY", file: true, problems: 0 };

  it("is nothing where all is well", () => expect(whyOff(fine)).toBeNull());

  it("says the first thing to be done", () => {
    expect(whyOff({ ...fine, operator: false, control: false })?.key).toBe("program.whyViewer");
    expect(whyOff({ ...fine, linked: false, control: false })?.key).toBe("program.whyLink");
    expect(whyOff({ ...fine, control: false, holder: "anna" })).toEqual({ key: "program.whyHolder", values: { name: "anna" } });
    expect(whyOff({ ...fine, control: false, holder: "" })?.key).toBe("program.whyControl");
    expect(whyOff({ ...fine, control: false, holder: "anna", mine: true })?.key).toBe("program.whyMine");
    expect(whyOff({ ...fine, state: "FAULTED", problems: 2 })).toEqual({ key: "program.whyState", values: { state: "FAULTED" } });
    expect(whyOff({ ...fine, file: false })?.key).toBe("program.whyNoFile");
    expect(whyOff({ ...fine, problems: 2 })).toEqual({ key: "program.whyProblems", values: { count: 2 } });
  });
});
