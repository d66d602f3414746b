import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, it, vi } from "vitest";
import { who } from "../../src/cell";
import { Sequence } from "../../src/teach/sequence";

it("that a program is not saved yet is said until it is, and again under another name", async () => {
  who.value = { user: "Ada", role: "programmer", session: "1", local: false, locked: false, passwords: true, has_password: true };
  vi.stubGlobal("fetch", (path: string) => Promise.resolve(new Response(JSON.stringify(
    path.endsWith("/points") ? [{ name: "pick", fits: true }] : path.endsWith("/convert") ? { text: "move pick" } : path.endsWith("/programs") ? [] : { version: "1" },
  ))));
  const place = document.body.appendChild(document.createElement("div"));
  const soon = (): Promise<void> => act(() => new Promise<void>((done) => setTimeout(done, 10)));
  const press = (what: string): Promise<void> => (place.querySelector<HTMLButtonElement>(what)!.click(), soon());
  const hint = (): string => place.querySelector("[data-hint]")?.textContent ?? "";
  void act(() => render(<Sequence />, place));
  await soon();
  await press("[data-add=pick]");
  await press("[data-convert]");
  expect(hint()).toContain("not saved");
  await press("[data-save]");
  expect([hint(), place.querySelector("[data-to-program]") !== null]).toEqual(["", true]);
  const name = place.querySelector<HTMLInputElement>("input[name=file]")!;
  name.value = "other.arm";
  void act(() => void name.dispatchEvent(new Event("input", { bubbles: true })));
  expect(hint()).toContain("not saved");
  void act(() => render(null, place));
  vi.unstubAllGlobals();
});
