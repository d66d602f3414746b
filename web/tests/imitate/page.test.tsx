import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { letGo, status, who } from "../../src/cell";
import { files, imitated, type ImitationNow } from "../../src/imitate/imitation";
import { linked } from "../../src/link";
import type { Status } from "../../src/messages";
import { ImitatePage } from "../../src/pages/imitate";

const READY = { state: "READY", mode: "automatic", moves: false, control: { session: "1", name: "Ada", link: true, asked_by: "" } } as unknown as Status;
const NOBODY: ImitationNow = {
  kind: "", name: "", mapping: "general", mirrored: false, learnt: "", matched: [], parents: [], sides: [], phase: "released", lost: "", said: "", held_by: "",
  errors: [], rate: 0, frames: 0, refused: 0, frames_lost: 0, speed: 1, calibrating: 0, recorded: 0, latency: [],
};
const SOMEBODY: ImitationNow = {
  ...NOBODY, kind: "file", name: "somebody.bvh", rate: 60, frames: 12, learnt: "a calibration",
  matched: [{ part: "left_forearm", bones: "LeftForeArm", how: "name" }], parents: [-1, 0], sides: ["", "left"],
};
let place: HTMLElement, now: ImitationNow, asked: (readonly [string, string, unknown])[];
const find = <T extends HTMLElement = HTMLButtonElement>(selector: string): T => place.querySelector<T>(selector)!;
const wait = async (ms = 50): Promise<void> => void (await act(async () => void (await vi.advanceTimersByTimeAsync(ms))));
const press = async (selector: string): Promise<void> => {
  void act(() => find(selector).click());
  await wait();
};
const orders = (): unknown[] => asked.filter(([method]) => method !== "GET").map(([, path, body]) => [path.replace("/api/imitation", ""), body]);

beforeEach(async () => {
  vi.useFakeTimers();
  [now, asked] = [NOBODY, []];
  vi.stubGlobal("fetch", (path: string, { method, body }: { method: string; body?: string }) => {
    const said: unknown = typeof body === "string" ? JSON.parse(body) : body;
    asked.push([method, path, said]);
    if (path.endsWith("/source")) now = SOMEBODY;
    if (path.endsWith("/end")) now = NOBODY;
    if (path.endsWith("/clutch")) now = { ...now, phase: ({ engage: "following", freeze: "frozen", release: "released" } as const)[(said as { do: "engage" }).do] };
    return Promise.resolve(new Response(JSON.stringify(method === "GET" ? { files: [{ name: "somebody.bvh", size: 1e6 }], now } : now)));
  });
  who.value = { user: "Ada", role: "programmer", session: "1", local: false, locked: false, passwords: true, has_password: true };
  [status.value, linked.value] = [READY, true];
  place = document.body.appendChild(document.createElement("div"));
  void act(() => render(<ImitatePage />, place));
  await wait();
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  [status.value, files.value, imitated.value, linked.value] = [null, null, null, false];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("the only motion is chosen with all that was said of it, and what is not proven is said before", async () => {
  expect(find("[data-not-proven-note]").textContent).toContain("not proven");
  await press("[data-choose]");
  expect(orders()).toEqual([["/source", { kind: "file", name: "somebody.bvh", mapping: "general", mirrored: false, arm: "right", speed: 1 }]]);
  expect(find("[data-phase]").getAttribute("data-phase")).toBe("released");
  expect(find(".matched").textContent).toContain("left forearmLeftForeArmname");
  expect(find("[data-not-proven-note]")).not.toBeNull();
});

it("a clutch that is touched closes, freezes and is let go with all that is let go of", async () => {
  await press("[data-choose]");
  void act(() => [...place.querySelectorAll<HTMLButtonElement>(".choice button")].find((each) => each.textContent === "Touch")!.click());
  expect(find("[data-freeze]").disabled).toBe(true);
  await press("[data-clutch]");
  expect(find("[data-clutch]").getAttribute("aria-pressed")).toBe("true");
  await press("[data-freeze]");
  expect(find("[data-phase]").getAttribute("data-phase")).toBe("frozen");
  await press("[data-clutch]");
  void act(letGo);
  await wait();
  await press("[data-end]");
  expect(orders().slice(1)).toEqual([..."engage freeze engage release".split(" ").map((word) => ["/clutch", { do: word }]), ["/end", {}]]);
  expect(find("[data-choose]")).not.toBeNull();
});

it("a calibration is counted down to, and can be left", async () => {
  await press("[data-choose]");
  await press("[data-calibrate]");
  expect(find("[data-counting]").textContent).toContain("arms stretched out to the sides: 3");
  await wait(2000);
  expect(find("[data-counting]").textContent).toContain(": 1");
  await press("[data-counting] button");
  await wait(3000);
  expect(orders()).toHaveLength(1);
  await press("[data-calibrate]");
  await wait(3000);
  expect(orders().at(-1)).toEqual(["/calibrate", {}]);
});
