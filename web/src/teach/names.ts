/** Names of points and paths: which can be had, and which is proposed. */

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Whether something can have this name; words of the robot language are left to the cell to refuse. */
export const canBeName = (name: string): boolean => NAME.test(name);

/** Whether it is free; small and capital letters are the same. */
export const isFree = (name: string, taken: readonly string[]): boolean => !taken.some((each) => each.toUpperCase() === name.toUpperCase());

/** The first of p1, p2, ... that is free. */
export function freePoint(taken: readonly string[]): string {
  let number = 1;
  while (!isFree(`p${number}`, taken)) number += 1;
  return `p${number}`;
}

/** A free name: the last one counted on, or the first of its kind. */
export function proposedName(taken: readonly string[], first: string): string {
  const last = taken[taken.length - 1] ?? "";
  const [, stem, digits] = /^(.*?)(\d*)$/.exec(last || first) ?? ["", first, ""];
  const begin = last ? `${stem}${digits ? "" : "_"}` : (stem ?? first);
  let number = last ? Number(digits || 1) + 1 : Number(digits || 1);
  while (!isFree(begin + number, taken)) number += 1;
  return begin + number;
}

/** A free file name: `stem_1.ending`, `stem_2.ending` ... */
export function freeFile(stem: string, ending: string, taken: readonly string[]): string {
  let number = 1;
  while (!isFree(`${stem}_${number}${ending}`, taken)) number += 1;
  return `${stem}_${number}${ending}`;
}
