import { expect, it } from "vitest";
import { grouped, jointLabel } from "../src/joint_names";
import { boxTexts, poseFrom } from "../src/move/pose";

it("shortens the usual names of joints and keeps the others readable", () => {
  expect(["joint_1", "joint_a3", "J4", "left_elbow_joint", "joint"].map(jointLabel)).toEqual(["J1", "A3", "J4", "left elbow", "joint"]);
});

it("keeps a few joints in one group without a name", () => {
  expect(grouped(["joint_1", "joint_2"])).toEqual([{ name: "", joints: [0, 1] }]);
});

it("puts many joints in groups, each joint once and in order", () => {
  const names = [...Array.from({ length: 6 }, (_, i) => `left_${i}_joint`), "neck", "waist", ...Array.from({ length: 6 }, (_, i) => `right_${i}_joint`)];
  const groups = grouped(names);
  expect(groups.map((group) => group.name)).toEqual(["left", "neck … waist", "right"]);
  expect(groups.flatMap((group) => group.joints)).toEqual(names.map((_, index) => index));
});

it("reads back the pose that its boxes show", () => {
  const pose = { xyz: [0.1, -0.45, -0.28], rpy: [0.1745329, 1.3089969, -1.3089969] };
  const texts = boxTexts(pose);
  expect(texts).toEqual(["100.0", "−450.0", "−280.0", "10.00", "75.00", "−75.00"]);
  const read = poseFrom(texts);
  [...pose.xyz, ...pose.rpy].forEach((value, axis) => expect([...(read?.xyz ?? []), ...(read?.rpy ?? [])][axis]).toBeCloseTo(value, 4));
  expect(poseFrom(["1", "2", "3", "4", "5", "x"])).toBeNull();
});
