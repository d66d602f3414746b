import { describe, expect, it } from "vitest";
import { ROBOT_COMMANDS } from "../../src/editor/robot_commands";
import { tokens } from "./tokens";

describe("robot commands in colours", () => {
  it("reads all seven parts of a command", () => {
    expect(tokens(ROBOT_COMMANDS, "P0001 MOVEJ_RPY_LSPB {TCP} 0.00 -3 [20] (mm,deg,s) {B}")).toEqual([
      ["P0001", "meta"], ["MOVEJ_RPY_LSPB", "typeName"], ["{TCP}", "variableName"], ["0.00", "number"], ["-", "operator"], ["3", "number"], ["[", "bracket"], ["20", "number"], ["]", "bracket"],
      ["(", "bracket"], ["mm", "unit"], ["deg", "unit"], ["s", "unit"], [")", "bracket"], ["{B}", "variableName"],
    ]);
  });

  it("takes words small or capital", () => {
    expect(tokens(ROBOT_COMMANDS, "for i = 1 to 3\nend").filter(([, kind]) => kind === "keyword").map(([text]) => text)).toEqual(["for", "to", "end"]);
  });

  it("tells a variable that is set from an index", () => {
    expect(tokens(ROBOT_COMMANDS, "count = 0")[0]).toEqual(["count", "variableName"]);
    expect(tokens(ROBOT_COMMANDS, "P2 STOP")).toEqual([["P2", "meta"], ["STOP", "keyword"]]);
  });

  it("reads parts of points, functions, texts and comments", () => {
    expect(tokens(ROBOT_COMMANDS, 'MESSAGE "a \\"b\\" # c" home.z max(1, 2) # why')).toEqual([
      ["MESSAGE", "typeName"], ['"a \\"b\\" # c"', "string"], ["home", "variableName"], ["z", "propertyName"], ["max", "keyword"], ["(", "bracket"], ["1", "number"], ["2", "number"],
      [")", "bracket"], ["# why", "comment"],
    ]);
  });

  it("marks what no command can hold", () => {
    expect(tokens(ROBOT_COMMANDS, "MOVEJ ready $")).toContainEqual(["$", "invalid"]);
  });

  it("goes on over whatever is typed", () => {
    for (const text of ['"', "{", "}", ".", "é", "1e", "!", "P", "a.b.c", "€"]) expect(() => tokens(ROBOT_COMMANDS, text)).not.toThrow();
  });
});
