import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { post } from "../src/api";
import { onLetGo, stopNow, toast } from "../src/cell";
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

it("one that the cell confirms says nothing", async () => {
  fetched.mockResolvedValue(new Response("null"));
  stopNow();
  await soon();
  expect(toast.value).toBeNull();
});

it("other requests wait long, and one without patience for as long as it takes", () => {
  post("/move").catch(() => undefined);
  post("/mdi", {}, null).catch(() => undefined);
  expect(patience).toEqual([130_000]);
  expect(fetched.mock.calls[1]?.[1]).not.toHaveProperty("signal");
});
