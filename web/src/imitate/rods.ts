/** A person's bones as rods between joints, and where he stands beside the robot. No drawing here. */

export type Side = "" | "left" | "right";

/** A rod: from the place of a bone's parent to its own. A head is one of its own, beyond its bone. */
export interface Rod {
  readonly from: number; // bones
  readonly to: number;
  readonly side: Side;
  readonly head: boolean;
}

const THICK = 0.16; // of a rod's length
const THINNEST = 0.006, THICKEST = 0.032; // of the person's height
const HEAD = 0.12, HEAD_THICK = 0.045; // length and radius, of the person's height

const asSide = (side: string | undefined): Side => (side === "left" || side === "right" ? side : "");

/** The bones that are drawn. A bone whose parent is none, or none of before, has no rod: a skeleton may be anybody's. */
export function rodsOf(parents: readonly number[], sides: readonly string[], places: readonly number[]): readonly Rod[] {
  const rods: Rod[] = [], leaf = parents.map(() => true);
  parents.forEach((parent, bone) => {
    if (parent < 0 || parent >= parents.length || parent === bone) return;
    leaf[parent] = false;
    rods.push({ from: parent, to: bone, side: asSide(sides[bone]), head: false });
  });
  const top = rods.filter(({ to, side }) => leaf[to] && side === "").sort((one, other) => (places[3 * other.to + 2] ?? 0) - (places[3 * one.to + 2] ?? 0))[0];
  return top ? [...rods, { ...top, head: true }] : rods;
}

/** Where a person stands and how large he is drawn. */
export interface Stand {
  readonly x: number; // of the middle of the feet [m, world]
  readonly y: number;
  readonly z: number;
  readonly scale: number;
  readonly ground: number; // what is the ground for him [m]
  readonly height: number; // as he is drawn [m]
}

interface Box {
  readonly min: { readonly x: number; readonly y: number };
  readonly max: { readonly x: number; readonly y: number };
}

const TALLEST = 1.15; // times the robot: he does not dwarf it
const REACH = 0.5; // of his height: an arm's, stretched out
const APART = 0.08; // of his height, between his hand and the robot

/** To the robot's left, by his own arm's reach and a little more. */
export function standOf(places: readonly number[], robot: Box, size: number, ground: number): Stand {
  let low = Infinity, high = -Infinity;
  for (let at = 2; at < places.length; at += 3) {
    low = Math.min(low, places[at]!);
    high = Math.max(high, places[at]!);
  }
  const tall = (high - low) * (1 + HEAD);
  if (!(tall > 0.01 && Number.isFinite(tall))) return { x: 0, y: robot.max.y + size, z: ground, scale: 1, ground: 0, height: size };
  const scale = Math.min(1, (TALLEST * size) / tall), height = scale * tall;
  return { x: (robot.min.x + robot.max.x) / 2, y: robot.max.y + (REACH + APART) * height, z: ground, scale, ground: low, height };
}

/** A rod as it stands in the world: seven numbers, begin, end and radius [m]. Nothing for one that has no length, or no place. */
export function placed(rod: Rod, places: readonly number[], stand: Stand, into: Float64Array): boolean {
  for (let axis = 0; axis < 3; axis++) {
    const shift = axis === 0 ? stand.x : axis === 1 ? stand.y : stand.z - stand.scale * stand.ground;
    into[axis] = stand.scale * (places[3 * rod.from + axis] ?? NaN) + shift;
    into[axis + 3] = stand.scale * (places[3 * rod.to + axis] ?? NaN) + shift;
  }
  const length = Math.hypot(into[3]! - into[0]!, into[4]! - into[1]!, into[5]! - into[2]!);
  if (!(length > 1e-6)) return false;
  if (rod.head)
    for (let axis = 0; axis < 3; axis++) {
      const along = (into[axis + 3]! - into[axis]!) / length;
      into[axis] = into[axis + 3]!;
      into[axis + 3] = into[axis]! + along * HEAD * stand.height;
    }
  into[6] = rod.head ? HEAD_THICK * stand.height : Math.min(THICKEST * stand.height, Math.max(THINNEST * stand.height, THICK * length));
  return true;
}
