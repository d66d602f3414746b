/** G-code (RS274/NGC) in colours: what each piece of a line is. */

import type { StreamParser, StringStream } from "@codemirror/language";

export const GCODE_FUNCTIONS = ["abs", "acos", "asin", "atan", "cos", "exists", "exp", "fix", "fup", "ln", "round", "sin", "sqrt", "tan"];
export const GCODE_OPERATORS = ["and", "eq", "ge", "gt", "le", "lt", "mod", "ne", "or", "xor"];
export const GCODE_FLOW = [
  "break", "call", "continue", "do", "else", "elseif", "endif", "endrepeat", "endsub", "endwhile", "if", "repeat", "return", "sub", "while",
];

/** What is remembered along a line. */
export interface GcodeState {
  flow: boolean; // an o-word was read, and its keyword comes
  depth: number; // of brackets
}

const FUNCTION = new RegExp(`^(?:${GCODE_FUNCTIONS.join("|")})(?=\\s*\\[)`, "i");
const OPERATOR = new RegExp(`^(?:${GCODE_OPERATORS.join("|")})(?![a-z])`, "i");
const FLOW = new RegExp(`^(?:${[...GCODE_FLOW].sort((a, b) => b.length - a.length).join("|")})`, "i");
const MESSAGE = /^\(\s*(?:msg|debug|print|log|logopen|logappend|logclose|probeopen|probeclose|py)\b[^)]*\)?/i;
const NUMBER = /^[-+]?(?:\d+(?:\s*\.\s*\d*)?|\.\s*\d+)/;

export const GCODE: StreamParser<GcodeState> = {
  name: "gcode",
  startState: () => ({ flow: false, depth: 0 }),
  copyState: (state) => ({ ...state }),
  token: gcodeToken,
  languageData: { commentTokens: { line: ";" } },
};

/** Read one piece; its kind, or null for what is not coloured. */
function gcodeToken(stream: StringStream, state: GcodeState): string | null {
  if (stream.sol()) {
    state.flow = false;
    state.depth = 0;
    if (stream.match(/^\s*[%/]/)) return "meta";
  }
  if (stream.eatSpace()) return null;
  if (stream.match(/^;.*/)) return "comment";
  if (stream.match(MESSAGE)) return "string";
  if (stream.match(/^\([^)]*\)?/)) return "comment";
  if (stream.match(/^#+\s*(?:<[^>]*>?|\d+)/) || stream.match("#")) return "variableName";
  if (state.flow && stream.match(FLOW)) {
    state.flow = false;
    return "keyword";
  }
  if (stream.match(FUNCTION) || (state.depth > 0 && stream.match(OPERATOR))) return "keyword";
  return bracketOrNumber(stream, state) ?? word(stream, state);
}

function bracketOrNumber(stream: StringStream, state: GcodeState): string | null {
  const next = stream.peek();
  if (next === "[" || next === "]") {
    stream.next();
    state.depth = Math.max(0, state.depth + (next === "[" ? 1 : -1));
    return "bracket";
  }
  if (state.depth > 0 && stream.match(/^[-+*/]/)) return "operator";
  if (stream.match(NUMBER)) return "number";
  if (stream.match(/^(?:\*\*|[-+*/=])/)) return "operator";
  return null;
}

/** A letter and its number; in brackets letters mean nothing. */
function word(stream: StringStream, state: GcodeState): string {
  if (state.depth === 0) {
    if (stream.match(/^o\s*(?:<[^>]*>?|\d+)/i) || stream.match(/^o(?=\s*[[#])/i)) {
      state.flow = true;
      return "keyword";
    }
    if (stream.match(/^n\s*\d+/i)) return "meta";
    if (stream.match(/^[gm]\s*\d+(?:\s*\.\s*\d+)?/i) || stream.match(/^[gm](?=\s*[[#])/i)) return "typeName";
    if (stream.match(/^[a-z]/i)) return "propertyName";
  }
  stream.next();
  return "invalid";
}
