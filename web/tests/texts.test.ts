import { expect, it } from "vitest";
import { CATALOGUE } from "../src/texts";

it("both languages put the same values in", () => {
  const values = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!).sort();
  for (const [key, [english, chinese]] of Object.entries(CATALOGUE)) if (english) expect([key, values(chinese)]).toEqual([key, values(english)]);
});
