import { afterEach, expect, test } from "vitest";
import { inWords, Refused, refusalOf } from "../src/refused";
import { speak } from "../src/texts";

afterEach(() => speak("en"));

const answer = (status: number, body: unknown): Response => new Response(JSON.stringify(body), { status });

test("what the cell says is said as it is in its own language", async () => {
  const refused = await refusalOf(answer(409, { detail: "joint_2 is at its limit", kind: "NoMotion" }));
  expect([refused.status, refused.kind]).toEqual([409, "NoMotion"]);
  expect(inWords(refused)).toBe("joint_2 is at its limit");
});

test("in another language a heading says what kind of thing is wrong", async () => {
  speak("zh");
  expect(inWords(await refusalOf(answer(409, { detail: "joint_2 is at its limit", kind: "NoMotion" })))).toBe("无法规划这个运动：joint_2 is at its limit");
  expect(inWords(new Refused(409, "odd", "NobodyKnows"))).toBe("odd");
  expect(inWords(await refusalOf(new Response("no JSON", { status: 502 })))).toBe("单元应答 502");
});

test("where the cell's words are known they are said in the page's language, and need no heading", async () => {
  const refused = await refusalOf(answer(403, { detail: "Petra has control; take it first", kind: "NoControl" }));
  expect(inWords(refused)).toBe("Petra has control; take it first");
  speak("zh");
  expect(inWords(refused)).toBe("Petra 拥有控制权；请先取得控制权");
  expect(inWords(new Error("log in first"))).toBe("请先登录");
});
