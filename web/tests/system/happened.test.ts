import { afterEach, expect, it } from "vitest";
import { grantedWords, processName } from "../../src/system/granted";
import { eventName, rowsOf, together, type Happened } from "../../src/system/happened";
import { speak } from "../../src/texts";

afterEach(() => speak("en"));
const at = (time: number, event = "STOP", state = "READY", text = ""): Happened => ({ at: "", time, event, state, text });

it("one STOP that the robot hears three times is one row", () => {
  expect(rowsOf([at(9.4), at(9.3), at(9.2), at(9.1, "ARRIVED"), at(5), at(2)]).map((each) => [each.event, each.times, each.time])).toEqual([["STOP", 3, 9.4], ["ARRIVED", 1, 9.1], ["STOP", 1, 5], ["STOP", 1, 2]]);
  expect(rowsOf([at(2, "FAULT", "FAULTED", "a"), at(2, "FAULT", "FAULTED", "b")])).toHaveLength(2);
});

it("of two people who stop at once both are told", () => {
  const entries = [{ who: "Ada", what: "stops" }, { who: "Ada", what: "stops" }, { who: "Otto", what: "stops" }];
  expect(together(entries, (each) => `${each.who} ${each.what}`, () => 5).map((each) => [each.who, each.times])).toEqual([["Ada", 2], ["Otto", 1]]);
});

it("events, real time and processes are told in the page's language, and what it does not know as it is", () => {
  speak("zh");
  expect([eventName("ARRIVED"), eventName("NEW_THING")]).toEqual(["到达", "new thing"]);
  expect(grantedWords("real time: SCHED_FIFO, locked memory, core 1")).toBe("实时性：实时调度 (SCHED_FIFO)、内存锁定、处理器核 1");
  expect(grantedWords("real time: frozen garbage collector, core 3 (no SCHED_FIFO: denied); ticks may be 0.1 s late")).toMatch(/^实时性：冻结垃圾回收、处理器核 3 \(无实时性：此处不允许 SCHED_FIFO.*\)$/);
  expect([processName("planner"), processName("camera")]).toEqual(["规划器", "camera"]);
  speak("en");
  expect(grantedWords("real time: SCHED_FIFO, locked memory, core 1")).toBe("real time: SCHED_FIFO, locked memory, core 1");
  expect(grantedWords("no real time asked for")).toBe("no real time asked for");
});
