/** The path that a checked program would take: which part and which end belong to a line. */

import type { Ghost, Preview } from "../view/shown";
import type { PathEnd, PreviewAnswer } from "./answers";

/** The path, with a line's part brighter where the line has one. */
export function pathWith(answer: PreviewAnswer, line: number): Preview {
  const path = { points: answer.points, lines: answer.lines };
  return answer.lines.includes(line) ? { ...path, chosen: line } : path;
}

/** Where the robot would be at the end of a line, the last time that it comes by; null where the line moves nothing. */
export function ghostAt(ends: readonly PathEnd[], line: number, label: string): Ghost | null {
  const end = ends.filter((each) => each.line === line).at(-1);
  return end ? { q: end.q, label } : null;
}
