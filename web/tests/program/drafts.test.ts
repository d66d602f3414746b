import { beforeEach, describe, expect, it } from "vitest";
import { draftFor, dropDraft, keepDraft, renameDraft } from "../../src/program/drafts";

const DRAFT = { text: "G0 X2", version: "v1", at: 1000 };
beforeEach(() => localStorage.clear());

describe("drafts", () => {
  it("are offered again for their file alone", () => {
    keepDraft(localStorage, "a.ngc", DRAFT);
    expect(draftFor(localStorage, "a.ngc", "G0 X1")).toEqual(DRAFT);
    expect(draftFor(localStorage, "b.ngc", "G0 X1")).toBeNull();
  });

  it("are forgotten where the file says the same by now", () => {
    keepDraft(localStorage, "a.ngc", DRAFT);
    expect(draftFor(localStorage, "a.ngc", "G0 X2")).toBeNull();
    expect(localStorage.length).toBe(0);
  });

  it("are gone when they are dropped, and go along with a new name", () => {
    keepDraft(localStorage, "a.ngc", DRAFT);
    renameDraft(localStorage, "a.ngc", "b.ngc");
    expect(draftFor(localStorage, "a.ngc", "")).toBeNull();
    expect(draftFor(localStorage, "b.ngc", "")).toEqual(DRAFT);
    dropDraft(localStorage, "b.ngc");
    expect(draftFor(localStorage, "b.ngc", "")).toBeNull();
  });

  it("that cannot be read count as none", () => {
    for (const kept of ["", "{", "null", '"text"', '{"text": 3}']) {
      localStorage.setItem("draft:a.ngc", kept);
      expect(draftFor(localStorage, "a.ngc", "")).toBeNull();
    }
  });

  it("that find no room say so", () => {
    const full = { getItem: () => null, removeItem: () => undefined, setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
    expect(keepDraft(full, "a.ngc", DRAFT)).toBe(false);
  });
});
