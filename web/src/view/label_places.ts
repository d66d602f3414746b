/** Where labels stand beside what they name, so that none covers another or the robot. All in px of the view, y down. */

export interface PlacedLabel {
  shown: boolean; // whether what it names is in sight
  x: number; // of what it names
  y: number;
  width: number;
  height: number;
  side: number; // of PLACES, kept from frame to frame so that it does not jump
  left: number; // found
  top: number;
}

/** Points that are covered by the robot: x and y of each, one after the other. */
export type Covered = ArrayLike<number>;

const AWAY = [9, 34, 62, 96, 140, 190, 250] as const; // px between a label and what it names: beside it, or off the robot with a line to it
const ROUND = 7; // px around a point that is covered
/** Right above, right below, left above, left below: share of the width and of the height that lies left of and above the point. */
const SIDES = [
  [0, 1],
  [0, 0],
  [1, 1],
  [1, 0],
] as const;
const PLACES = AWAY.length * SIDES.length;

/** How far away a label stands where a line is drawn to it. */
export const LED = 20; // px

/** Find a place for every label that is shown; those that come first choose first, and the nearest place is taken. */
export function placeLabels(labels: readonly PlacedLabel[], width: number, height: number, covered: Covered = []): void {
  for (let number = 0; number < labels.length; number++) {
    const label = labels[number]!;
    if (!label.shown) continue;
    const before = label.side;
    let found = fits(labels, number, before, width, height, covered);
    for (let place = 0; place < PLACES && !found; place++) found = place !== before && fits(labels, number, place, width, height, covered);
    // Covered everywhere: better over the robot than over another label, and better covered than gone.
    for (let place = 0; place < SIDES.length && !found; place++) found = fits(labels, number, place, width, height, []);
    if (!found) set(label, before);
  }
}

function fits(labels: readonly PlacedLabel[], number: number, place: number, width: number, height: number, covered: Covered): boolean {
  const label = labels[number]!;
  set(label, place);
  const right = label.left + label.width, bottom = label.top + label.height;
  if (label.left < 0 || label.top < 0 || right > width || bottom > height) return false;
  for (let other = 0; other < number; other++) if (overlaps(label, labels[other]!)) return false;
  for (let at = 0; at + 1 < covered.length; at += 2) {
    const x = covered[at]!, y = covered[at + 1]!;
    if (x > label.left - ROUND && x < right + ROUND && y > label.top - ROUND && y < bottom + ROUND) return false;
  }
  return true;
}

function set(label: PlacedLabel, place: number): void {
  const [left, above] = SIDES[place % SIDES.length]!, away = AWAY[Math.floor(place / SIDES.length)] ?? AWAY[0];
  label.side = place;
  label.left = Math.round(label.x + (left ? -away - label.width : away));
  label.top = Math.round(label.y + (above ? -away / 2 - label.height : away / 2));
}

export function overlaps(a: PlacedLabel, b: PlacedLabel): boolean {
  return (
    b.shown && a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
  );
}
