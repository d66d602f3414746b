/** Joints' names as they fit in a row, and in groups where there are many. */

const MOST_WITHOUT_GROUPS = 9;

const LONGEST = 16; // letters

/** What a joint is called everywhere: "joint_1" is J1, "joint_a3" A3; of others the word joint is left out. */
export function jointLabel(name: string): string {
  const numbered = /^(?:joint|jnt|j|axis)[_\- ]?([a-z]?\d+)$/i.exec(name);
  if (numbered?.[1]) return /^\d/.test(numbered[1]) ? `J${Number(numbered[1])}` : numbered[1].toUpperCase();
  const words = name.split(/[_\-\s]+/).filter((word) => word !== "" && !/^(joint|jnt)$/i.test(word));
  const plain = words.join(" ") || name;
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain;
}

export interface Group {
  readonly name: string; // "" where there is only one
  readonly joints: readonly number[]; // their indices, in the model's order
}

/** Joints that stand together: those in a row whose names begin with the same word. */
export function grouped(names: readonly string[]): readonly Group[] {
  if (names.length <= MOST_WITHOUT_GROUPS) return [{ name: "", joints: names.map((_, index) => index) }];
  const found: { name: string; joints: number[] }[] = [];
  names.forEach((name, index) => {
    const word = firstWord(name);
    const last = found.at(-1);
    if (last?.name === word) last.joints.push(index);
    else found.push({ name: word, joints: [index] });
  });
  return joined(found);
}

function firstWord(name: string): string {
  return (jointLabel(name).split(" ")[0] ?? name).replace(/[\d.]+$/, "").toLowerCase();
}

/** Groups of one are no groups: neighbours of that kind become one, named by its first and last. */
function joined(found: readonly { name: string; joints: number[] }[]): Group[] {
  const groups: { name: string; joints: number[]; single: boolean }[] = [];
  for (const each of found) {
    const last = groups.at(-1);
    const single = each.joints.length === 1;
    if (single && last?.single) {
      last.joints.push(...each.joints);
      last.name = `${last.name.split(" … ")[0]} … ${each.name}`;
    } else groups.push({ name: each.name, joints: [...each.joints], single });
  }
  return groups.map(({ name, joints }) => ({ name, joints }));
}
