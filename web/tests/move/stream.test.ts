import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FromBrowser } from "../../src/messages";
import { JogStream, type Wanted } from "../../src/move/stream";
import { EVERY } from "../../src/parts/repeated";

let sent: FromBrowser[], allowed: boolean, stream: JogStream;
const joint = (...speeds: number[]): Wanted => ({ kind: "joints", frame: "", speeds });

beforeEach(() => {
  vi.useFakeTimers();
  [sent, allowed] = [[], true];
  stream = new JogStream((message) => sent.push(message) > 0, () => allowed);
});
afterEach(() => void vi.useRealTimers());

it("tells at once, then again and again, and of its end", () => {
  stream.ask("a", joint(1, 0));
  expect(sent).toEqual([{ key: "jog", kind: "joints", speeds: [1, 0], frame: "" }]);
  vi.advanceTimersByTime(3 * EVERY);
  expect(sent).toHaveLength(4);
  stream.end("a");
  expect(sent.at(-1)).toEqual({ key: "release" });
  vi.advanceTimersByTime(1000);
  expect(sent).toHaveLength(5);
  expect(stream.active.value).toBe(false);
});

it("adds up what two hold, and goes on with one when the other lets go", () => {
  stream.ask("a", joint(1, 0));
  stream.ask("b", joint(0, -2));
  vi.advanceTimersByTime(EVERY);
  expect(sent.at(-1)).toMatchObject({ speeds: [1, -2] });
  stream.end("a");
  vi.advanceTimersByTime(EVERY);
  expect(sent.at(-1)).toMatchObject({ key: "jog", speeds: [0, -2] });
});

it("does not mix joints with the tool, nor two frames", () => {
  stream.ask("a", joint(1, 0));
  expect(stream.ask("b", { kind: "base", frame: "", speeds: [1, 0, 0, 0, 0, 0] })).toBe(false);
  stream.endAll();
  stream.ask("a", { kind: "frame", frame: "table", speeds: [1, 0, 0, 0, 0, 0] });
  expect(stream.ask("b", { kind: "frame", frame: "vise", speeds: [1, 0, 0, 0, 0, 0] })).toBe(false);
});

it("ends when it is no longer allowed, and does not begin then", () => {
  stream.ask("a", joint(1));
  allowed = false;
  vi.advanceTimersByTime(EVERY);
  expect(sent.at(-1)).toEqual({ key: "release" });
  expect(stream.ask("a", joint(1))).toBe(false);
  expect(sent.filter((message) => message.key === "release")).toHaveLength(1);
});

it("says nothing of an end where nothing was held", () => {
  stream.end("a");
  stream.endAll();
  expect(sent).toEqual([]);
});
