import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { post } from "../src/api";
import { onLetGo, program, stopNow, toast } from "../src/cell";
import { linked } from "../src/link";
import type { ProgramState } from "../src/messages";
import { speak } from "../src/texts";

const soon = (): Promise<void> => new Promise((done) => setTimeout(done));
let patience: number[], patient: AbortController, fetched: ReturnType<typeof vi.fn>;

/** A cell that never answers: the request ends when the browser's patience does. */
const silent = (_: string, init: RequestInit): Promise<Response> => new Promise((_, fail) => init.signal?.addEventListener("abort", () => fail(new Error("too late"))));

beforeEach(() => {
  [patience, patient, fetched, toast.value] = [[], new AbortController(), vi.fn(silent), null];
  vi.stubGlobal("fetch", fetched);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => (patience.push(ms), patient.signal));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  linked.value = false;
  speak("en");
});

it("a STOP that is not answered in two seconds is said to be unconfirmed", async () => {
  const released = vi.fn(), off = onLetGo(released);
  stopNow();
  off();
  expect(released).toHaveBeenCalledOnce();
  expect(fetched.mock.calls[0]?.[0]).toBe("/api/stop");
  expect(patience).toEqual([2000]);
  await soon();
  expect(toast.value).toBeNull();
  patient.abort();
  await soon();
  expect(toast.value).toMatchObject({ kind: "refused", text: "STOP was not confirmed: use the real emergency stop" });
});

it("so is one that the cell answers with an error, in the language of the page", async () => {
  speak("zh");
  fetched.mockResolvedValue(new Response("{}", { status: 503 }));
  stopNow();
  await soon();
  expect(toast.value?.text).toBe("“停止”未得到确认：请使用真正的急停按钮");
});

it("one that the cell confirms says nothing: the robot is seen to stop", async () => {
  linked.value = true;
  fetched.mockResolvedValue(new Response("null"));
  stopNow();
  await soon();
  expect(toast.value).toBeNull();
});

it("without a link it is sent all the same, and its answer is said", async () => {
  linked.value = false;
  fetched.mockResolvedValue(new Response("null"));
  stopNow();
  expect(fetched.mock.calls[0]?.[0]).toBe("/api/stop");
  await soon();
  expect(toast.value).toMatchObject({ kind: "info", text: "STOP is confirmed: the cell has stopped the robot" });
});

it("of a paused program, which stands already, it is said that it was stopped", async () => {
  linked.value = true;
  program.value = { state: "paused", name: "a.ngc" } as ProgramState;
  fetched.mockResolvedValue(new Response("null"));
  stopNow();
  await soon();
  expect(toast.value?.text).toBe("a.ngc was stopped");
  program.value = null;
});

it("other requests wait long, and one without patience for as long as it takes", () => {
  post("/move").catch(() => undefined);
  post("/mdi", {}, null).catch(() => undefined);
  expect(patience).toEqual([130_000]);
  expect(fetched.mock.calls[1]?.[1]).not.toHaveProperty("signal");
});
