import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { motion, toast } from "../../src/cell";
import { PlotsPage } from "../../src/pages/plots";
import { closeRecording, openRecording } from "../../src/plots/recording";
import { drawn, opened, quantities } from "../../src/plots/shown";
import { motionAt } from "./motion";

const SIGNALS = { times: [0, 1], joints: ["a"], begin: 0, end: 1, signals: { q: [[1, 2]] } };
let place: HTMLElement, answers: Map<string, (found: Response) => void>;
const off = (): boolean[] => ["[data-png]", "[data-csv]"].map((each) => place.querySelector<HTMLButtonElement>(each)!.disabled);
const source = (): string => place.querySelector<HTMLSelectElement>("[data-source]")!.value;
const comes = (name: string, found: Response): Promise<void> =>
  act(async () => {
    answers.get(name)!(found);
    await new Promise((done) => setTimeout(done, 5));
  });
const whole = (): Response => new Response(JSON.stringify(SIGNALS));
const choose = (name: string): Promise<void> => {
  let done = Promise.resolve();
  void act(() => void (done = openRecording(name).catch(() => undefined)));
  return done;
};

beforeEach(() => {
  answers = new Map();
  vi.stubGlobal("fetch", (path: string) => {
    const name = new URL(path, "http://cell").searchParams.get("name");
    return name ? new Promise<Response>((done) => answers.set(name, done)) : Promise.resolve(new Response("[]"));
  });
  motion.value = motionAt(1);
  quantities.value = []; // what is drawn needs a canvas
  place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<PlotsPage />, place));
});
afterEach(() => {
  void act(() => render(null, place));
  closeRecording();
  [motion.value, toast.value] = [null, null];
  place.remove();
  vi.unstubAllGlobals();
});

it("while a recording loads that is said, nothing live is drawn, and nothing can be exported", async () => {
  expect([drawn() !== null, off()]).toEqual([true, [false, false]]);
  void choose("a.rec");
  expect(place.querySelector("[data-loading]")?.textContent).toContain("a.rec");
  expect([source(), drawn(), off()]).toEqual(["a.rec", null, [true, true]]);
  expect(place.querySelector("[data-pause]")).toBeNull();
  await comes("a.rec", whole());
  expect([source(), opened.value?.name, off()]).toEqual(["a.rec", "a.rec", [false, false]]);
  expect(place.querySelector("[data-loading]")).toBeNull();
});

it("only what was chosen last is opened, and Live at once", async () => {
  void choose("a.rec");
  void choose("b.rec");
  await comes("a.rec", whole());
  expect([source(), opened.value, off()]).toEqual(["b.rec", null, [true, true]]);
  void act(closeRecording);
  expect([source(), off()]).toEqual(["", [false, false]]);
  await comes("b.rec", whole());
  expect([opened.value, drawn() !== null]).toEqual([null, true]);
});

it("where it cannot be had, what was seen before is seen again", async () => {
  void choose("a.rec");
  await comes("a.rec", new Response(JSON.stringify({ detail: "it is damaged", kind: "BadRecording" }), { status: 409 }));
  expect([source(), opened.value, off(), drawn() !== null]).toEqual(["", null, [false, false], true]);
});
