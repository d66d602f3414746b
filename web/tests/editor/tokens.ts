/** What a parser makes of a text: each coloured piece with its kind. */

import { StringStream, type StreamParser } from "@codemirror/language";

export function tokens<State>(parser: StreamParser<State>, text: string): [string, string][] {
  const state = parser.startState!(2);
  const found: [string, string][] = [];
  for (const line of text.split("\n")) {
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = parser.token(stream, state);
      if (stream.pos === stream.start) throw new Error(`the parser stands still at ${stream.pos} of ${line}`);
      if (kind) found.push([stream.current(), kind]);
    }
  }
  return found;
}
