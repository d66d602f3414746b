import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { status } from "../src/cell";
import { setFeed, wantedFeed } from "../src/feed";
import type { Status } from "../src/messages";

const at = (rate: number): Status => ({ rate, state: "READY" }) as Status;
let sent: number[], answers: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  [sent, answers] = [[], []];
  vi.stubGlobal("fetch", (_: string, said: { body: string }) => {
    sent.push((JSON.parse(said.body) as { rate: number }).rate);
    return new Promise((done) => answers.push(() => done(new Response("null"))));
  });
  status.value = at(1);
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  status.value = null;
});

const answer = async (): Promise<void> => {
  answers.shift()!();
  await vi.advanceTimersByTimeAsync(0);
};

it("what was set is shown until the cell says it, however old the state is that comes first", async () => {
  void setFeed(0.5);
  await answer();
  status.value = { ...at(1), alarms: 1 } as Status; // made before the order was done
  expect(wantedFeed.value).toBe(0.5);
  status.value = at(0.5);
  expect(wantedFeed.value).toBeNull();
});

it("of what is set while a request is under way only the newest is sent", async () => {
  for (const rate of [0.9, 0.8, 0.7, 0.6]) void setFeed(rate);
  expect(sent).toEqual([0.9]);
  await answer();
  expect(sent).toEqual([0.9, 0.6]);
  expect(wantedFeed.value).toBe(0.6);
  await answer();
});

it("a cell that sets something else is believed a moment later", async () => {
  void setFeed(0.5);
  await answer();
  status.value = at(0.8);
  expect(wantedFeed.value).toBe(0.5);
  await vi.advanceTimersByTimeAsync(1100);
  expect(wantedFeed.value).toBeNull();
});

it("what was refused is not shown as if it held", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response('{"detail": "no"}', { status: 409 })));
  await setFeed(0.5);
  expect(wantedFeed.value).toBeNull();
});
