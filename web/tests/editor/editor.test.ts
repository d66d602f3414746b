import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProgramEditor } from "../../src/editor/editor";

const events = { onText: vi.fn(), onCursor: vi.fn(), onSave: vi.fn(), onFollow: vi.fn() };
let editor: ProgramEditor;

beforeEach(() => {
  vi.clearAllMocks();
  const host = document.createElement("div");
  // happy-dom looks for the focus in a document that shadow roots there do not know.
  Object.defineProperty(host.attachShadow({ mode: "open" }), "activeElement", { get: () => null });
  document.body.replaceChildren(host);
  editor = new ProgramEditor(host, events);
  editor.open("G0 X1\nG0 X2\nM2", "gcode", false);
});

afterEach(() => editor.close());

const shadow = (): ShadowRoot => document.body.firstElementChild!.shadowRoot!;

describe("the editor", () => {
  it("stands in a shadow root and puts no style element into the page", () => {
    expect(shadow().querySelector(".cm-editor")).not.toBeNull();
    expect(document.head.querySelector("style")).toBeNull();
  });

  it("knows whether its text is another than was opened or saved", () => {
    expect(editor.changed).toBe(false);
    editor.insertLine("G1 X3");
    expect(editor.changed).toBe(true);
    expect(events.onText).toHaveBeenCalledOnce();
    editor.isSaved(editor.snapshot);
    expect(editor.changed).toBe(false);
  });

  it("writes a line behind the cursor's, as far in, or into an empty one", () => {
    editor.open("  G0 X1\n", "gcode", false);
    editor.insertLine("G1 X2");
    expect(editor.text).toBe("  G0 X1\n  G1 X2\n");
    editor.goTo(3);
    editor.insertLine("M2");
    expect(editor.text).toBe("  G0 X1\n  G1 X2\nM2");
  });

  it("shows a problem under its line, and its fix puts the line right", () => {
    editor.show([{ line: 2, column: 4, text: "X 2 is beyond reach", fix: { label: "Use X1", was: "G0 X2", text: "G0 X1" } }]);
    expect(shadow().querySelector(".cm-said span")!.textContent).toBe("X 2 is beyond reach");
    shadow().querySelector<HTMLButtonElement>(".cm-said button")!.click();
    expect(editor.text).toBe("G0 X1\nG0 X1\nM2");
  });

  it("offers no fix to who may not write", () => {
    editor.lock(true);
    editor.show([{ line: 2, column: 4, text: "wrong", fix: { label: "Use X1", was: "G0 X2", text: "G0 X1" } }]);
    expect(shadow().querySelector(".cm-said button")).toBeNull();
    editor.lock(false);
    expect(shadow().querySelector(".cm-said button")).not.toBeNull();
  });

  it("keeps a problem at its line when lines come in above", () => {
    editor.show([{ line: 2, column: 4, text: "wrong", fix: null }]);
    editor.view.dispatch({ changes: { from: 0, insert: "G21\n" } });
    expect(shadow().querySelector(".cm-line.cm-wrong")!.textContent).toBe("G0 X2");
  });

  it("marks the line that moves and the one that is read", () => {
    editor.run({ moving: 1, reading: 3 });
    expect(shadow().querySelector(".cm-line.cm-moving")!.textContent).toBe("G0 X1");
    expect([...shadow().querySelectorAll(".cm-markers .moving, .cm-markers .reading")].map((each) => each.textContent)).toContain("▷");
    editor.run({ moving: 0, reading: 0 });
    expect(shadow().querySelector(".cm-line.cm-moving")).toBeNull();
  });

  it("keeps the line to start with at its text, and forgets it with another file", () => {
    editor.startAt(2);
    editor.view.dispatch({ changes: { from: 0, insert: "G21\n" } });
    expect(editor.startLine).toBe(3);
    expect(events.onCursor).toHaveBeenLastCalledWith(expect.any(Number), 3);
    editor.open("M2", "gcode", false);
    expect(editor.startLine).toBe(0);
  });

  it("follows no more when somebody scrolls away, until asked", () => {
    editor.run({ moving: 1, reading: 1 });
    editor.view.scrollDOM.dispatchEvent(new Event("wheel"));
    expect(events.onFollow).toHaveBeenLastCalledWith(false);
    editor.follow(true);
    expect(events.onFollow).toHaveBeenLastCalledWith(true);
  });

  it("takes another text in a way that can be undone", () => {
    editor.replace("M30");
    expect(editor.text).toBe("M30");
    expect(editor.changed).toBe(true);
  });
});
