/** Where labels stand beside what they name, so that none covers another. All in px of the view, y down. */

export interface PlacedLabel {
  shown: boolean; // whether what it names is in sight
  x: number; // of what it names
  y: number;
  width: number;
  height: number;
  side: number; // of SIDES, kept from frame to frame so that it does not jump
  left: number; // found
  top: number;
}

const AWAY = 9; // px between a label and what it names
/** Right above, right below, left above, left below: share of the width and of the height that lies left of and above the point. */
const SIDES = [
  [0, 1],
  [0, 0],
  [1, 1],
  [1, 0],
] as const;

/** Find a place for every label that is shown; those that come first choose first. */
export function placeLabels(labels: readonly PlacedLabel[], width: number, height: number): void {
  for (let number = 0; number < labels.length; number++) {
    const label = labels[number]!;
    if (!label.shown) continue;
    const before = label.side;
    let found = tryside(labels, number, before, width, height);
    for (let side = 0; side < SIDES.length && !found; side++) found = side !== before && tryside(labels, number, side, width, height);
    if (!found) set(label, before); // crowded everywhere: better covered than gone
  }
}

function tryside(labels: readonly PlacedLabel[], number: number, side: number, width: number, height: number): boolean {
  const label = labels[number]!;
  set(label, side);
  if (label.left < 0 || label.top < 0 || label.left + label.width > width || label.top + label.height > height) return false;
  for (let other = 0; other < number; other++) if (overlaps(label, labels[other]!)) return false;
  return true;
}

function set(label: PlacedLabel, side: number): void {
  const [left, above] = SIDES[side] ?? SIDES[0];
  label.side = side;
  label.left = Math.round(label.x + (left ? -AWAY - label.width : AWAY));
  label.top = Math.round(label.y + (above ? -AWAY / 2 - label.height : AWAY / 2));
}

export function overlaps(a: PlacedLabel, b: PlacedLabel): boolean {
  return (
    b.shown && a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
  );
}
