/** Where two texts differ: the lines between what both begin and end with. */

export interface Difference {
  readonly line: number; // the first that differs, from 1
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

export function difference(mine: string, theirs: string): Difference {
  const left = mine.split("\n");
  const right = theirs.split("\n");
  const most = Math.min(left.length, right.length);
  let begin = 0;
  while (begin < most && left[begin] === right[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return { line: begin + 1, mine: left.slice(begin, left.length - end), theirs: right.slice(begin, right.length - end) };
}
