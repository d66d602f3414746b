/** Robot commands in colours: what each piece of a line is. The words are those of docs/robot-commands.md. */

import type { StreamParser, StringStream } from "@codemirror/language";

const MOTIONS = ["DMOVE", "DMOVEJ", "MOVEC", "MOVEJ", "MOVEJ_RPY", "MOVEJ_SPLINE", "MOVEL", "MOVEL_SPLINE"];
const LAWS = ["", "_JERK", "_LSPB", "_QUINTIC", "_TOPT"];
export const MOTION_WORDS = MOTIONS.flatMap((motion) => LAWS.map((law) => motion + law));
export const DOING_WORDS = ["DWELL", "FRAME", "JOINTS", "MESSAGE", "OUTPUT", "POINT", "SPEED", "TOOL", "UNITS", "WAIT"];
export const FLOW_WORDS = ["CALL", "ELSE", "ELSEIF", "END", "FOR", "GOTO", "IF", "LABEL", "PAUSE", "RETURN", "STOP", "SUB", "WHILE"];
export const INSIDE_WORDS = [
  "ABOVE", "AND", "BELOW", "BLEND", "FALL", "HIGH", "LOW", "NOT", "OFF", "ON", "OPTIONAL", "OR", "RISE", "STEP", "TO", "TOLERANCE",
];
export const FUNCTION_WORDS = [
  "abs", "acos", "asin", "atan2", "ceil", "cos", "floor", "max", "min", "round", "sin", "sqrt", "tan", "ANALOG", "CAME", "INPUT",
];
const UNITS = ["mm", "cm", "m", "in", "deg", "rad", "s", "ms", "min"];

const COMMANDS = new Set([...MOTION_WORDS, ...DOING_WORDS]);
const FLOW = new Set([...FLOW_WORDS, ...INSIDE_WORDS]);
const FUNCTIONS = new Set(FUNCTION_WORDS.map((each) => each.toUpperCase()));
const UNIT_WORDS = new Set(UNITS.map((each) => each.toUpperCase()));
/** Words that no point, variable, label or subroutine can be called; all in capital letters. */
export const RESERVED: ReadonlySet<string> = new Set([...COMMANDS, ...FLOW, ...FUNCTIONS, ...UNIT_WORDS]);

/** What is remembered along a line. */
export interface ScriptState {
  first: boolean; // nothing has been read of this line
  part: boolean; // a dot was read, and a part of a point comes
}

export const ROBOT_COMMANDS: StreamParser<ScriptState> = {
  name: "script",
  startState: () => ({ first: true, part: false }),
  copyState: (state) => ({ ...state }),
  token: scriptToken,
  languageData: { commentTokens: { line: "#" } },
};

/** Read one piece; its kind, or null for what is not coloured. */
function scriptToken(stream: StringStream, state: ScriptState): string | null {
  if (stream.sol()) state.first = true;
  if (stream.eatSpace()) return null;
  const first = state.first;
  const part = state.part;
  state.first = state.part = false;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
  if (stream.match(/^\{[^{}]*\}?/)) return "variableName";
  if (stream.match(/^(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/i)) return "number";
  const found = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null;
  if (found) return part ? "propertyName" : nameKind(found[0], first, stream);
  if (stream.match(/^(?:<=|>=|==|!=|[-+*/%^=<>])/)) return "operator";
  const sign = stream.next() ?? "";
  state.part = sign === ".";
  return "()[]".includes(sign) ? "bracket" : ";,.".includes(sign) ? null : "invalid";
}

function nameKind(name: string, first: boolean, stream: StringStream): string {
  const word = name.toUpperCase();
  if (COMMANDS.has(word)) return "typeName";
  if (FLOW.has(word)) return "keyword";
  if (FUNCTIONS.has(word) && stream.match(/^\s*\(/, false)) return "keyword";
  if (UNIT_WORDS.has(word)) return "unit";
  // P0001 MOVEJ ...: a name before a command is its index.
  if (first && stream.match(/^\s+[\p{L}_]/u, false)) return "meta";
  return "variableName";
}
