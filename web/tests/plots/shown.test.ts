import { expect, it } from "vitest";
import { lineColour, mixed } from "../../src/plots/colours";
import { History } from "../../src/plots/history";
import { kept, seenSamples } from "../../src/plots/shown";
import { motionAt } from "./motion";

it("what was chosen last is chosen again, as far as it exists", () => {
  expect(kept('{"quantities":["late","torque","nonsense"],"joints":[0,-1,2.5,4],"span":"60"}')).toEqual({ quantities: ["torque", "late"], joints: [0, 4], span: "60" });
  expect(kept("no json").span).toBe("15");
  expect(kept(null).quantities.length).toBeGreaterThan(0);
});

it("the samples that are seen reach to both edges", () => {
  const history = new History(2);
  for (let k = 0; k <= 100; k += 1) history.add(motionAt(k / 10));
  const [from, end] = seenSamples(history, history.newest, [-2.05, -1.05]);
  expect(history.ring.at(History.time, from)).toBeLessThanOrEqual(7.95);
  expect(history.ring.at(History.time, end - 1)).toBeGreaterThanOrEqual(8.95);
  expect(seenSamples(history, history.newest, [-60, 0])).toEqual([0, 101]);
});

it("joints are told apart by how bright they are, on either ground", () => {
  for (const [text, panel] of [["#ffffff", "#000000"], ["#000000", "#ffffff"]] as const) {
    const palette = { text, panel, quiet: "#888888", grid: "#333333", wanted: "#0000ff", estimated: "#ff0000" };
    const shades = [0, 1, 2, 3, 4, 5].map((place) => lineColour(palette, "main", place, 6));
    expect(new Set(shades).size).toBe(6);
    expect(shades[0]).toBe(text);
    expect(shades).not.toContain(panel);
  }
  expect(mixed("#000", "#ffffff", 0.5)).toBe("#808080");
});
