import { expect, it } from "vitest";
import { csv } from "../../src/plots/csv";
import { History } from "../../src/plots/history";
import { stamped } from "../../src/plots/picture";
import { motionAt } from "./motion";

function two(): History {
  const history = new History(2);
  history.add(motionAt(10));
  history.add(motionAt(10.25));
  return history;
}

it("a table has times from its beginning, units in its head and nothing where nothing was measured", () => {
  const history = two();
  const lines = [
    { column: history.column("q", 0), factor: 1000, name: "J1 position", unit: "mm" },
    { column: history.column("measured_q", 1), factor: 1, name: "J2 measured", unit: "°" },
  ];
  expect(csv(history.ring, lines, 0, 2, 10)).toBe("time [s],J1 position [mm],J2 measured [°]\r\n0,10000,\r\n0.25,10250,\r\n");
});

it("a joint's name breaks no table and is no formula", () => {
  const head = csv(two().ring, [{ column: 2, factor: 1, name: '=cmd,"a"', unit: "°" }], 0, 0, 0);
  expect(head).toBe('time [s],"\'=cmd,""a"" [°]"\r\n');
});

it("a file's name has the moment in it and nothing that a disk refuses", () => {
  expect(stamped("cell/1 ü", "csv", new Date("2026-01-02T03:04:05Z"))).toBe("cell-1-_2026-01-02_03-04-05.csv");
});

it("a break of the link is no row", () => {
  const history = two();
  history.add(motionAt(14));
  const rows = csv(history.ring, [{ column: history.column("q", 0), factor: 1, name: "J1", unit: "m" }], 0, history.ring.end, 10).trim().split("\r\n");
  expect(rows.slice(1)).toEqual(["0,10", "0.25,10.25", "4,14"]);
});
