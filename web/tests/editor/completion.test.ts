import { describe, expect, it } from "vitest";
import { offerGcode, offerScript, ownNames, type Offer } from "../../src/editor/completion";

const WORDS = { words: ["G0", "G1", "M2", "SIN", "while"], points: ["home", "pick"], frames: ["table"], tools: ["gripper"] };
const labels = (offer: Offer | null): string[] => offer?.options.map((each) => each.label) ?? [];

describe("completing robot commands", () => {
  it("offers commands where a line begins, also behind an index", () => {
    expect(labels(offerScript("  MO", "", WORDS, false))).toContain("MOVEJ");
    expect(labels(offerScript("P0001 MO", "", WORDS, false))).toContain("MOVEJ_RPY_LSPB");
  });

  it("offers taught points and the program's own names behind a motion, and no commands", () => {
    const offered = labels(offerScript("MOVEL p", "POINT place = 1 2 3 4 5 6\nrow = 3", WORDS, false));
    expect(offered).toEqual(expect.arrayContaining(["pick", "place", "row"]));
    expect(offered).not.toContain("MOVEJ");
  });

  it("offers frames and tools in braces, and each behind its word", () => {
    const offer = offerScript("MOVEL {ta", "", WORDS, false);
    expect(offer?.from).toBe(7);
    expect(labels(offer)).toEqual(["TCP", "B", "table", "gripper"]);
    expect(labels(offerScript("TOOL g", "", WORDS, false))).toEqual(["gripper"]);
    expect(labels(offerScript("FRAME t", "", WORDS, false))).toEqual(["B", "table"]);
  });

  it("says nothing in comments and texts", () => {
    expect(offerScript("DWELL 1 # mo", "", WORDS, true)).toBeNull();
    expect(offerScript('MESSAGE "mo', "", WORDS, true)).toBeNull();
    expect(offerScript('MESSAGE "a" co', "count = 1", WORDS, false)?.from).toBe(12);
  });

  it("waits for a letter unless it is asked", () => {
    expect(offerScript("MOVEJ ", "", WORDS, false)).toBeNull();
    expect(labels(offerScript("MOVEJ ", "", WORDS, true))).toContain("home");
  });

  it("knows the names that a program gives itself", () => {
    expect(ownNames("JOINTS ready = 0\nFOR i = 1 TO 2\nSUB place(row)\nLABEL again\nx = 3\nIF x == 3\nspeed = 2")).toEqual(["ready", "i", "place", "again", "x"]);
  });
});

describe("completing G-code", () => {
  it("offers codes, and in brackets functions and operators", () => {
    expect(labels(offerGcode("G", "", WORDS, false))).toEqual(["G0", "G1", "M2"]);
    expect(labels(offerGcode("#1 = [S", "", WORDS, false))).toEqual(expect.arrayContaining(["SIN", "MOD"]));
  });

  it("offers keywords behind an o-word", () => {
    expect(labels(offerGcode("o101 w", "", WORDS, false))).toContain("while");
  });

  it("offers names of parameters, and closes them", () => {
    const offer = offerGcode("G0 X#<ro", "#<rounds> = 2\n#<rounds> = 3", WORDS, false);
    expect(offer).toEqual({ from: 6, options: [{ label: "rounds", apply: "rounds>" }] });
  });

  it("says nothing in comments", () => {
    expect(offerGcode("G0 (G", "", WORDS, true)).toBeNull();
    expect(offerGcode("G0 ; G", "", WORDS, true)).toBeNull();
    expect(offerGcode("(done) G", "", WORDS, false)).not.toBeNull();
  });
});
