import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { status, toast, who, type Who } from "../src/cell";
import { holderName, isMineElsewhere, takeControl } from "../src/control";
import { linked } from "../src/link";
import type { Status } from "../src/messages";
import { language } from "../src/texts";

const me = (role: Who["role"]): Who => ({ user: "Ada", role, session: "1", local: false, locked: false, passwords: true, has_password: true });
const heldBy = (name: string): Status => ({ control: { session: `of ${name}`, name, linked: true, asked_by: "" } }) as unknown as Status;
const asked = { detail: "Otto has control and has been asked for it; wait until it is given", kind: "NoControl" };
let sent: unknown[], now: number, answer: () => Response;

async function pressAfter(ms: number): Promise<void> {
  now += ms;
  await takeControl();
}

beforeEach(() => {
  [sent, answer, toast.value] = [[], () => new Response(JSON.stringify(asked), { status: 403 }), null];
  now = (now || 0) + 60_000;
  [who.value, status.value] = [me("administrator"), heldBy("Otto")];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => (sent.push(JSON.parse(init.body as string)), Promise.resolve(answer())));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("who has control elsewhere on the machine is named, also one who said no name", () => {
  status.value = { control: { session: "", name: "a program", linked: false, asked_by: "" } } as unknown as Status;
  expect(holderName()).toBe("a program");
  status.value = { control: { session: "", name: "somebody who said no name", linked: false, asked_by: "" } } as unknown as Status;
  language.value = "zh";
  expect(holderName()).toBe("未具名者");
  language.value = "en";
});

it("an administrator who is refused is told that another press takes it by force, and it does", async () => {
  await pressAfter(0);
  expect(toast.value?.text).toBe(`${asked.detail}. Press again within 10 s to take it by force: the robot stops then.`);
  answer = () => new Response("null");
  await pressAfter(5000);
  expect(sent).toEqual([{}, { force: true }]);
  await pressAfter(1000); // and only once
  expect(sent.at(-1)).toEqual({});
});

it("after ten seconds the next press asks again", async () => {
  await pressAfter(0);
  await pressAfter(10_001);
  expect(sent).toEqual([{}, {}]);
});

it("a double click is no second press", async () => {
  await pressAfter(0);
  await pressAfter(200);
  expect(sent).toEqual([{}, {}]);
});

it("who has got it in the meantime is asked first", async () => {
  await pressAfter(0);
  status.value = heldBy("Olga");
  await pressAfter(2000);
  expect(sent).toEqual([{}, {}]);
});

it("others than administrators only ask", async () => {
  who.value = me("programmer");
  await pressAfter(0);
  expect(toast.value?.text).toBe(asked.detail);
  await pressAfter(2000);
  expect(sent).toEqual([{}, {}]);
});

it("a refusal of another kind offers no force", async () => {
  answer = () => new Response(JSON.stringify({ detail: "the cell is shut down", kind: "Refused" }), { status: 409 });
  await pressAfter(0);
  expect(toast.value?.text).toBe("the cell is shut down");
  await pressAfter(2000);
  expect(sent).toEqual([{}, {}]);
});

it("who has control at another screen of his is told so, and not by his own name", () => {
  status.value = heldBy("Ada");
  expect([isMineElsewhere(), holderName()]).toEqual([true, "you, on another screen"]);
  status.value = heldBy("Otto");
  expect([isMineElsewhere(), holderName()]).toEqual([false, "Otto"]);
  linked.value = true;
  status.value = { control: { session: "1", name: "Ada", link: true, asked_by: "" } } as Status;
  expect([isMineElsewhere(), holderName()]).toEqual([false, "you"]);
  linked.value = false;
});
