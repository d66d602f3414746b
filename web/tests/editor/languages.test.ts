import { expect, it } from "vitest";
import { languageOf } from "../../src/editor/languages";

it("a file's ending tells its language, small or capital", () => {
  expect(["a.ngc", "b.NC", "sub/c.gcode", "d.arm", "e.toml", "f.py", "arm", ".arm", ""].map(languageOf)).toEqual(["gcode", "gcode", "gcode", "script", "moves", "", "", "", ""]);
});
