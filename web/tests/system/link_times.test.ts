import { expect, it } from "vitest";
import { roundTrip } from "../../src/link";
import { linkStage, stageOf } from "../../src/system/link_times";

it("quantiles are those of the times that came", () => {
  const times = Array.from({ length: 1000 }, (_, number) => (number + 1) / 1000);
  expect(stageOf("x", times)).toEqual({ name: "x", count: 1000, p50: 0.5, p99: 0.99, p999: 0.999, most: 1 });
  expect(stageOf("x", [])).toEqual({ name: "x", count: 0, p50: 0, p99: 0, p999: 0, most: 0 });
});

it("the page's own link is timed", () => {
  for (const time of [4, 6, 20]) roundTrip.value = time;
  expect(linkStage()).toMatchObject({ count: 3, p50: 0.006, most: 0.02 });
  roundTrip.value = null;
  expect(linkStage().count).toBe(3);
});
