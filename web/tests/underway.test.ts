import { beforeAll, expect, test } from "vitest";
import { underway, watchPresses } from "../src/underway";

beforeAll(watchPresses);

function button(): HTMLButtonElement {
  document.body.innerHTML = "<button><b>go</b></button><p>else</p>";
  return document.querySelector("button")!;
}

function waiting(): { readonly done: Promise<string>; readonly answer: (value: string) => void; readonly fail: (why: Error) => void } {
  let answer!: (value: string) => void;
  let fail!: (why: Error) => void;
  const done = underway(() => new Promise<string>((resolve, reject) => { answer = resolve; fail = reject; }));
  return { done, answer, fail };
}

test("the pressed button shows at once that something is under way, until the answer is there", async () => {
  const one = button();
  one.querySelector("b")!.click();
  const asked = waiting();
  expect(one.getAttribute("aria-busy")).toBe("true");
  asked.answer("yes");
  expect(await asked.done).toBe("yes");
  expect(one.hasAttribute("aria-busy")).toBe(false);
});

test("for as long as one of several answers is missing, and also where one fails", async () => {
  const one = button();
  one.click();
  const first = waiting();
  const second = waiting();
  first.answer("");
  await first.done;
  expect(one.getAttribute("aria-busy")).toBe("true");
  second.fail(new Error("no"));
  await expect(second.done).rejects.toThrow("no");
  expect(one.hasAttribute("aria-busy")).toBe(false);
});

test("what nobody pressed for shows nowhere", async () => {
  const one = button();
  one.click();
  document.querySelector("p")!.click();
  const asked = waiting();
  expect(one.hasAttribute("aria-busy")).toBe(false);
  asked.answer("");
  await asked.done;
});
