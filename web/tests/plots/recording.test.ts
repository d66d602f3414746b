import { expect, it } from "vitest";
import { History } from "../../src/plots/history";
import { historyOf } from "../../src/plots/recording";

it("a recording's answer becomes columns, and what it does not say is not a number", () => {
  const history = historyOf({
    times: [0, 0.5, 1], joints: ["a", "b"], begin: 0, end: 1,
    signals: { q: [[1, 2, 3], [4, null, 6]], following: [[0.1, 0.2, 0.3], [0, 0, 0]], late: [[1e-5, 2e-5, 3e-5]] },
  });
  expect(history.ring.end).toBe(3);
  expect([0, 1, 2].map((k) => history.ring.at(history.column("q", 1), k))).toEqual([4, NaN, 6]);
  expect(history.ring.at(history.column("error", 0), 2)).toBe(0.3);
  expect(history.ring.at(History.late, 1)).toBe(2e-5);
  expect(history.ring.at(history.column("torque", 0), 0)).toBeNaN();
});

it("a recording without a sample is empty, and no error", () => {
  expect(historyOf({ times: [], joints: ["a"], begin: 0, end: 0, signals: {} }).empty).toBe(true);
});
