import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { status } from "../src/cell";
import type { Status } from "../src/messages";
import { chooseMode } from "../src/mode";

let asked: string[], answers: (() => void)[];
const soon = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

beforeEach(() => {
  [asked, answers] = [[], []];
  status.value = { mode: "manual" } as Status;
  vi.stubGlobal("fetch", (_: string, said: { body: string }) => {
    asked.push((JSON.parse(said.body) as { mode: string }).mode);
    return new Promise<Response>((done) => answers.push(() => done(new Response("null"))));
  });
});
afterEach(() => vi.unstubAllGlobals());

it("modes that are chosen one after the other are asked for one after the other", async () => {
  chooseMode("automatic");
  chooseMode("manual");
  await soon();
  expect(asked).toEqual(["automatic"]);
  answers[0]!();
  await soon();
  expect(asked).toEqual(["automatic", "manual"]);
  answers[1]!();
  await soon();
});

it("what it is already is not asked for", async () => {
  chooseMode("manual");
  await soon();
  expect(asked).toEqual([]);
});
