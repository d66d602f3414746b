import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, it, vi } from "vitest";
import { program, status, who } from "../../src/cell";
import { linked } from "../../src/link";
import type { ProgramState, Status } from "../../src/messages";
import { Mdi } from "../../src/program/mdi";

let letLineEnd: () => Promise<void> = () => Promise.resolve();
afterEach(() => vi.unstubAllGlobals());

it("a long line is waited for as long as it takes, and letting go of it stops the robot", async () => {
  const calls: { path: string; init: RequestInit }[] = [];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    calls.push({ path, init });
    return path.endsWith("/mdi") ? new Promise((done) => (letLineEnd = async () => (done(new Response("null")), new Promise((ended) => setTimeout(ended, 5))))) : Promise.resolve(new Response("null"));
  });
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  status.value = { mode: "manual", state: "READY", control: { session: "1", name: "Ada", linked: true, asked_by: "" } } as unknown as Status;
  linked.value = true;
  const place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<Mdi />, place));
  const box = place.querySelector<HTMLInputElement>("[data-mdi]")!;
  box.value = "G4 P300";
  void act(() => void box.dispatchEvent(new Event("input", { bubbles: true })));
  void act(() => void box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
  expect(calls.map((each) => each.path)).toEqual(["/api/mdi"]);
  expect(calls[0]?.init).not.toHaveProperty("signal");
  void act(() => void box.dispatchEvent(new KeyboardEvent("keyup", { key: "Enter", bubbles: true })));
  expect(calls.map((each) => each.path)).toEqual(["/api/mdi", "/api/stop"]);
  void act(() => render(null, place));
});

it("what is wrong with a line stands by the line, without a place; one that was stopped is not wrong; a program that runs ends both", async () => {
  let said = { detail: ":1: there is no G77 (:1)", kind: "BadGcode" };
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(said), { status: 409 })));
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  status.value = { mode: "automatic", state: "READY", control: { session: "1", name: "Ada", linked: true, asked_by: "" } } as unknown as Status;
  linked.value = true;
  const place = document.body.appendChild(document.createElement("div"));
  await act(() => letLineEnd()); // of the test before
  void act(() => render(<Mdi />, place));
  const box = place.querySelector<HTMLInputElement>("[data-mdi]")!, answer = place.querySelector<HTMLElement>("[data-answer]")!;
  const run = async (text: string): Promise<void> => {
    box.value = text;
    void act(() => void box.dispatchEvent(new Event("input", { bubbles: true })));
    await act(async () => {
      box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      await new Promise((done) => setTimeout(done, 5));
    });
  };
  await run("G77");
  expect([answer.textContent, answer.className]).toEqual(["there is no G77", "badly"]);
  said = { detail: "the line was stopped before it was done", kind: "LineStopped" };
  await run("G4 P300");
  expect([answer.textContent, answer.className]).toEqual(["G4 P300 · stopped", "quiet"]);
  void act(() => void (program.value = { state: "running", name: "a.ngc" } as ProgramState));
  expect(answer.textContent).toBe("");
  program.value = null;
  void act(() => render(null, place));
});
