import { describe, expect, it, vi } from "vitest";
import { HeldOrder } from "../../src/parts/held_order";

function watched(): { order: HeldOrder; said: string[]; answer: () => Promise<void> } {
  const said: string[] = [];
  let settle: () => void = () => undefined;
  const order = new HeldOrder({
    order: () => { said.push("order"); return new Promise<void>((done) => (settle = done)); },
    press: () => said.push("press"),
    release: () => said.push("release"),
  });
  return { order, said, answer: async () => { settle(); await new Promise((done) => setTimeout(done)); } };
}

describe("an order", () => {
  it("is given once, with a press before it, and then pressed on", () => {
    const { order, said } = watched();
    for (let round = 0; round < 3; round++) order.hold();
    order.release();
    expect(said).toEqual(["press", "order", "press", "press", "release"]);
  });

  it("is given again where it is pressed again after the cell took it", async () => {
    const { order, said, answer } = watched();
    order.hold();
    await answer();
    order.release();
    order.hold();
    expect(said.filter((each) => each === "order")).toHaveLength(2);
  });

  it("is not given twice where it is pressed again while the cell still plans it", () => {
    const { order, said } = watched();
    order.hold();
    order.release();
    order.hold();
    expect(said).toEqual(["press", "order", "release", "press"]);
  });

  it("of which the cell says nothing more is pressed on, and released once", async () => {
    const { order, said, answer } = watched();
    order.hold();
    order.release();
    await answer();
    expect(said).toEqual(["press", "order", "release"]);
    order.hold();
    await answer();
    order.hold();
    expect(said.slice(3)).toEqual(["press", "order", "press"]);
  });

  it("that was never held is not released", () => {
    const { order, said } = watched();
    order.release();
    expect(said).toEqual([]);
  });
});

describe("holding to run", () => {
  function held(going: boolean, begun: boolean, waits = false) {
    const work = { goesOn: vi.fn(() => going), order: vi.fn(() => Promise.resolve(begun)), press: vi.fn(), release: vi.fn() };
    return { run: new HeldOrder({ ...work, waits }), work };
  }
  const soon = (): Promise<void> => new Promise((done) => setTimeout(done));

  it("begins once and presses as long as it is held", async () => {
    const { run, work } = held(false, true);
    for (let time = 0; time < 3; time += 1) run.hold();
    await soon();
    run.hold();
    expect(work.order).toHaveBeenCalledOnce();
    expect(work.press).toHaveBeenCalledTimes(4);
    run.release();
    run.release();
    expect(work.release).toHaveBeenCalledOnce();
  });

  it("only presses where a program waits for it", () => {
    const { run, work } = held(true, true);
    run.hold();
    expect(work.order).not.toHaveBeenCalled();
    expect(work.press).toHaveBeenCalledOnce();
  });

  it("presses no more after a refusal, until it is held again", async () => {
    const { run, work } = held(false, false);
    run.hold();
    await soon();
    run.hold();
    expect(work.press).toHaveBeenCalledOnce();
    run.release();
    run.hold();
    expect(work.press).toHaveBeenCalledTimes(2);
  });

  it("does not begin twice where it is let go and held again before the answer", () => {
    const { run, work } = held(false, true);
    run.hold();
    run.release();
    run.hold();
    expect(work.order).toHaveBeenCalledOnce();
  });

  it("lets go of what has begun after it was let go", async () => {
    const { run, work } = held(false, true);
    run.hold();
    run.release();
    await soon();
    expect(work.release).toHaveBeenCalledTimes(2);
  });

  it("that waits presses nothing before it has begun", async () => {
    const { run, work } = held(true, true, true);
    run.hold();
    expect(work.press).not.toHaveBeenCalled();
    await soon();
    run.hold();
    expect(work.order).toHaveBeenCalledOnce();
    expect(work.press).toHaveBeenCalledOnce();
  });
});
