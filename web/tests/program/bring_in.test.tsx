import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toast, who } from "../../src/cell";
import { FileList } from "../../src/program/file_list";
import { file, files } from "../../src/program/open_file";
import { theEditor } from "../../src/program/the_editor";

let place: HTMLElement, there: Map<string, string>, written: unknown[], ended: boolean;
const soon = (): Promise<void> => act(() => new Promise<void>((done) => setTimeout(done, 20)));
const bring = (content: BlobPart, name: string): Promise<void> => {
  const chooser = place.querySelector<HTMLInputElement>("[data-bring-in]")!;
  Object.defineProperty(chooser, "files", { value: [new File([content], name)], configurable: true });
  chooser.dispatchEvent(new Event("change", { bubbles: true }));
  return soon();
};

beforeEach(async () => {
  [there, written, ended, toast.value, file.value, files.value] = [new Map([["part.ngc", "G0 X1"]]), [], false, null, null, null];
  who.value = { user: "Ada", role: "programmer", session: "1", local: false, locked: false, passwords: true, has_password: true };
  vi.stubGlobal("fetch", (path: string, how: { method: string; body?: string }) => {
    const name = new URL(path, "http://cell").searchParams.get("name");
    if (how.method === "PUT") {
      const body = JSON.parse(how.body!) as { name: string; text: string };
      written.push(body);
      there.set(body.name, body.text);
      return Promise.resolve(new Response('{"version":"new"}'));
    }
    const said = name === null ? [...there].map(([each, text]) => ({ name: each, size: text.length, changed: "2026-01-01T00:00:00Z", language: "gcode" })) : { name, text: there.get(name), version: `of ${name}`, language: "gcode" };
    return Promise.resolve(new Response(JSON.stringify(said)));
  });
  place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<FileList onDone={() => (ended = true)} />, place));
  await soon();
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  [file.value, files.value, toast.value] = [null, null, null];
  localStorage.clear();
  vi.unstubAllGlobals();
});

it("a file is brought in under its name and opened; one whose name tells no language gets an ending as a new one does", async () => {
  await bring("G0 X2\r\n", "new.nc");
  expect(written).toEqual([{ name: "new.nc", text: "G0 X2\r\n", version: null }]);
  expect([file.value?.name, theEditor().editor.text, ended]).toEqual(["new.nc", "G0 X2\n", true]);
  await bring("G0 X3", "notes.txt");
  expect(written[1]).toEqual({ name: "notes.txt.ngc", text: "G0 X3", version: null });
});

it("a program is replaced only when asked for, and only as it was then", async () => {
  await bring("G0 X9", "part.ngc");
  expect([written, ended]).toEqual([[], false]);
  expect(place.querySelector("[data-replaces]")?.textContent).toContain("part.ngc");
  place.querySelector<HTMLButtonElement>("[data-replace]")!.click();
  await soon();
  expect(written).toEqual([{ name: "part.ngc", text: "G0 X9", version: "of part.ngc" }]);
  expect([place.querySelector("[data-replaces]"), ended]).toEqual([null, true]);
});

it("what is too large or no text is refused in words", async () => {
  await bring("G".repeat(1_000_001), "large.ngc");
  expect(toast.value).toMatchObject({ kind: "refused", text: expect.stringContaining("large.ngc has more than 1 MB") as string });
  for (const content of [new Uint8Array([71, 0, 72]), new Uint8Array([0xff, 0xfe, 0x47])]) {
    toast.value = null;
    await bring(content, "picture.ngc");
    expect(toast.value).toMatchObject({ kind: "refused", text: expect.stringContaining("picture.ngc is no text") as string });
  }
  expect(written).toEqual([]);
});

it("a program is handed out as it is saved, to viewers too, who bring none in", async () => {
  there.set("cell/part.ngc", "G0 X7");
  const links: HTMLAnchorElement[] = [], blobs: Blob[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) { links.push(this); });
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => (blobs.push(blob as Blob), "blob:1"));
  void act(() => render(null, place));
  who.value = { ...who.value!, role: "viewer" };
  void act(() => render(<FileList onDone={() => undefined} />, place));
  await soon();
  expect(place.querySelector("[data-bring-in]")).toBeNull();
  place.querySelector<HTMLButtonElement>('[data-entry="cell/part.ngc"] [data-hand-out]')!.click();
  await soon();
  expect([links[0]?.download, await blobs[0]?.text()]).toEqual(["part.ngc", "G0 X7"]);
  vi.restoreAllMocks();
});
