import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const LEAST = 4.5; // WCAG 2.2, 1.4.3
const CSS = readFileSync("src/style.css", "utf8");

/** The colours of a theme; light takes from dark what it does not name itself. */
function colours(theme: "dark" | "light"): Map<string, string> {
  const of = (selector: string): [string, string][] => {
    const block = new RegExp(`^${selector} \\{([^}]*)\\}`, "m").exec(CSS)?.[1] ?? "";
    return [...block.matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)].map((found) => [found[1]!, found[2]!]);
  };
  return new Map([...of(":root"), ...(theme === "light" ? of('\\[data-theme="light"\\]') : [])]);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join("") : colour.slice(1);
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** What is written, on what. */
const PAIRS: readonly (readonly [text: string, ground: string])[] = [
  ...["text", "quiet", "do", "would", "bad-text", "good", "warn"].flatMap((text) => ["ground", "panel", "raised"].map((ground) => [text, ground] as const)),
  ["good", "good-ground"], ["do-text", "do"], ["would-text", "would"], ["on-bad", "bad-ground"], ["panel", "text"],
];

describe.each(["dark", "light"] as const)("in the %s theme", (theme) => {
  const of = colours(theme);
  it.each(PAIRS)("%s is read on %s", (text, ground) => {
    expect(of.get(text), text).toBeDefined();
    expect(of.get(ground), ground).toBeDefined();
    expect(contrast(of.get(text)!, of.get(ground)!)).toBeGreaterThanOrEqual(LEAST);
  });
});

it("contrast is computed as it is defined", () => {
  expect(contrast("#000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#ffffff", "#e5484d")).toBeCloseTo(3.91, 2);
});

it("white is written on no ground that is not looked at here", () => {
  const styles = ["src/style.css", "src/pages/system.css", "src/pages/io.css", "src/tour.css"].map((file) => readFileSync(file, "utf8")).join("\n");
  expect([...styles.matchAll(/[;{]\s*color: #\w+/g)].map((found) => found[0])).toEqual([]);
});
