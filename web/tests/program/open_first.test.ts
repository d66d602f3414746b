import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toast, who } from "../../src/cell";
import { file, files, openFirst } from "../../src/program/open_file";

let asked: string[], broken: string[], kind: string;

beforeEach(() => {
  [asked, broken, kind, toast.value, file.value] = [[], [], "LibraryProblem", null, null];
  localStorage.clear();
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  vi.stubGlobal("fetch", (path: string) => {
    const name = new URL(path, "http://cell").searchParams.get("name");
    if (name === null) return Promise.resolve(new Response(JSON.stringify(["a.ngc", "b.ngc", "c.ngc"].map((each) => ({ name: each })))));
    asked.push(name);
    if (broken.includes(name)) return Promise.resolve(new Response(JSON.stringify({ detail: `${name} is not UTF-8`, kind }), { status: 409 }));
    return Promise.resolve(new Response(JSON.stringify({ name, text: "G0", version: "1", language: "gcode" })));
  });
});
afterEach(() => {
  [file.value, files.value, toast.value] = [null, null, null];
  vi.unstubAllGlobals();
});

it("a file that cannot be read is passed over at the start, and nothing is said", async () => {
  broken = ["a.ngc", "b.ngc"];
  localStorage.setItem("program.file", "b.ngc");
  await openFirst("");
  expect([asked, file.value?.name, toast.value]).toEqual([["b.ngc", "a.ngc", "c.ngc"], "c.ngc", null]);
});

it("where none can be read none is open; what is no fault of the file is said, and no other is tried", async () => {
  broken = ["a.ngc", "b.ngc", "c.ngc"];
  await openFirst("c.ngc");
  expect([asked, file.value, toast.value]).toEqual([["c.ngc", "a.ngc", "b.ngc"], null, null]);
  [asked, kind] = [[], "NoControl"];
  await openFirst("");
  expect([asked, toast.value?.kind]).toEqual([["a.ngc"], "refused"]);
});
