import { describe, expect, it } from "vitest";
import { formOf, isProblem, typed, type Workspace, workspaceOf } from "../../src/system/workspace_form";

const SPACE: Workspace = {
  box_min: [-0.8, -0.75, 0.0125], box_max: [0.8, 0.75, 1.2], planes: [{ point: [0, 0, 0.05], normal: [0, 0, 1] }], tool_speed: 1.5,
};

describe("limits of the workspace", () => {
  it("are typed in millimetres and come back as they were", () => {
    expect(formOf(SPACE).box?.low).toEqual(["-800", "-750", "12.5"]);
    expect(workspaceOf(formOf(SPACE))).toEqual(SPACE);
  });

  it("may be none", () => {
    const none: Workspace = { box_min: null, box_max: null, planes: [], tool_speed: null };
    expect(workspaceOf(formOf(none))).toEqual(none);
  });

  it("are refused where they say nothing", () => {
    const form = formOf(SPACE), problem = (changed: typeof form): string => {
      const found = workspaceOf(changed);
      return isProblem(found) ? `${found.where} ${found.text}` : "";
    };
    expect(problem({ ...form, box: { ...form.box!, high: ["-900", "750", "1200"] } })).toBe("box system.boxEmpty");
    expect(problem({ ...form, box: { ...form.box!, low: ["", "0", "0"] } })).toBe("box system.notNumber");
    expect(problem({ ...form, planes: [{ point: ["0", "0", "0"], normal: ["0", "0", "0"] }] })).toBe("plane0 system.noNormal");
    expect(problem({ ...form, speed: "0" })).toBe("speed system.badSpeed");
    expect(problem({ ...form, speed: "" })).toBe("");
  });

  it("take a comma for a point, and no words", () => {
    expect([typed(" 12,5 "), typed("−3"), typed("+.5")]).toEqual([12.5, -3, 0.5]);
    for (const text of ["", "abc", "1e9", "1 2", "--3", "0x10", "Infinity"]) expect(typed(text)).toBeNaN();
  });
});
