/** How a problem is put right: its line gives way to a better one. */

export interface Fix {
  readonly label: string; // on the button
  readonly was: string; // the line when it was looked at
  readonly text: string; // the line as it should read
}

export interface LineChange {
  readonly from: number; // in the line, from 0
  readonly to: number;
  readonly insert: string;
}

const WORD = /[\p{L}\p{N}_.+-]/u;

/** The piece of a line that becomes another: all but what both begin and end with. */
function between(was: string, text: string): LineChange {
  const most = Math.min(was.length, text.length);
  let begin = 0;
  while (begin < most && was[begin] === text[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && was[was.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  return { from: begin, to: was.length - end, insert: text.slice(begin, text.length - end) };
}

/** What to change in a line, no more than differs; null where the line is no longer the one that was looked at. */
export function changeOf(fix: Fix, line: string): LineChange | null {
  return line === fix.was && fix.text !== line ? between(line, fix.text) : null;
}

/** The words that a better line has and the line has not: "X932" of "G0 X932 Y0" for "G0 X1200 Y0"; the whole where it only lacks some. */
export function newWords(was: string, text: string): string {
  const change = between(was, text);
  let { from } = change;
  let to = from + change.insert.length;
  while (from > 0 && WORD.test(text[from - 1] ?? "")) from -= 1;
  while (to < text.length && WORD.test(text[to] ?? "")) to += 1;
  return text.slice(from, to).trim() || text.trim();
}
