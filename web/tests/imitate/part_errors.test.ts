import { afterEach, describe, expect, it } from "vitest";
import { barOf, inOrderOfLimbs, partWords } from "../../src/imitate/part_errors";
import { language } from "../../src/texts";

afterEach(() => void (language.value = "en"));

describe("errors of limbs", () => {
  it("an angle is said in degrees, a place in millimetres", () => {
    expect(barOf({ part: "left_forearm", off: Math.PI / 12 })).toEqual({ part: "left_forearm", text: "15.0", unit: "°", share: 0.5 });
    expect(barOf({ part: "right_place", off: 0.03 })).toMatchObject({ text: "30", unit: "mm" });
    expect(barOf({ part: "right_place", off: 0.03 }).share).toBeCloseTo(0.2);
  });

  it("a bar is never longer than its place, and what is no number has none", () => {
    expect(barOf({ part: "head", off: 3 }).share).toBe(1);
    expect(barOf({ part: "head", off: -3 }).share).toBe(1);
    expect(barOf({ part: "head", off: NaN })).toMatchObject({ text: "—", share: 0 });
  });

  it("limbs stay in one order, left beside right, those that are not known last", () => {
    const parts = ["tail", "right_hand", "left_upper_arm", "head", "left_hand", "right_upper_arm"].map((part) => ({ part }));
    expect(inOrderOfLimbs(parts).map(({ part }) => part)).toEqual(["head", "left_upper_arm", "right_upper_arm", "left_hand", "right_hand", "tail"]);
  });

  it("parts are said in the page's language; another is said as it is", () => {
    expect(["left_upper_arm", "head", "third_hand"].map(partWords)).toEqual(["left upper arm", "head", "third hand"]);
    language.value = "zh";
    expect(["left_upper_arm", "right_index", "head"].map(partWords)).toEqual(["左上臂", "右食指", "头"]);
  });
});
