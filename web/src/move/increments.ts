/** The steps that a press can make instead of a held jog. */

export type Increment = "hold" | "large" | "small" | "fine";

const DEGREE = Math.PI / 180;
const STEPS = {
  large: { rad: 5 * DEGREE, m: 0.01 },
  small: { rad: DEGREE, m: 0.001 },
  fine: { rad: 0.1 * DEGREE, m: 0.0001 },
} as const;

/** How far one press goes [rad or m]. */
export function stepOf(increment: Exclude<Increment, "hold">, unit: "rad" | "m"): number {
  return STEPS[increment][unit];
}

const WORDS = {
  large: { rad: "5°", m: "10 mm" },
  small: { rad: "1°", m: "1 mm" },
  fine: { rad: "0.1°", m: "0.1 mm" },
} as const;

/** The steps on offer and what they are called, for what is moved in these units. */
export function stepsFor(units: ReadonlySet<"rad" | "m">): readonly { readonly value: Exclude<Increment, "hold">; readonly label: string }[] {
  const offered = units.has("m") ? (["large", "small", "fine"] as const) : (["large", "small"] as const);
  return offered.map((value) => ({
    value,
    label: (["m", "rad"] as const).filter((unit) => units.has(unit)).map((unit) => WORDS[value][unit]).join(" · "),
  }));
}

/** A list of n zeros but for one. */
export function only(n: number, which: number, value: number): number[] {
  return Array.from({ length: n }, (_, index) => (index === which ? value : 0));
}
