import { expect, it } from "vitest";
import { program, status, who } from "../../src/cell";
import { linked } from "../../src/link";
import type { ProgramState, Status } from "../../src/messages";
import { hindrance } from "../../src/move/jogging";

it("nothing is jogged from when a program is started until it is over", () => {
  who.value = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
  status.value = { mode: "manual", state: "READY", control: { session: "1", name: "Ada", linked: true, asked_by: "" } } as unknown as Status;
  linked.value = true;
  const hindered = (state: string): unknown => ((program.value = { state } as ProgramState), hindrance.value);
  expect(["ready", "running", "paused", "waiting"].map(hindered)).toEqual(Array(4).fill("move.programRuns"));
  expect(["ended", "stopped", "failed", ""].map(hindered)).toEqual(Array(4).fill(null));
});
