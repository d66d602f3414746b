import { afterEach, expect, it } from "vitest";
import type { JointInfo } from "../../src/cell";
import type { Solution, Solutions } from "../../src/move/other_ways";
import { noNumbers, whyNot, whyNoWay } from "../../src/move/why_not";
import { speak } from "../../src/texts";

afterEach(() => speak("en"));
const JOINTS: JointInfo[] = [
  { name: "joint_1", unit: "rad", lower: -1, upper: 1, velocity: 1 },
  { name: "lift", unit: "m", lower: 0, upper: 0.5, velocity: 1 },
];
const solution = (q: number[], rest: Partial<Solution> = {}): Solution => ({ q, branch: "", reachable: true, why: "", collides: false, ...rest });
const none = (hindrance: Solutions["hindrance"]): Solutions => ({ solutions: [], chosen: -1, why: "the pose cannot be reached: beyond reach by 2.017 m", hindrance: hindrance ?? null, typed: true });

it("a field that holds no number is named", () => {
  expect(noNumbers(["abc", "1", "2", "3", "", "5"])).toBe("X, B: no number");
  expect(noNumbers(["0", "1", "−2", "3", "4,5", "5"])).toBe("");
  speak("zh");
  expect(noNumbers(["abc", "1", "2", "3", "4", "5"])).toBe("X：不是数字");
});

it("why there is no way is said in millimetres and degrees", () => {
  expect(whyNoWay(none({ kind: "reach", amount: 2.017, joints: [] }))).toBe("cannot be reached: 2017 mm too far");
  expect(whyNoWay(none({ kind: "orientation", amount: Math.PI / 6, joints: [] }))).toContain("30.0° off");
  expect(whyNoWay(none({ kind: "limit", amount: 0.1, joints: ["joint_1"] }))).toBe("cannot be reached: J1 would be beyond the limit");
  expect(whyNoWay(none(null))).toBe("the pose cannot be reached: beyond reach by 2.017 m"); // better than nothing
  speak("zh");
  expect(whyNoWay(none({ kind: "reach", amount: 2.017, joints: [] }))).toBe("无法到达：超出 2017 mm");
});

it("a solution that is none says which joint is beyond what limit, or what would touch", () => {
  expect(whyNot(solution([Math.PI / 2, 0.2], { reachable: false, why: "raw" }), JOINTS)).toBe("J1 would be at 90.0°, its limit is 57.3°");
  expect(whyNot(solution([0, 0.7], { reachable: false }), JOINTS)).toBe("lift would be at 700.0 mm, its limit is 500.0 mm");
  expect(whyNot(solution([0, 0], { collides: true, why: "link_2 and pedestal collide" }), JOINTS)).toBe("link_2 and pedestal would touch");
  expect(whyNot(solution([0, 0]), JOINTS)).toBe("");
});
