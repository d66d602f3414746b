import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it } from "vitest";
import { io, status, who, type Who } from "../src/cell";
import { linked } from "../src/link";
import type { InputsOutputs, Status } from "../src/messages";
import { hindrance } from "../src/move/jogging";
import { IoPage } from "../src/pages/io";

const me = (role: Who["role"]): Who => ({ user: "Vera", role, session: "1", local: false, locked: false, passwords: true, has_password: true });
let place: HTMLElement;
const show = (): void => void act(() => render(<IoPage />, place));
const tiles = (): boolean[] => [...place.querySelectorAll<HTMLButtonElement>("[data-input], [data-output]")].map((each) => each.disabled);

beforeEach(() => {
  place = document.body.appendChild(document.createElement("div"));
  io.value = { inputs: [false], outputs: [true], analog_inputs: [], analog_outputs: [], forced: [], forced_analog: [] } as unknown as InputsOutputs;
  status.value = { simulated: true, mode: "manual", state: "READY", control: { session: "", name: "", link: false, asked_by: "" } } as unknown as Status;
  linked.value = true;
});
afterEach(() => {
  void act(() => render(null, place));
  place.remove();
  [linked.value, io.value, status.value, who.value] = [false, null, null, null];
});

it("a viewer is not told to take what he cannot have, and no tile looks as if it could be pressed", () => {
  who.value = me("viewer");
  show();
  expect(place.textContent).not.toContain("take control");
  expect(place.textContent).toContain("viewers watch; log in as operator");
  expect(tiles()).toEqual([true, true]);
  expect(hindrance.value).toBe("common.viewersWatch");
});

it("an operator without control is told to take it, and one with control can press", () => {
  who.value = me("operator");
  show();
  expect(place.textContent).toContain("take control first");
  expect(tiles()).toEqual([true, true]);
  void act(() => void (status.value = { ...status.value!, control: { session: "1", name: "Vera", link: true, asked_by: "" } }));
  show();
  expect(tiles()).toEqual([false, false]);
});
