/** Names for taught points. */

/** The first of P1, P2, ... that no point has; small and capital letters are the same to programs. */
export function proposedName(taken: readonly string[]): string {
  const known = new Set(taken.map((name) => name.toUpperCase()));
  for (let number = 1; ; number += 1) {
    const name = `P${number}`;
    if (!known.has(name)) return name;
  }
}

/** Whether programs can name a point so: letters, digits and _, not beginning with a digit. */
export const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name);
