import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { program, status, toast, TYPED_LINE, who } from "../../src/cell";
import { linked } from "../../src/link";
import type { ProgramState, Status } from "../../src/messages";
import { looked, problems } from "../../src/program/checking";
import { file } from "../../src/program/open_file";
import { HowItStands, RunButtons } from "../../src/program/run_buttons";
import { start } from "../../src/program/running";

const RUN: ProgramState = { key: "program", state: "stopped", name: "a.ngc", file: "a.ngc", line: 0, read_line: 0, moves: 3, seconds: 4, step: false, error: "", said: [] };
let place: HTMLElement;
const show = (): void => void act(() => render(<><RunButtons /><HowItStands /></>, place));
const off = (): boolean[] => ["step", "run", "from"].map((slot) => place.querySelector<HTMLButtonElement>(`button:has([data-do=${slot}])`)!.disabled);
const stands = (): string => place.querySelector("[data-stands]")?.textContent ?? "";

beforeEach(() => {
  place = document.body.appendChild(document.createElement("div"));
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  status.value = { mode: "automatic", state: "READY", control: { session: "1", name: "Ada", link: true, asked_by: "" } } as unknown as Status;
  [linked.value, program.value, problems.value, looked.value] = [true, null, [], { problems: [], seconds: 7, moves: 8, whole: true }];
  file.value = { name: "a.ngc", language: "gcode", version: "1" };
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  [linked.value, program.value, file.value, toast.value, looked.value, problems.value] = [false, null, null, null, null, []];
  vi.unstubAllGlobals();
});

it("problems of a text that was changed since hinder nothing", () => {
  problems.value = [{ line: 3, column: 1, text: "wrong", fix: null }];
  show();
  expect(off()).toEqual([true, true, true]);
  looked.value = null; // something was typed, or the newest look failed
  show();
  expect(off()).toEqual([false, false, false]);
});

it("with problems in the text neither run, step nor from-line begins it", () => {
  show();
  expect(off()).toEqual([false, false, false]);
  problems.value = [{ line: 3, column: 1, text: "wrong", fix: null }];
  show();
  expect(off()).toEqual([true, true, true]);
  program.value = { ...RUN, state: "paused" }; // what runs already is stepped through all the same
  show();
  expect(off()).toEqual([false, false, true]);
});

it("a run that was stopped is said to be, in no alarming colour, until the next", () => {
  program.value = RUN;
  show();
  expect(stands()).toBe("a.ngc was stopped · 3 moves read so far · 00:04");
  expect(place.querySelector("[data-stands]")?.className).not.toContain("badly");
  file.value = { name: "b.ngc", language: "gcode", version: "1" }; // of another file that does not matter
  show();
  expect(stands()).toBe("8 moves, about 00:07");
});

it("a typed line has words of the page's own, and nothing is in line 0", () => {
  program.value = { ...RUN, state: "running", name: TYPED_LINE, line: 1 };
  show();
  expect(stands()).toBe("a typed line runs · 3 moves read so far · 00:04");
  program.value = { ...RUN, state: "paused", line: 0 };
  show();
  expect(stands()).toBe("a.ngc is paused · 3 moves read so far · 00:04");
  program.value = { ...RUN, name: TYPED_LINE };
  show();
  expect(stands()).toBe("8 moves, about 00:07");
});

it("a program that is refused is refused for its first problem, with its line; what was said before is gone", async () => {
  toast.value = { kind: "refused", text: "old", at: 0 };
  vi.stubGlobal("fetch", () => {
    expect(toast.value).toBeNull();
    return Promise.resolve(new Response(JSON.stringify({ detail: "a.ngc:4:1: there is no G77; the nearest is G97\n  G77\n  ^", kind: "BadGcode" }), { status: 409 }));
  });
  expect(await start(0, false)).toBe(false);
  expect(toast.value).toMatchObject({ kind: "refused", text: "Line 4: there is no G77; the nearest is G97" });
});
