import { expect, it } from "vitest";
import { HeldOrder } from "../../src/teach/held_order";

function watched(): { order: HeldOrder; said: string[]; answer: () => Promise<void> } {
  const said: string[] = [];
  let settle: () => void = () => undefined;
  const order = new HeldOrder(
    () => { said.push("order"); return new Promise<void>((done) => (settle = done)); },
    () => said.push("press"),
    () => said.push("release"),
  );
  return { order, said, answer: async () => { settle(); await new Promise((done) => setTimeout(done)); } };
}

it("it is given once, with a press before it, and then pressed on", () => {
  const { order, said } = watched();
  for (let round = 0; round < 3; round++) order.hold();
  order.letGo();
  expect(said).toEqual(["press", "order", "press", "press", "release"]);
});

it("pressed again after the cell took it, it is given again", async () => {
  const { order, said, answer } = watched();
  order.hold();
  await answer();
  order.letGo();
  order.hold();
  expect(said.filter((each) => each === "order")).toHaveLength(2);
});

it("pressed again while the cell still plans it, it is not given twice", () => {
  const { order, said } = watched();
  order.hold();
  order.letGo();
  order.hold();
  expect(said).toEqual(["press", "order", "release", "press"]);
});
