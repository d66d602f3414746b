import { describe, expect, it } from "vitest";
import { GCODE } from "../../src/editor/gcode";
import { tokens } from "./tokens";

describe("G-code in colours", () => {
  it("tells codes from the words of axes", () => {
    expect(tokens(GCODE, "N10 G1 X-100.5 F6000 ; along")).toEqual([
      ["N10", "meta"], ["G1", "typeName"], ["X", "propertyName"], ["-100.5", "number"], ["F", "propertyName"], ["6000", "number"], ["; along", "comment"],
    ]);
  });

  it("reads codes with a point and blanks inside words, as the language allows", () => {
    expect(tokens(GCODE, "g 59.3 x 1 0")[0]).toEqual(["g 59.3", "typeName"]);
  });

  it("tells what is said from what is only a comment", () => {
    expect(tokens(GCODE, "(MSG,now an arc) (a note) ( debug, #1)")).toEqual([["(MSG,now an arc)", "string"], ["(a note)", "comment"], ["( debug, #1)", "string"]]);
  });

  it("knows parameters by number, by name, and by parameter", () => {
    expect(tokens(GCODE, "#1 = 2\n#<_rounds> = ##3").filter(([, kind]) => kind === "variableName").map(([text]) => text)).toEqual(["#1", "#<_rounds>", "##3"]);
  });

  it("reads o-words with their keyword, and expressions with operators and functions", () => {
    expect(tokens(GCODE, "o101 while [#1 LT SIN[30]*2]")).toEqual([
      ["o101", "keyword"], ["while", "keyword"], ["[", "bracket"], ["#1", "variableName"], ["LT", "keyword"], ["SIN", "keyword"], ["[", "bracket"], ["30", "number"], ["]", "bracket"],
      ["*", "operator"], ["2", "number"], ["]", "bracket"],
    ]);
  });

  it("reads endwhile as one keyword, and named subroutines", () => {
    expect(tokens(GCODE, "o101 endwhile\no<pick> call [1]").filter(([, kind]) => kind === "keyword").map(([text]) => text)).toEqual(["o101", "endwhile", "o<pick>", "call"]);
  });

  it("marks letters in brackets that are no function", () => {
    expect(tokens(GCODE, "G0 X[q]")).toContainEqual(["q", "invalid"]);
  });

  it("begins each line anew: an open bracket does not reach the next", () => {
    expect(tokens(GCODE, "G0 X[1\nG1 Y2").slice(-3)).toEqual([["G1", "typeName"], ["Y", "propertyName"], ["2", "number"]]);
  });

  it("goes on over whatever is typed", () => {
    for (const text of ["(", "#", "#<", "o", "o<", "[[[", "%%", "é€", "/G0", "G", "**", "\t;"]) expect(() => tokens(GCODE, text)).not.toThrow();
  });
});
