/** A way that was previewed, and whether the robot still stands on it. */

/** How far each joint of a robot that stands on its way may be from it [rad or m]. */
const OFF = 0.02;

/** Whether a robot stands on a way, or between two of its samples. */
export function onTheWay(q: readonly number[], path: readonly (readonly number[])[], most = OFF): boolean {
  return path.some((from, number) => near(q, from, path[number + 1] ?? from, most));
}

function near(q: readonly number[], from: readonly number[], to: readonly number[], most: number): boolean {
  let along = 0, whole = 0;
  q.forEach((value, joint) => {
    const [a, b] = [from[joint] ?? 0, to[joint] ?? 0];
    along += (value - a) * (b - a);
    whole += (b - a) ** 2;
  });
  const share = whole > 0 ? Math.min(1, Math.max(0, along / whole)) : 0;
  return q.every((value, joint) => {
    const [a, b] = [from[joint] ?? 0, to[joint] ?? 0];
    return Math.abs(value - (a + share * (b - a))) <= most;
  });
}
