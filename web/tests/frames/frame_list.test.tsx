import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toast, who } from "../../src/cell";
import { begin, end, keep, notKept, pose } from "../../src/frames/calibration";
import { FrameList } from "../../src/frames/frame_list";
import { frames, made } from "../../src/frames/frames_of_cell";
import { Keep } from "../../src/frames/keep";
import { speak } from "../../src/texts";

const TOOL = { name: "tool", parent: "tool0", xyz: [0, 0, 0.1], rpy: [0, 0, 0] };
const OLD = { number: 7, kind: "tool", name: "", value: { xyz: [0.01, 0, 0.2], rpy: [0, 0, 0] }, reason: "old gripper", at: "2026-01-01T00:00:00Z", by: "Petra" };
let place: HTMLElement, cell: Record<string, unknown>, asked: [string, string, unknown][];

beforeEach(() => {
  place = document.body.appendChild(document.createElement("div"));
  asked = [];
  cell = { tool: TOOL, frames: [], calibrations: [], file: "", could: "/home/petra/cell.toml", restart: false };
  who.value = { user: "Petra", role: "programmer", session: "1", local: false, locked: false, passwords: true, has_password: true };
  vi.stubGlobal("fetch", (path: string, how: { method: string; body?: string }) => {
    asked.push([how.method, path, how.body ? JSON.parse(how.body) : null]);
    if (path === "/api/frames") return Promise.resolve(new Response(JSON.stringify(cell)));
    if (path === "/api/frames/keep") return Promise.resolve(new Response(JSON.stringify({ detail: "cobot6 has no cell.toml", kind: "NoOwnCell" }), { status: 409 }));
    if (path === "/api/frames/own_cell") cell = { ...cell, file: cell["could"], could: "" };
    if (path === "/api/frames/back") cell = { ...cell, restart: true };
    return Promise.resolve(new Response(JSON.stringify({ file: cell["file"] })));
  });
});
afterEach(() => {
  void act(() => render(null, place));
  end();
  frames.value = null;
  made.value = "";
  toast.value = null;
  speak("en");
  vi.unstubAllGlobals();
});

const find = (what: string): HTMLButtonElement => place.querySelector<HTMLButtonElement>(what)!;
const seen = (what: string): Promise<void> => vi.waitFor(() => expect(find(what)).not.toBeNull());

it("a robot without a cell of its own is given one by a button, and what comes of it is said", async () => {
  void act(() => render(<FrameList />, place));
  await seen("[data-own-cell=could]");
  expect(find("[data-own-cell]").textContent).toContain("/home/petra/cell.toml");
  void act(() => find("[data-make-cell]").click());
  await seen("[data-own-cell=made]");
  expect(find("[data-own-cell]").textContent).toContain("armillary run takes it");
  await vi.waitFor(() => expect(frames.value?.file).toBe("/home/petra/cell.toml"));
  void act(() => find("[data-own-cell] button").click());
  expect(find("[data-own-cell]")).toBeNull();
});

it("who is no programmer makes none, and where none can be made there is no button", async () => {
  who.value = { ...who.value!, role: "operator" };
  void act(() => render(<FrameList />, place));
  await seen("[data-make-cell]");
  expect(find("[data-make-cell]").disabled).toBe(true);
  void act(() => {
    frames.value = { ...frames.value!, could: "" };
  });
  expect(find("[data-make-cell]")).toBeNull();
  expect(place.textContent).toContain("armillary new");
});

it("a result that cannot be kept for want of a cell comes with the same button", async () => {
  begin("tool");
  pose.value = { xyz: [0, 0, 0], rpy: [0, 0, 0], residuals: [0], rms: 0, outliers: [], spread: 1, uncertainty: [] };
  await keep("");
  expect(notKept.value?.kind).toBe("NoOwnCell");
  void act(() => render(<Keep />, place));
  await seen("[data-make-cell]");
  expect(find("[data-not-kept]")).not.toBeNull();
  void act(() => find("[data-make-cell]").click());
  await seen("[data-own-cell=made]");
  await vi.waitFor(() => expect(find("[data-not-kept]")).toBeNull());
});

it("one goes back to a calibration when asked once, and not before", async () => {
  cell = { ...cell, file: "cell.toml", could: "", calibrations: [OLD] };
  void act(() => render(<FrameList />, place));
  await seen("[data-go-back]");
  void act(() => find("[data-go-back]").click());
  expect(asked.some(([, path]) => path === "/api/frames/back")).toBe(false);
  expect(find("[role=alertdialog]").textContent).toContain("number 7");
  void act(() => find("[data-yes]").click());
  await vi.waitFor(() => expect(frames.value?.restart).toBe(true));
  expect(asked).toContainEqual(["POST", "/api/frames/back", { number: 7 }]);
  expect(toast.value).toMatchObject({ kind: "info" });
  await vi.waitFor(() => expect(find("[role=alertdialog]")).toBeNull());
});
